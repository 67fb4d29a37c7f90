/* Fibonacci as in the paper on OpenUH's task extension (figure 1a). How it ends: `fib N [kill]`. */
#include <signal.h>
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

int main(int argc, char **argv) {
    long result = 0;
    int n = atoi(argv[1]);
#pragma omp parallel num_threads(2)
#pragma omp single
    result = fib(n);
    printf("%ld\n", result);
    fflush(stdout);
    if (argc > 2) raise(SIGKILL);
    return 7;
}
