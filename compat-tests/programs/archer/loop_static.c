/* The barrier at the end of a static loop, which gcc divides itself. Twin: nowait. */
#include <omp.h>

#include "apart.h"

enum { N = 4 };

static long element[N], seen[N];

int main(void) {
    static int written;
    int i;
#pragma omp parallel num_threads(N)
    {
        int me = omp_get_thread_num();
#pragma omp for schedule(static) IF_TWIN(nowait)
        for (i = 0; i < N; i++)
            element[i] = i; /* race */
        tell(&written);
        await(&written, N);
        seen[me] = element[N - 1 - me]; /* race */
    }
    return seen[0] != N - 1;
}
