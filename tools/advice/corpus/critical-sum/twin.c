/* The program with the cure applied: reduction(+:force). */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double force = 0;
#pragma omp parallel for reduction(+ : force)
    for (int i = 0; i < 4000000; i++) {
        double own = work(20);
        force += own;
    }
    printf("%.3f\n", force);
    return 0;
}
