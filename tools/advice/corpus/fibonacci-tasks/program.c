/* A task for each call of a recursion. */
#include <stdio.h>

static long fib(int n) {
    if (n < 2)
        return n;
    long one, other;
#pragma omp task shared(one) /* HERE */
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
