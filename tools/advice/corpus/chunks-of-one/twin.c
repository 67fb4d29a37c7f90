/* The program with the cure applied: schedule(dynamic, 1000). */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel for schedule(dynamic, 1000) reduction(+ : sum)
    for (int i = 0; i < 20000000; i++)
        sum += work(4);
    printf("%.3f\n", sum);
    return 0;
}
