/* The program with the cure applied: share out the long section's own loop. */
#include <stdio.h>
#include "../work.h"

int main(void) {
    double first = 0, second = 0;
#pragma omp parallel for reduction(+ : first)
    for (int i = 0; i < 1000; i++)
        first += work(150000);
    for (int i = 0; i < 10; i++)
        second += work(150000);
    printf("%.3f %.3f\n", first, second);
    return 0;
}
