/* Target constructs with dependences, but without `nowait`, are over when the next statement starts. Twin: nothing waits for the task
   after them. */
#include "../archer/apart.h"

static long value;

int main(void) {
    long x = 0, sum = 0;
#pragma omp target data map(tofrom : x)
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
        x = 1;
#pragma omp target map(tofrom : sum, x) depend(in : x)
        {
#pragma omp parallel num_threads(2)
            {
#pragma omp atomic
                sum += x;
            }
        }
        sum++;
#pragma omp task depend(inout : x) shared(x)
        x++;
#pragma omp target update to(x) depend(inout : x)
        sum += x;
#pragma omp task
        value = 5; /* race */
#ifndef TWIN
#pragma omp taskwait
#endif
        value++; /* race */
    }
    return value != 6 || sum != 5;
}
