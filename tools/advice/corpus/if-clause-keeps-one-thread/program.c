/* The if clause's limit is far above the number of iterations: all regions have one thread. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
    int pixels = 4096;
    for (int row = 0; row < 100; row++) {
#pragma omp parallel for reduction(+ : sum) if (pixels > 1000000) /* HERE */
        for (int i = 0; i < pixels; i++)
            sum += work(300);
    }
    printf("%.3f\n", sum);
    return 0;
}
