/* With copyprivate, single still synchronises nothing at its start, but everything at its end. Twin: no barrier before. */
#include <omp.h>

#include "apart.h"

enum { N = 3 };

static long element[N], after[N];

int main(void) {
    static int written;
    int wrong = 0, round;
    for (round = 0; round < 3; round++) {
        written = 0;
#pragma omp parallel num_threads(N) reduction(| : wrong)
        {
            int me = omp_get_thread_num(), k;
            long sum = 0;
            element[me] = me; /* race */
            tell(&written);
            await(&written, N);
#ifndef TWIN
#pragma omp barrier
#endif
#pragma omp single copyprivate(sum)
            for (k = 0; k < N; k++)
                sum += element[k]; /* race */
            element[me] = 0;
            after[me] = sum;
#pragma omp barrier
            wrong |= after[(me + 1) % N] != N * (N - 1) / 2;
        }
    }
    return wrong;
}
