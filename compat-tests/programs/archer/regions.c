/* Join and fork: what one thread wrote in a region, another reads in the next. Twin: both in one region. */
#include <omp.h>

#include "apart.h"

enum { N = 3 };

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
    }
#pragma omp parallel num_threads(N)
    {
        int me = omp_get_thread_num();
#endif
        seen[me] = element[(me + 1) % N]; /* race */
    }
    return seen[0] != 1;
}
