/* Combined constructs that gcc turns into one call: constant bounds and nothing else to pass. */
#include <limits.h>
#include <stdio.h>

enum { N = 200 };

static long sum;

static void add(long value) {
#pragma omp atomic
    sum += value;
}

int main(void) {
    long i;
#pragma omp parallel for schedule(dynamic) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) add(i);
    printf("dynamic: %ld\n", sum);
#pragma omp parallel for schedule(monotonic : dynamic, 5) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) add(i);
    printf("monotonic dynamic, 5: %ld\n", sum);
#pragma omp parallel for schedule(guided) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) add(i);
    printf("guided: %ld\n", sum);
#pragma omp parallel for schedule(monotonic : guided, 4) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) add(i);
    printf("monotonic guided, 4: %ld\n", sum);
#pragma omp parallel for schedule(runtime) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) add(i);
    printf("runtime: %ld\n", sum);
#pragma omp parallel for schedule(monotonic : runtime) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) add(i);
    printf("monotonic runtime: %ld\n", sum);
#pragma omp parallel for schedule(nonmonotonic : runtime) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) add(i);
    printf("nonmonotonic runtime: %ld\n", sum);
#pragma omp parallel for schedule(dynamic) num_threads(1) /* expect: FORK 1, IBAR 1 */
    for (i = 0; i < N; i++) add(i);
    printf("dynamic, team of one: %ld\n", sum);
#pragma omp parallel sections /* expect: FORK 1, IBAR T, IDLE T-1 */
    {
        add(1);
#pragma omp section
        add(10);
#pragma omp section
        add(100);
    }
    printf("sections: %ld\n", sum);
    return 0;
}
