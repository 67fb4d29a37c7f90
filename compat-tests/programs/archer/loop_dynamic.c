/* The barrier at the end of a dynamic loop, of which each thread gets one iteration. Twin: nowait. */
#include <omp.h>

#include "apart.h"

enum { N = 3 };

static long element[N], sum[N];

int main(void) {
    static int begun, left;
    int i;
#pragma omp parallel num_threads(N)
    {
        int me = omp_get_thread_num(), k;
#pragma omp for schedule(dynamic, 1) IF_TWIN(nowait)
        for (i = 0; i < N; i++) {
            tell(&begun);
            await(&begun, N);
            element[i] = i; /* race */
        }
        tell(&left);
        await(&left, N);
        for (k = 0; k < N; k++)
            sum[me] += element[k]; /* race */
    }
    return sum[0] != N * (N - 1) / 2;
}
