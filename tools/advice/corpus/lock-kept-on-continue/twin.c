/* The program with the cure applied: omp_unset_lock on all paths. */
#include <omp.h>
#include <stdio.h>
#include "../work.h"

static omp_lock_t node[8];

int main(void) {
    double sum = 0;
    for (int i = 0; i < 8; i++)
        omp_init_lock(&node[i]);
#pragma omp parallel for schedule(static, 1) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) {
        omp_set_lock(&node[i % 8]);
        if (i != 500)
            sum += work(100);
        omp_unset_lock(&node[i % 8]);
    }
    printf("%.3f\n", sum);
    return 0;
}
