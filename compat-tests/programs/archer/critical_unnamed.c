/* The critical section without a name. Twin: none. */
#include <omp.h>

#include "apart.h"

static long count;

int main(void) {
    static int done;
#pragma omp parallel num_threads(2)
    {
        await(&done, omp_get_thread_num());
#ifndef TWIN
#pragma omp critical
#endif
        count++; /* race */
        tell(&done);
    }
    return count != 2;
}
