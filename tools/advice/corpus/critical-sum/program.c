/* A sum of forces is updated in a critical section in each iteration. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double force = 0;
#pragma omp parallel for
    for (int i = 0; i < 4000000; i++) {
        double own = work(20);
#pragma omp critical /* HERE */
        force += own;
    }
    printf("%.3f\n", force);
    return 0;
}
