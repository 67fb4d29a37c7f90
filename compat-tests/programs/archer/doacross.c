/* natively: accused
   A loop whose iterations wait for the one before, which another thread has. Twin: they don't wait. */
#include <omp.h>

#include "../older_names.h"
#include "apart.h"

enum { N = 8 };

static long element[N + 1];

int main(void) {
    int i;
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
    for (i = 1; i <= N; i++) {
#ifndef TWIN
#pragma omp ordered depend(sink : i - 1)
#endif
        element[i] = element[i - 1] + 1; /* race */
#pragma omp ordered depend(source)
    }
    return element[N] != N;
}
