/* Regions of one thread inside of others bring no order between teams. Twin: the barrier after them is missing. */
#include <omp.h>

#include "apart.h"

static long element[2], seen[2];

int main(void) {
    static int written;
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
#pragma omp parallel num_threads(1)
        {
            element[me] = me; /* race */
#pragma omp barrier
            element[me]++; /* race */
        }
        tell(&written);
        await(&written, 2);
#ifndef TWIN
#pragma omp barrier
#endif
        seen[me] = element[1 - me]; /* race */
    }
    return seen[0] != 2;
}
