/* A lock. Twin: none is taken. */
#include <omp.h>

#include "apart.h"

static long count;

int main(void) {
    omp_lock_t lock;
    int k;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2) private(k)
    for (k = 0; k < 10; k++) {
#ifndef TWIN
        omp_set_lock(&lock);
#endif
        count++; /* race */
#ifndef TWIN
        omp_unset_lock(&lock);
#endif
    }
    omp_destroy_lock(&lock);
    return count != 20;
}
