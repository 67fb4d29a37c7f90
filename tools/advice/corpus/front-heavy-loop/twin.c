/* The program with the cure applied: schedule(dynamic). */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 4)
    for (int i = 0; i < 1000; i++)
        sum += work(i < 100 ? 1000000 : 10000);
    printf("%.3f\n", sum);
    return 0;
}
