/* The program with the cure applied: A barrier that all threads execute. */
#include <omp.h>
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        sum += work(1000);
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            sum += work(10);
    }
    printf("%.3f\n", sum);
    return 0;
}
