/* Join alone: each thread writes its element, the master reads all after the region. Twin: the master reads inside. */
#include <omp.h>

#include "apart.h"

enum { N = 3 };

static long element[N], sum;

static void add(void) {
    int k;
    for (k = 0; k < N; k++)
        sum += element[k]; /* race */
}

int main(void) {
    static int written;
#pragma omp parallel num_threads(N)
    {
        int me = omp_get_thread_num();
        element[me] = me; /* race */
        tell(&written);
        await(&written, N);
        IF_TWIN(if (me == 0) add());
    }
    UNLESS_TWIN(add());
    return sum != N * (N - 1) / 2;
}
