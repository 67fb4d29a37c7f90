/* So many regions that any remains of each would add up to too much. Twin: the last has no barrier. */
#include <omp.h>

#include "apart.h"

enum { REGIONS = 70000 };

static long element[2], seen[2];

int main(void) {
    static int written;
    int k;
    for (k = 0; k < REGIONS; k++) {
#pragma omp parallel num_threads(2)
        element[omp_get_thread_num()]++;
    }
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        element[me]++; /* race */
        tell(&written);
        await(&written, 2);
#ifndef TWIN
#pragma omp barrier
#endif
        seen[me] = element[1 - me]; /* race */
    }
    return seen[0] != REGIONS + 1;
}
