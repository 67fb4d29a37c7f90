/* The program with the cure applied: allow it as many processors as threads, or ask for fewer threads. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
    for (int i = 0; i < 3000; i++) {
#pragma omp parallel for reduction(+ : sum)
        for (int j = 0; j < 128; j++)
            sum += work(500);
    }
    printf("%.3f\n", sum);
    return 0;
}
