/* A region's end waits for all tasks: after it the master reads what tasks wrote that nobody waited for. Twin: the master reads
   while it is still inside. */
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
    static int done;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            int i;
            for (i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
                {
                    element[i] = i; /* race */
                    tell(&done);
                }
            }
            await(&done, N);
            IF_TWIN(add());
        }
    }
    UNLESS_TWIN(add());
    return sum != N * (N - 1) / 2;
}
