/* Explicit barrier: each thread writes its element, then reads its neighbour's. Twin: no barrier. */
#include <omp.h>

#include "apart.h"

enum { N = 4 };

static long element[N], seen[N];

int main(void) {
    static int written;
#pragma omp parallel num_threads(N)
    {
        int me = omp_get_thread_num();
        element[me] = me; /* race */
        tell(&written);
        await(&written, N);
#ifndef TWIN
#pragma omp barrier
#endif
        seen[me] = element[(me + 1) % N]; /* race */
    }
    return seen[0] != 1;
}
