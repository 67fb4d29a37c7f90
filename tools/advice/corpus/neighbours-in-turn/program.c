/* schedule(static, 1) gives neighbouring elements to different threads. */
#include <stdio.h>

static volatile double cell[64];

int main(void) {
#pragma omp parallel
    for (int round = 0; round < 2000000; round++) {
#pragma omp for schedule(static, 1) nowait /* HERE */
        for (int i = 0; i < 64; i++)
            cell[i] += 1;
    }
    double sum = 0;
    for (int i = 0; i < 64; i++)
        sum += cell[i];
    printf("%.0f\n", sum);
    return 0;
}
