/* Parallel and work-sharing in one construct. Their loops end without a barrier of their own. */
#include <stdio.h>

enum { N = 200 };

int main(void) {
    long sum = 0;
    unsigned long long wide = 0;
    long i;
    unsigned long long u;
#pragma omp parallel for reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) sum += i;
    printf("static: %ld\n", sum);
#pragma omp parallel for schedule(static, 3) reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) sum += i;
    printf("static, 3: %ld\n", sum);
#pragma omp parallel for schedule(dynamic) reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) sum += i;
    printf("dynamic: %ld\n", sum);
#pragma omp parallel for schedule(monotonic : dynamic, 5) reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = N - 1; i >= 0; i--) sum += i;
    printf("monotonic dynamic, 5: %ld\n", sum);
#pragma omp parallel for schedule(guided) reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i += 2) sum += i;
    printf("guided: %ld\n", sum);
#pragma omp parallel for schedule(monotonic : guided, 4) reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) sum += i;
    printf("monotonic guided, 4: %ld\n", sum);
#pragma omp parallel for schedule(runtime) reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) sum += i;
    printf("runtime: %ld\n", sum);
#pragma omp parallel for schedule(monotonic : runtime) reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) sum += i;
    printf("monotonic runtime: %ld\n", sum);
#pragma omp parallel for schedule(nonmonotonic : runtime) reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) sum += i;
    printf("nonmonotonic runtime: %ld\n", sum);
#pragma omp parallel for schedule(dynamic, 9) reduction(+ : wide) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (u = 0; u < N; u++) wide += u;
    printf("unsigned dynamic, 9: %llu\n", wide);
#pragma omp parallel sections reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    {
        sum += 1;
#pragma omp section
        sum += 10;
#pragma omp section
        sum += 100;
    }
    printf("sections: %ld\n", sum);
#pragma omp parallel for simd reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
    for (i = 0; i < N; i++) sum += i;
    printf("simd: %ld\n", sum);
    return 0;
}
