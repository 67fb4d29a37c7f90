/* The program with the cure applied: another condition. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
    int pixels = 4096;
    for (int row = 0; row < 100; row++) {
#pragma omp parallel for reduction(+ : sum) if (pixels > 1000)
        for (int i = 0; i < pixels; i++)
            sum += work(300);
    }
    printf("%.3f\n", sum);
    return 0;
}
