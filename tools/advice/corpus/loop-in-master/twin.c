/* The program with the cure applied: let all threads come to the loop. */
#include <stdio.h>

static double cell[1000];

static void fill(double by) {
#pragma omp for
    for (int i = 0; i < 1000; i++)
        cell[i] = by * i;
}

int main(void) {
#pragma omp parallel
    {
        fill(2);
    }
    printf("%g\n", cell[999]);
    return 0;
}
