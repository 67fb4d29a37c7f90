/* Deeply nested regions, more than anybody would write: teams of one, and at the bottom a team of T. */
#include <omp.h>
#include <stdio.h>

enum { DEPTH = 300 };

static long down(int depth) {
    long sum = 0;
    if (depth == 0) {
#pragma omp parallel reduction(+ : sum) /* expect: FORK 1, IBAR T, IDLE T-1 */
        sum += 1;
        return sum;
    }
#pragma omp parallel num_threads(1) reduction(+ : sum) /* expect: FORK 300, IBAR 300 */
    {
        sum += down(depth - 1);
#pragma omp barrier /* expect: EBAR 300 */
        sum += omp_get_level() == DEPTH - depth + 1;
    }
    return sum;
}

int main(void) {
    long sum;
    omp_set_max_active_levels(2);
    sum = down(DEPTH);
    printf("%ld\n", sum);
    return 0;
}
