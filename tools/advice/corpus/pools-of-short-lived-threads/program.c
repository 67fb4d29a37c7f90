/* Twelve threads of the program's own, each with a pool of OpenMP threads that ends with it. */
#include <pthread.h>
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
    pthread_t thread[12];
    double sum = 0;
    for (int i = 0; i < 12; i++)
        pthread_create(&thread[i], NULL, run, &part[i]);
    for (int i = 0; i < 12; i++)
        pthread_join(thread[i], NULL), sum += part[i];
    printf("%.3f\n", sum);
    return 0;
}
