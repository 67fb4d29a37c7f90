/* The team grows, shrinks and grows again; workers that are not needed end. */
#include <omp.h>
#include <stdio.h>

static long region(int threads) {
    long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += omp_get_num_threads();
    return sum;
}

int main(void) {
    const int most = omp_get_max_threads();
    long sum = region(most);       /* expect: FORK 1, IBAR T, IDLE T-1 */
    sum += region(2);              /* expect: FORK 1, IBAR 2, IDLE 1 */
    sum += region(most + 1);       /* expect: FORK 1, IBAR T+1, IDLE T */
    sum += region(1);              /* expect: FORK 1, IBAR 1 */
    sum += region(3);              /* expect: FORK 1, IBAR 3, IDLE 2 */
    sum += region(most);           /* expect: FORK 1, IBAR T, IDLE T-1 */
    sum += region(most);           /* expect: FORK 1, IBAR T, IDLE T-1 */
    omp_set_num_threads(2);
    sum += region(0 + 2);          /* expect: FORK 1, IBAR 2, IDLE 1 */
    printf("%ld\n", sum);
    return 0;
}
