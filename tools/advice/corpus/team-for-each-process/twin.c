/* The program with the cure applied: OMP_NUM_THREADS=1 for each process: processors divided by processes. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../work.h"

static double step(void) {
    double sum = 0;
    for (int i = 0; i < 1500; i++) {
#pragma omp parallel for reduction(+ : sum) num_threads(1)
        for (int j = 0; j < 64; j++)
            sum += work(1000);
    }
    return sum;
}

int main(void) {
    for (int rank = 0; rank < 2; rank++)
        if (fork() == 0) {
            printf("%.3f\n", step());
            return 0;
        }
    while (wait(NULL) > 0)
        ;
    return 0;
}
