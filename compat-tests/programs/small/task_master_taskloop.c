/* parallel master taskloop and its relatives, also simd, masked and with reductions. */
#include <omp.h>
#include <stdio.h>
#include "../older_names.h"

enum { N = 200 };

int main(void) {
    long sum = 0, masked = 0, simd = 0, plain = 0, last = 0;
    int i, values[N] = {0};
#pragma omp parallel master taskloop reduction(+ : sum) grainsize(10)
    for (i = 0; i < N; i++) sum += i;
#pragma omp parallel master taskloop simd reduction(+ : simd) lastprivate(last)
    for (i = 0; i < N; i++) {
        simd += i * 2;
        last = i;
    }
#pragma omp parallel masked taskloop num_tasks(7) reduction(+ : masked)
    for (i = 0; i < N; i++) masked += 1;
#pragma omp parallel masked taskloop simd collapse(2)
    for (i = 0; i < 10; i++)
        for (int j = 0; j < 20; j++) values[i * 20 + j] = i * j;
#pragma omp parallel
    {
#pragma omp masked taskloop
        for (int k = 0; k < N; k++) {
#pragma omp atomic
            plain += values[k];
        }
#pragma omp barrier
#pragma omp master taskloop simd nogroup
        for (int k = 0; k < N; k++) values[k] = 1;
    }
    for (i = 0; i < N; i++) plain += values[i];
    printf("%ld %ld %ld %ld %ld\n", sum, simd, last, masked, plain);
    return 0;
}
