/* taskgroup waits for children and for theirs. Twin: none, only a taskwait. */
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
#pragma omp task
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
