/* A detached task is done when its event is fulfilled: a taskwait for it also waits for what came before that, in a task that it
   doesn't wait for. Twin: the event is fulfilled first. */
#include <omp.h>

#include "apart.h"

static long value;

int main(void) {
    static int begun, done;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event)
        tell(&begun);
#pragma omp task firstprivate(event)
        {
#pragma omp task firstprivate(event)
            {
                IF_TWIN(omp_fulfill_event(event));
                value = 5; /* race */
                UNLESS_TWIN(omp_fulfill_event(event));
                tell(&done);
            }
        }
        await(&done, 1);
#pragma omp taskwait
        value++; /* race */
    }
    return value != 6;
}
