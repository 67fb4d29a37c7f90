/* natively: accused
   A loop whose iterations wait for the one three before, which another thread has. Twin: they wait for the one before. */
#include <omp.h>

#include "../older_names.h"
#include "apart.h"

enum { N = 12 };

static long element[N + 3];

int main(void) {
    int i;
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
    for (i = 3; i < N + 3; i++) {
#pragma omp ordered depend(sink : i - UNLESS_TWIN(3) IF_TWIN(2))
        element[i] = element[i - 3] + 1; /* race */
#pragma omp ordered depend(source)
    }
    return element[N + 2] != N / 3;
}
