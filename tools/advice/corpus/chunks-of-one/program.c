/* A dynamic schedule hands out tiny iterations one by one. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum) /* HERE */
    for (int i = 0; i < 20000000; i++)
        sum += work(4);
    printf("%.3f\n", sum);
    return 0;
}
