#include <stdio.h>
#include <stdlib.h>

static long fib(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(int count, char **words) {
    int n = count > 1 ? atoi(words[1]) : 24;
    long result = 0;
#pragma omp parallel
#pragma omp single
    result = fib(n);
    printf("fib(%d) = %ld\n", n, result);
    return 0;
}
