/* A detached task outside of parallel regions: a thread of the program's own writes, and then fulfils its event, which a taskwait waits
   for. Twin: it fulfils the event first. */
#include <omp.h>
#include <pthread.h>

#include "../archer/apart.h"

static long value, handle;
static int begun, done;

static void *fulfils(void *unused) {
    await(&begun, 1);
    UNLESS_TWIN(value = 5);
    omp_fulfill_event((omp_event_handle_t)__atomic_load_n(&handle, __ATOMIC_RELAXED));
    IF_TWIN(value = 5); /* race */
    tell(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    omp_event_handle_t event;
    pthread_create(&thread, 0, fulfils, 0);
#pragma omp task detach(event)
    {
        __atomic_store_n(&handle, (long)event, __ATOMIC_RELAXED);
        tell(&begun);
    }
    await(&done, 1);
#pragma omp taskwait
    value++; /* race */
    pthread_join(thread, 0);
    return value != 6;
}
