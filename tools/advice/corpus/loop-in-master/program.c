/* A function with an orphaned worksharing loop is called by the master thread alone. */
#include <stdio.h>

static double cell[1000];

static void fill(double by) {
#pragma omp for /* HERE */
    for (int i = 0; i < 1000; i++)
        cell[i] = by * i;
}

int main(void) {
#pragma omp parallel
    {
#pragma omp master
        fill(2);
    }
    printf("%g\n", cell[999]);
    return 0;
}
