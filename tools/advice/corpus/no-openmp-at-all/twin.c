/* The program with the cure applied: A parallel loop. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += work(1000000);
    printf("%.3f\n", sum);
    return 0;
}
