#include <stdio.h>

static double cell[1000];

int main(void) {
    double sum = 0, half;
#pragma omp parallel for
    for (int i = 0; i < 1000; i++) {
        half = i / 2;
        cell[i] = half * half;
        sum += cell[i];
    }
    printf("%g\n", sum);
    return 0;
}
