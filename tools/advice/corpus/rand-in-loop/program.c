/* Monte Carlo with the C library's rand(), whose state has a lock. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long inside = 0;
#pragma omp parallel for reduction(+ : inside)
    for (int i = 0; i < 12000000; i++) {
        double x = rand() / (double)RAND_MAX; /* HERE */
        double y = rand() / (double)RAND_MAX;
        inside += x * x + y * y < 1;
    }
    printf("%s\n", inside > 9400000 && inside < 9450000 ? "right" : "wrong");
    return 0;
}
