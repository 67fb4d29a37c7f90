/* The program asks for a fixed number of threads, more than there are processors. */
#include <omp.h>
#include <stdio.h>
#include "../work.h"

int main(void) {
    double sum = 0;
    omp_set_num_threads(16);
    for (int i = 0; i < 1500; i++) {
#pragma omp parallel for reduction(+ : sum)
        for (int j = 0; j < 256; j++)
            sum += work(500);
    }
    printf("%.3f\n", sum);
    return 0;
}
