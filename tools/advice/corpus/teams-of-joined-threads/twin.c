/* The program with the cure applied: one thread for each team. */
#include <pthread.h>
#include <stdio.h>
#include "../work.h"

static double part[2];

static void *run(void *arg) {
    double sum = 0;
    for (int i = 0; i < 2000; i++) {
#pragma omp parallel for reduction(+ : sum) num_threads(1)
        for (int j = 0; j < 64; j++)
            sum += work(500);
    }
    *(double *)arg = sum;
    return NULL;
}

int main(void) {
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, run, &part[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    printf("%.3f\n", part[0] + part[1]);
    return 0;
}
