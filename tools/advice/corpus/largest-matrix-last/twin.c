/* The program with the cure applied: large units first, or split them. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 40; i++)
        sum += work(i == 0 ? 90000000 : 3000000);
    printf("%.3f\n", sum);
    return 0;
}
