/* The affinity clause, allocators on tasks, shared arrays of local variables, and loops over private ones. */
#include <omp.h>
#include <stdio.h>

enum { N = 32 };

int main(void) {
    long values[N] = {0}, sum = 0;
    int i;
#pragma omp parallel
#pragma omp single
    {
        for (i = 0; i < N; i++) {
#pragma omp task affinity(values[i]) firstprivate(i) allocate(omp_default_mem_alloc : i)
            values[i] = i;
#pragma omp task affinity(values[0 : N]) private(i) shared(sum) default(none)
            {
                i = 1;
#pragma omp atomic
                sum += i;
            }
        }
#pragma omp taskwait
#pragma omp taskloop allocate(omp_default_mem_alloc : sum) reduction(+ : sum) default(none) shared(values)
        for (i = 0; i < N; i++) sum += values[i];
    }
    printf("%ld\n", sum);
    return 0;
}
