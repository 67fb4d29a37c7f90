/* A parallel loop whose elements the master reads once the region has ended. Twin: the master reads as soon as the values are
   there, before the region ends. */
#include <omp.h>

#include "apart.h"

enum { N = 3 };

static long element[N], sum;

static void add(void) {
    int k;
    for (k = 0; k < N; k++)
        sum += element[k]; /* race */
}

int main(void) {
    static int begun, left;
    int i;
#pragma omp parallel for schedule(dynamic, 1) num_threads(N)
    for (i = 0; i < N; i++) {
        tell(&begun);
        await(&begun, N);
        element[i] = i; /* race */
        tell(&left);
        await(&left, N);
#ifdef TWIN
        if (omp_get_thread_num() == 0)
            add();
#endif
    }
#ifndef TWIN
    add();
#endif
    return sum != N * (N - 1) / 2;
}
