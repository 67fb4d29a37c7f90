/* A target region with `nowait` executes after the call: what it depends on waits for its creator. Twin: nothing waits for the
   region. */
#include "../archer/apart.h"

static long value;

int main(void) {
    int told = 0;
    long x = 0;
    (void)x;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : x) shared(told)
        await(&told, 1);
#pragma omp target nowait map(tofrom : value) depend(in : x)
        value = 5; /* race */
        tell(&told);
#ifndef TWIN
#pragma omp taskwait
#endif
        value++; /* race */
    }
    return value != 6;
}
