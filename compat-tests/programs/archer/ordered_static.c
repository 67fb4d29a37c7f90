/* An ordered region in a static loop, which gcc leaves to libgomp. Twin: none. */
#include <omp.h>

#include "apart.h"

static long value;

int main(void) {
    static int done;
    int i;
#pragma omp parallel for ordered schedule(static, 1) num_threads(3)
    for (i = 0; i < 8; i++) {
#ifndef TWIN
#pragma omp ordered
#endif
        value = value * 3 + i; /* race */
        tell(&done);
    }
    return value != 1636;
}
