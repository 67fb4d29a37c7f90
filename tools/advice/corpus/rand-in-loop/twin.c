/* The program with the cure applied: rand_r with a seed for each thread. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long inside = 0;
#pragma omp parallel reduction(+ : inside)
    {
    unsigned seed = 1 + 77 * omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < 12000000; i++) {
        double x = rand_r(&seed) / (double)RAND_MAX;
        double y = rand_r(&seed) / (double)RAND_MAX;
        inside += x * x + y * y < 1;
    }
    }
    printf("%s\n", inside > 9400000 && inside < 9450000 ? "right" : "wrong");
    return 0;
}
