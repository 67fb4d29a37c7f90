/* Ordered loops of every schedule; the order shows in the output. */
#include <limits.h>
#include <stdio.h>

enum { N = 30 };

static void show(const char *what, const int *log) {
    int i;
    printf("%s:", what);
    for (i = 0; i < N; i++) printf(" %d", log[i]);
    printf("\n");
}

/* Not a constant: gcc would turn the loop into a signed one. */
static volatile unsigned long long highest = ULLONG_MAX;

int main(void) {
    int log[6][N], next[6] = {0}, i;
    const unsigned long long end = highest;
    unsigned long long u;
#pragma omp parallel /* expect: FORK 1, IBAR T, IDLE T-1 */
    { /* expect: ORDERED 6*30, ODWT 0..6*30*(T-1) */
#pragma omp for ordered schedule(static, 1) /* expect: IBAR T */
        for (i = 0; i < N; i++)
#pragma omp ordered
            log[0][next[0]++] = i;
#pragma omp for ordered /* expect: IBAR T */
        for (i = 0; i < N; i++)
#pragma omp ordered
            log[1][next[1]++] = i;
#pragma omp for ordered schedule(dynamic) /* expect: IBAR T */
        for (i = N - 1; i >= 0; i--)
#pragma omp ordered
            log[2][next[2]++] = i;
#pragma omp for ordered schedule(guided) /* expect: IBAR T */
        for (i = 0; i < N; i++)
#pragma omp ordered
            log[3][next[3]++] = i;
#pragma omp for ordered schedule(runtime) /* expect: IBAR T */
        for (i = 0; i < N; i++)
#pragma omp ordered
            log[4][next[4]++] = i;
#pragma omp for ordered schedule(dynamic, 2) /* expect: IBAR T */
        for (u = end - N; u < end; u++)
#pragma omp ordered
            log[5][next[5]++] = (int)(u - end + N);
    }
    show("static, 1", log[0]);
    show("static", log[1]);
    show("dynamic", log[2]);
    show("guided", log[3]);
    show("runtime", log[4]);
    show("unsigned dynamic, 2", log[5]);
    next[0] = 0;
#pragma omp parallel for ordered schedule(dynamic) /* expect: FORK 1, IBAR T, IDLE T-1, ORDERED 15, ODWT 0..30*(T-1) */
    for (i = 0; i < N; i++) {
        if (i % 2) continue; /* every other iteration has no ordered region */
#pragma omp ordered
        log[0][next[0]++] = i;
    }
    printf("half of them: %d\n", next[0]);
    return 0;
}
