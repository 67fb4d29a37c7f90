/* Constructs in functions that are independent of their region: called outside, in regions, in tasks, in nested regions. */
#include "../queries.h"

static long counts[6];

__attribute__((noinline)) static void constructs(void) {
    int i;
#pragma omp for schedule(dynamic)
    for (i = 0; i < 12; i++)
#pragma omp atomic
        counts[0] += i;
#pragma omp single
    counts[1] += 1;
#pragma omp sections
    {
#pragma omp section
#pragma omp atomic
        counts[2] += 1;
#pragma omp section
#pragma omp atomic
        counts[2] += 1;
    }
#pragma omp barrier
#pragma omp masked
    counts[3] += 1;
#pragma omp critical(orphan)
    counts[4] += 1;
#pragma omp for ordered
    for (i = 0; i < 5; i++)
#pragma omp ordered
        counts[5] = (counts[5] * 3 + i) % 1009;
}

int main(void) {
    int i;
    constructs();
#pragma omp parallel
    constructs();
#pragma omp parallel num_threads(1)
    constructs();
#pragma omp parallel
#pragma omp single
#pragma omp parallel num_threads(2)
    constructs();
    counts[4] -= omp_get_max_threads();
    for (i = 0; i < 6; i++) printf("%ld ", counts[i]);
    printf("\n");
    say_queries("end");
    return 0;
}
