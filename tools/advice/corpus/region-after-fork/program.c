/* A process that has run a region forks, and its child runs one. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../work.h"

static double solve(void) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += work(1000);
    return sum;
}

int main(void) {
    printf("%.3f\n", solve());
    fflush(stdout);
    if (fork() == 0) {
        printf("%.3f\n", solve());
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    return 0;
}
