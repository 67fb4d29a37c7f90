/* taskgroup waits for what was created inside of it, not for an older task. Twin: the older task is not waited for. */
#include "apart.h"

static long older, younger, sum;

int main(void) {
    static int done, go;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            older = 1; /* race */
            tell(&done);
            /* Ensures that this thread doesn't execute the younger task. */
            await(&go, 1);
        }
        await(&done, 1);
#pragma omp taskgroup
        {
#pragma omp task
            younger = 2;
        }
        tell(&go);
#ifndef TWIN
#pragma omp taskwait
#endif
        sum = older + younger; /* race */
    }
    return sum != 3;
}
