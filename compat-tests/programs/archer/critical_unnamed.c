/* The critical section without a name. Twin: none. */
#include <omp.h>

#include "apart.h"

static long count;

int main(void) {
    static int begun;
    int k;
#pragma omp parallel num_threads(2) private(k)
    {
        tell(&begun);
        await(&begun, 2);
        for (k = 0; k < 10; k++) {
#ifndef TWIN
#pragma omp critical
#endif
            count++; /* race */
        }
    }
    return count != 20;
}
