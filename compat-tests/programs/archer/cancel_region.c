/* with: OMP_CANCELLATION=true
   A cancelled region: some threads leave it from a barrier that the others never come to. What they wrote is read after the
   region. Twin: read inside by the thread that cancels. */
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
    int round;
    for (round = 0; round < 3; round++) {
        written = 0;
#pragma omp parallel num_threads(N)
        {
            int me = omp_get_thread_num();
            element[me] = 1; /* race */
            tell(&written);
            if (me == 0) {
                await(&written, N);
                IF_TWIN(add());
#pragma omp cancel parallel
            }
#pragma omp barrier
            element[me] = 2;
        }
        UNLESS_TWIN(add());
    }
    return sum != 3 * N;
}
