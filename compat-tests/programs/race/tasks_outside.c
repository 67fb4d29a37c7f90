/* Tasks outside of parallel regions are executed at once by the thread that creates them; two threads of the program's own, one
   after the other. Twin: nobody waits for the first one. */
#include <pthread.h>

#include "../archer/apart.h"

static long value;
static int done;

static void *creates(void *unused) {
#pragma omp task
    value++; /* race */
#pragma omp task depend(out : value)
    value++; /* race */
    tell(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, creates, 0);
#ifndef TWIN
    pthread_join(thread, 0);
#endif
    await(&done, 1);
    creates(0);
#ifdef TWIN
    pthread_join(thread, 0);
#endif
    return value != 4;
}
