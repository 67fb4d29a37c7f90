/* An image of a container sets OMP_THREAD_LIMIT=1. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
    for (int row = 0; row < 100; row++) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 4096; i++)
            sum += work(300);
    }
    printf("%.3f\n", sum);
    return 0;
}
