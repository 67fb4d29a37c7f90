/* Parallel regions that a single call starts and ends, and a recursive one.
 *
 * Comments with `expect:` say which events the construct beside them raises, in all; T is OMP_NUM_THREADS. FORK stands
 * for FORK and JOIN, any other name for the pair of BEGIN and END. What is not mentioned in a file never happens. */
#include <stdio.h>

static long recurse(int depth) {
    long sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(2) /* expect: FORK 4, IBAR 2+1+1+1, IDLE 1 */
    {
        /* Nested regions have a team of one here: only one level is active. */
        sum += 1;
#pragma omp masked
        if (depth > 1) sum += recurse(depth - 1);
    }
    return sum;
}

int main(void) {
    long sum = 0, seen = 0;
    int i;
    for (i = 0; i < 5; i++) {
#pragma omp parallel reduction(+ : sum) /* expect: FORK 5, IBAR 5*T, IDLE 5*(T-1) */
        sum += 1;
    }
    printf("five regions: %ld\n", sum);
#pragma omp parallel if (0) reduction(+ : seen) /* expect: FORK 1, IBAR 1 */
    seen += 1;
    printf("serialized: %ld\n", seen);
#pragma omp parallel num_threads(1) reduction(+ : seen) /* expect: FORK 1, IBAR 1 */
    seen += 1;
    printf("team of one: %ld\n", seen);
#pragma omp parallel proc_bind(close) reduction(+ : seen) reduction(max : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    { /* expect: ATWT 0..T-1 (two reductions at once take the lock of atomic) */
        seen += 1;
        sum = 100;
    }
    printf("two reductions: %ld %ld\n", seen, sum);
    printf("recursion: %ld\n", recurse(4));
    return 0;
}
