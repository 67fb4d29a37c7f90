/* Two threads of the program itself, each with its own teams, enter a critical section. Twin: they don't. */
#include <omp.h>
#include <pthread.h>

#include "apart.h"

static long count;

static void *work(void *begun) {
    tell(begun);
    await(begun, 2);
#pragma omp parallel num_threads(2)
    {
#ifndef TWIN
#pragma omp critical
#endif
        count++; /* race */
    }
    return NULL;
}

int main(void) {
    static int begun, ready;
    pthread_t one, two;
#pragma omp parallel num_threads(2)
    tell(&ready);
    pthread_create(&one, NULL, work, &begun);
    pthread_create(&two, NULL, work, &begun);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return count != 4;
}
