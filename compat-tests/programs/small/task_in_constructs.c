/* Tasks made in single, masked, sections, loops of each schedule, ordered and critical blocks, by all threads. */
#include <omp.h>
#include <stdio.h>

enum { N = 40 };

static long counts[10];

static void task(int kind, long value) {
#pragma omp task
#pragma omp atomic
    counts[kind] += value;
}

int main(void) {
    int i;
#pragma omp parallel private(i)
    {
#pragma omp single nowait
        for (i = 0; i < N; i++) task(0, i);
#pragma omp masked
        for (i = 0; i < N; i++) task(1, i);
#pragma omp sections nowait
        {
#pragma omp section
            task(2, 1);
#pragma omp section
            task(2, 10);
#pragma omp section
            task(2, 100);
        }
#pragma omp for schedule(dynamic, 3) nowait
        for (i = 0; i < N; i++) task(3, i);
#pragma omp for schedule(static)
        for (i = 0; i < N; i++) task(4, i);
#pragma omp for schedule(guided)
        for (i = 0; i < N; i++) {
            task(5, i);
#pragma omp taskwait
        }
#pragma omp for ordered schedule(dynamic)
        for (i = 0; i < N; i++)
#pragma omp ordered
            task(6, i);
#pragma omp critical
        task(7, 1);
#pragma omp taskyield
#pragma omp single
        {
            task(8, 1);
#pragma omp taskwait
            task(8, 10);
        }
    }
    counts[7] -= omp_get_max_threads();
    for (i = 0; i < 9; i++) printf("%ld ", counts[i]);
    printf("\n");
    return 0;
}
