/* Each of many samples has a parallel loop of its own, over a dozen satellites. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
    for (int sample = 0; sample < 100000; sample++) {
#pragma omp parallel for reduction(+ : sum) /* HERE */
        for (int satellite = 0; satellite < 12; satellite++)
            sum += work(30);
    }
    printf("%.3f\n", sum);
    return 0;
}
