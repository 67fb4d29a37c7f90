/* The program with the cure applied: one region around the loop over samples. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int sample = 0; sample < 100000; sample++) {
        for (int satellite = 0; satellite < 12; satellite++)
            sum += work(30);
    }
    printf("%.3f\n", sum);
    return 0;
}
