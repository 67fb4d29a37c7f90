/* The program with the cure applied: A cut-off. */
#include <stdio.h>

static long fib(int n) {
    if (n < 12)
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    long one, other;
#pragma omp task shared(one)
    one = fib(n - 1);
#pragma omp task shared(other)
    other = fib(n - 2);
#pragma omp taskwait
    return one + other;
}

int main(void) {
    long result = 0;
#pragma omp parallel
#pragma omp single
    result = fib(27);
    printf("%ld\n", result);
    return 0;
}
