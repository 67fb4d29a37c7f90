/* Nested teams, active and inactive. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    long leaves = 0, deep = 0, flat = 0;
    omp_set_max_active_levels(3);
#pragma omp parallel reduction(+ : leaves) /* expect: FORK 1, IBAR T, IDLE T-1 */
    {
        int round;
        for (round = 0; round < 2; round++) {
#pragma omp parallel num_threads(2) reduction(+ : leaves) /* expect: FORK 2*T, IBAR 4*T, IDLE 2*T */
            {
                leaves += 1;
#pragma omp barrier /* expect: EBAR 4*T */
            }
        }
#pragma omp barrier /* expect: EBAR T */
    }
#pragma omp parallel num_threads(2) reduction(+ : deep) /* expect: FORK 1, IBAR 2, IDLE 1 */
#pragma omp parallel num_threads(2) reduction(+ : deep) /* expect: FORK 2, IBAR 4, IDLE 2 */
#pragma omp parallel num_threads(2) reduction(+ : deep) /* expect: FORK 4, IBAR 8, IDLE 4 */
#pragma omp parallel num_threads(2) reduction(+ : deep) /* expect: FORK 8, IBAR 8 */
    { /* one level too many: teams of one */
        deep += 1;
#pragma omp single /* expect: SINGLE 8, EBAR 8 */
        deep += 1;
    }
    omp_set_max_active_levels(1);
#pragma omp parallel reduction(+ : flat) /* expect: FORK 1, IBAR T, IDLE T-1 */
#pragma omp parallel reduction(+ : flat) /* expect: FORK T, IBAR T */
    flat += 1;
    printf("%ld %ld %ld\n", leaves, deep, flat);
    return 0;
}
