/* Loops inside one region. gcc ends a static loop with the call that is also an explicit barrier. */
#include <limits.h>
#include <stdio.h>

enum { N = 120 };

static long sum, other;
static unsigned long long wide;

static void signed_loops(void) {
    long i;
#pragma omp for reduction(+ : sum) /* expect: EBAR T */
    for (i = 0; i < N; i++) sum += i;
#pragma omp for schedule(static, 4) reduction(+ : sum) /* expect: EBAR T */
    for (i = 0; i < N; i++) sum += i;
#pragma omp for schedule(auto) reduction(+ : sum) /* expect: EBAR T */
    for (i = 0; i < N; i++) sum += i;
#pragma omp for schedule(dynamic) reduction(+ : sum) /* expect: IBAR T */
    for (i = 0; i < N; i++) sum += i;
#pragma omp for schedule(monotonic : dynamic, 3) reduction(+ : sum) /* expect: IBAR T */
    for (i = N - 1; i >= 0; i -= 3) sum += i;
#pragma omp for schedule(guided) reduction(+ : sum) /* expect: IBAR T */
    for (i = 0; i < N; i++) sum += i;
#pragma omp for schedule(monotonic : guided, 2) reduction(+ : sum) /* expect: IBAR T */
    for (i = 0; i < N; i++) sum += i;
#pragma omp for schedule(runtime) reduction(+ : sum) /* expect: IBAR T */
    for (i = 0; i < N; i++) sum += i;
#pragma omp for schedule(monotonic : runtime) reduction(+ : sum) /* expect: IBAR T */
    for (i = 0; i < N; i++) sum += i;
#pragma omp for schedule(nonmonotonic : runtime) reduction(+ : sum) /* expect: IBAR T */
    for (i = 0; i < N; i++) sum += i;
#pragma omp for schedule(dynamic) reduction(+ : sum, other) /* expect: IBAR T, ATWT 0..T-1 */
    for (i = 0; i < N; i++) sum += i, other += 1;
#pragma omp for schedule(dynamic) nowait
    for (i = 0; i < N; i++)
#pragma omp atomic
        sum += i;
#pragma omp for schedule(guided) nowait
    for (i = 0; i < N; i++)
#pragma omp atomic
        sum += i;
#pragma omp for schedule(static) nowait
    for (i = 0; i < N; i++)
#pragma omp atomic
        sum += i;
#pragma omp for schedule(dynamic) /* expect: IBAR T (a loop without iterations ends like any other) */
    for (i = 0; i < sum - sum; i++) other += 1;
}

/* Not constants: gcc would turn the loops into signed ones. */
static volatile unsigned long long highest = ULLONG_MAX;

static void unsigned_loops(void) {
    const unsigned long long end = highest, start = end - N;
    unsigned long long u;
#pragma omp for schedule(static, 2) reduction(+ : wide) /* expect: EBAR T */
    for (u = start; u < end; u++) wide += u & 0xff;
#pragma omp for schedule(dynamic, 2) reduction(+ : wide) /* expect: IBAR T */
    for (u = start; u < end; u++) wide += u & 0xff;
#pragma omp for schedule(monotonic : dynamic) reduction(+ : wide) /* expect: IBAR T */
    for (u = end; u > start; u--) wide += u & 0xff;
#pragma omp for schedule(guided) reduction(+ : wide) /* expect: IBAR T */
    for (u = start; u < end; u++) wide += u & 0xff;
#pragma omp for schedule(monotonic : guided) reduction(+ : wide) /* expect: IBAR T */
    for (u = start; u < end; u++) wide += u & 0xff;
#pragma omp for schedule(runtime) reduction(+ : wide) /* expect: IBAR T */
    for (u = start; u < end; u++) wide += u & 0xff;
#pragma omp for schedule(monotonic : runtime) reduction(+ : wide) /* expect: IBAR T */
    for (u = start; u < end; u++) wide += u & 0xff;
#pragma omp for schedule(nonmonotonic : runtime) reduction(+ : wide) /* expect: IBAR T */
    for (u = start; u < end; u++) wide += u & 0xff;
}

int main(void) {
#pragma omp parallel /* expect: FORK 1, IBAR T, IDLE T-1 */
    {
        signed_loops();
        unsigned_loops();
    }
    printf("%ld %ld %llu\n", sum, other, wide);
    return 0;
}
