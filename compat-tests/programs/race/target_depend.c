/* A target region on the host waits for the task that it depends on, although nothing waits for the region. Twin: it doesn't depend. */
#include "../archer/apart.h"

static long value;

int main(void) {
    long x = 0;
    (void)x;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : x)
        value = 5; /* race */
#pragma omp target nowait map(tofrom : value) UNLESS_TWIN(depend(inout : x))
        value++; /* race */
#pragma omp task depend(in : x)
        value *= 2; /* race */
#pragma omp taskwait
    }
    return value != 12;
}
