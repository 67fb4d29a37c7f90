/* taskwait: the creator reads what its task wrote on another thread. Twin: no taskwait. */
#include "apart.h"

static long value;

int main(void) {
    static int done;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            value = 5; /* race */
            tell(&done);
        }
        await(&done, 1);
#ifndef TWIN
#pragma omp taskwait
#endif
        value++; /* race */
    }
    return value != 6;
}
