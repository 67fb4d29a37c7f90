/* The first tenth of the iterations has nearly all of the work. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) /* HERE */
    for (int i = 0; i < 1000; i++)
        sum += work(i < 100 ? 1000000 : 10000);
    printf("%.3f\n", sum);
    return 0;
}
