/* Two processes, each with a team for all processors, as MPI ranks on one machine have it. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../work.h"

static double step(void) {
    double sum = 0;
    for (int i = 0; i < 1500; i++) {
#pragma omp parallel for reduction(+ : sum)
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
