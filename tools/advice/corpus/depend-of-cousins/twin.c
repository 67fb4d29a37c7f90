/* The program with the cure applied: the parents depend on each other as well. */
#include <stdio.h>

int main(void) {
    int x = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(x) depend(inout : x)
        {
#pragma omp task shared(x) depend(inout : x)
            x += 1;
#pragma omp taskwait
        }
#pragma omp task shared(x) depend(inout : x)
        {
#pragma omp task shared(x) depend(inout : x)
            x += 2;
#pragma omp taskwait
        }
    }
    printf("%d\n", x);
    return 0;
}
