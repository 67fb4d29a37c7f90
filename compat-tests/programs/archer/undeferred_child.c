/* A task that an undeferred one creates is deferred: the creator's taskwait doesn't wait for it, a taskgroup does. Twin: no
   taskgroup. */
#include "apart.h"

static long value;

int main(void) {
    static int done;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#ifndef TWIN
#pragma omp taskgroup
#endif
        {
#pragma omp task if (0)
            {
#pragma omp task
                {
                    value = 5; /* race */
                    tell(&done);
                }
            }
            await(&done, 1);
#pragma omp taskwait
        }
        value++; /* race */
    }
    return value != 6;
}
