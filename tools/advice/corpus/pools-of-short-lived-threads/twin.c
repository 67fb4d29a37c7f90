/* The program with the cure applied: one thread a team, or one thread that starts regions. */
#include <stdio.h>
#include "../work.h"

static double part[12];

static void *run(void *arg) {
    double sum = 0;
    for (int i = 0; i < 640; i++) {
#pragma omp parallel for reduction(+ : sum) num_threads(2)
        for (int j = 0; j < 32; j++)
            sum += work(500);
    }
    *(double *)arg = sum;
    return NULL;
}

int main(void) {
    double sum = 0;
    for (int i = 0; i < 12; i++)
        run(&part[i]);
    for (int i = 0; i < 12; i++)
        sum += part[i];
    printf("%.3f\n", sum);
    return 0;
}
