/* Each thread adds to its own element of a shared array, and all elements are in one cache line. */
#include <omp.h>
#include <stdio.h>

static volatile double tally[8];

int main(void) {
#pragma omp parallel
    {
        int self = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < 60000000; i++)
            tally[self] += 1; /* HERE */
    }
    double sum = 0;
    for (int i = 0; i < 8; i++)
        sum += tally[i];
    printf("%.0f\n", sum);
    return 0;
}
