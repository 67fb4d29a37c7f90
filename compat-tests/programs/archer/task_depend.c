/* in after out: the second task runs on another thread, long after the first. Twin: it has no dependence. */
#include "apart.h"

static long value, seen;

int main(void) {
    static int begun, done;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : value)
        {
            value = 5; /* race */
            tell(&begun);
        }
        await(&begun, 1);
        /* Occupies the other thread, which has completed the first task when it arrives here. */
#pragma omp task
        {
            tell(&begun);
            await(&done, 1);
        }
        await(&begun, 2);
#pragma omp task UNLESS_TWIN(depend(in : value))
        {
            seen = value; /* race */
            tell(&done);
        }
#pragma omp taskwait
    }
    return seen != 5;
}
