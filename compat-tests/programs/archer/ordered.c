/* An ordered region in a dynamic loop. Twin: none. */
#include <omp.h>

#include "apart.h"

static long value;

int main(void) {
    static int begun;
    int i;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(2)
    for (i = 0; i < 8; i++) {
        tell(&begun);
        /* The first two iterations are those of two threads. */
        await(&begun, 2);
#ifndef TWIN
#pragma omp ordered
#endif
        value = value * 3 + i; /* race */
    }
    return value != 1636;
}
