/* The program with the cure applied: #pragma omp single. */
#include <omp.h>
#include <stdio.h>

static double cell[1000];

int main(void) {
    int threads = 0;
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < 1000; i++)
            cell[i] = i;
    }
    printf("%d %g\n", threads, cell[999]);
    return 0;
}
