/* Untied tasks that yield, wait and create others; taskyield in every kind of place. */
#include <omp.h>
#include <stdio.h>

static long count;

static void spread(int depth) {
    int i;
#pragma omp taskyield
    for (i = 0; i < 3 && depth > 0; i++) {
#pragma omp task untied firstprivate(depth)
        {
#pragma omp taskyield
            spread(depth - 1);
#pragma omp taskyield
        }
    }
#pragma omp taskwait
#pragma omp taskyield
#pragma omp atomic
    count += 1;
}

int main(void) {
#pragma omp taskyield
    spread(2);
#pragma omp parallel
    {
#pragma omp taskyield
#pragma omp single
        spread(5);
#pragma omp taskyield
#pragma omp barrier
#pragma omp critical
        {
#pragma omp taskyield
            count += 0;
        }
    }
    printf("%ld\n", count);
    return 0;
}
