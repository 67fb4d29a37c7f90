/* single doesn't synchronise at its start: reading other threads' data needs a barrier before it. Twin: no barrier. */
#include <omp.h>

#include "apart.h"

enum { N = 3 };

static long element[N], sum;

int main(void) {
    static int written;
#pragma omp parallel num_threads(N)
    {
        int me = omp_get_thread_num(), k;
        element[me] = me; /* race */
        tell(&written);
        await(&written, N);
#ifndef TWIN
#pragma omp barrier
#endif
#pragma omp single
        for (k = 0; k < N; k++)
            sum += element[k]; /* race */
    }
    return sum != N * (N - 1) / 2;
}
