/* The program with the cure applied: no OMP_PROC_BIND. */
#include <pthread.h>
#include <stdio.h>
#include "../work.h"

static double part[2];

static void *run(void *arg) {
    double *own = arg;
#pragma omp parallel num_threads(1)
    for (int i = 0; i < 60; i++)
        *own += work(1500000);
    return NULL;
}

int main(void) {
#pragma omp parallel
    work(1);
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, run, &part[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    printf("%.3f\n", part[0] + part[1]);
    return 0;
}
