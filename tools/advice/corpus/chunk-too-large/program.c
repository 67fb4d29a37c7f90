/* The chunk is larger than the whole loop. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel for schedule(static, 1000) reduction(+ : sum) /* HERE */
    for (int i = 0; i < 40; i++)
        sum += work(3000000);
    printf("%.3f\n", sum);
    return 0;
}
