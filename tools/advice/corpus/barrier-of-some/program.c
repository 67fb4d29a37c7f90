/* A barrier in a condition that only one thread fulfils. */
#include <omp.h>
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        sum += work(1000);
        if (omp_get_thread_num() == 0) {
#pragma omp barrier /* HERE */
            sum += work(10);
        }
    }
    printf("%.3f\n", sum);
    return 0;
}
