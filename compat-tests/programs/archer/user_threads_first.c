/* natively: unsteady
   Two threads of the program's own use the runtime first, at the same time: one of them meets a tool that is only just being
   started. (LLVM's runtime may crash.) Twin: their critical section is missing. */
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
    static int begun;
    pthread_t one, two;
    pthread_create(&one, NULL, work, &begun);
    pthread_create(&two, NULL, work, &begun);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return count != 4;
}
