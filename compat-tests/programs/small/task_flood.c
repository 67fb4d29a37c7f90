/* More tasks than the runtime defers (64 times the threads), of one thread and of all, also nested. */
#include <omp.h>
#include <stdio.h>

enum { N = 5000 };

static long count, weighed;

int main(void) {
    int i;
#pragma omp parallel
    {
#pragma omp single
        for (i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
            {
#pragma omp atomic
                count += 1;
#pragma omp atomic
                weighed += i;
            }
        }
        int k;
        for (k = 0; k < N / 10; k++) {
#pragma omp task
            {
#pragma omp task
#pragma omp atomic
                count += 1;
            }
        }
    }
    count -= (long)(N / 10) * omp_get_max_threads();
    printf("%ld %ld\n", count, weighed);
    return 0;
}
