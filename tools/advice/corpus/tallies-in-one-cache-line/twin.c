/* The program with the cure applied: pad or privatise the tallies. */
#include <omp.h>
#include <stdio.h>

static volatile double tally[8 * 16];

int main(void) {
#pragma omp parallel
    {
        int self = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < 60000000; i++)
            tally[16 * self] += 1;
    }
    double sum = 0;
    for (int i = 0; i < 8; i++)
        sum += tally[16 * i];
    printf("%.0f\n", sum);
    return 0;
}
