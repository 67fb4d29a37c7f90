/* Four threads for two processors, with many barriers. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    for (int i = 0; i < 3000; i++) {
#pragma omp for nowait
        for (int j = 0; j < 64; j++)
            sum += work(500);
#pragma omp barrier
    }
    printf("%.3f\n", sum);
    return 0;
}
