/* Two tasks depend on `x`, but have different parents. */
#include <stdio.h>

int main(void) {
    int x = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(x)
        {
#pragma omp task shared(x) depend(inout : x)
            x += 1; /* HERE */
#pragma omp taskwait
        }
#pragma omp task shared(x)
        {
#pragma omp task shared(x) depend(inout : x)
            x += 2;
#pragma omp taskwait
        }
    }
    printf("%d\n", x);
    return 0;
}
