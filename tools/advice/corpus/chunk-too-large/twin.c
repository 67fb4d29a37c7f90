/* The program with the cure applied: A smaller chunk. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < 40; i++)
        sum += work(3000000);
    printf("%.3f\n", sum);
    return 0;
}
