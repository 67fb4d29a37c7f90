/* The tasks of the textbook: two for each number, tied and untied, with and without a cut-off. */
#include <omp.h>
#include <stdio.h>

static long tied(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = tied(n - 1);
#pragma omp task shared(b)
    b = tied(n - 2);
#pragma omp taskwait
    return a + b;
}

static long untied(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a) untied if (n > 6)
    a = untied(n - 1);
#pragma omp task shared(b) untied final(n < 5) mergeable
    b = untied(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void) {
    long a = 0, b = 0;
#pragma omp parallel
    {
#pragma omp single nowait
        a = tied(17);
#pragma omp single
        b = untied(19);
    }
    printf("%ld %ld %ld\n", a, b, tied(9));
    return 0;
}
