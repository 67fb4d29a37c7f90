/* All threads store the size of the team. */
#include <omp.h>
#include <stdio.h>

static double cell[1000];

int main(void) {
    int threads = 0;
#pragma omp parallel
    {
        threads = omp_get_num_threads(); /* HERE */
#pragma omp for
        for (int i = 0; i < 1000; i++)
            cell[i] = i;
    }
    printf("%d %g\n", threads, cell[999]);
    return 0;
}
