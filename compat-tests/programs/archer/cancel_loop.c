/* with: OMP_CANCELLATION=true
   A cancelled loop: what its iterations wrote is read after its barrier. Twin: read by a thread before it comes to the barrier. */
#include <omp.h>

#include "apart.h"

enum { N = 2 };

static long element[N], sum[N];

static void add(void) { sum[omp_get_thread_num()] = element[0] + element[1]; /* race */ }

int main(void) {
    static int begun, written;
    int i;
#pragma omp parallel num_threads(N)
    {
#pragma omp for schedule(dynamic, 1)
        for (i = 0; i < 100; i++) {
            tell(&begun);
            await(&begun, N);
            element[omp_get_thread_num()] = 1; /* race */
            tell(&written);
            await(&written, N);
            IF_TWIN(add());
#pragma omp cancel for
        }
        UNLESS_TWIN(add());
    }
    return sum[0] + sum[1] != 4;
}
