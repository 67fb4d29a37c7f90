/* Units of different size under a dynamic schedule, the largest one at the end. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum) /* HERE */
    for (int i = 0; i < 40; i++)
        sum += work(i == 39 ? 90000000 : 3000000);
    printf("%.3f\n", sum);
    return 0;
}
