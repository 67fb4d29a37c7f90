/* One thread executes it. gcc ends a single construct with the call that is also an explicit barrier; copyprivate has its own barrier
 * before that. */
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 4 };

int main(void) {
    long count = 0, shared = 0, copied = 0, critical = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel firstprivate(copied) /* expect: FORK 1, IBAR T, IDLE T-1 */
    {
        int round;
        for (round = 0; round < ROUNDS; round++) {
#pragma omp single /* expect: SINGLE 4, EBAR 4*T */
            count += 1;
#pragma omp single nowait /* expect: SINGLE 4 */
#pragma omp atomic
            shared += 1;
#pragma omp single copyprivate(copied) /* expect: SINGLE 4, IBAR 4*T, EBAR 4*T */
            copied = round;
#pragma omp atomic
            shared += copied;
        }
        /* Everything that is legal inside a single construct: critical sections, locks, tasks and regions. */
#pragma omp single /* expect: SINGLE 1, EBAR T */
        {
#pragma omp critical
            critical += 1;
            omp_set_lock(&lock);
            critical += 1;
            omp_unset_lock(&lock);
#pragma omp task /* expect: TASK 1 */
#pragma omp atomic
            critical += 1;
#pragma omp taskwait /* expect: SUSPEND 1 */
#pragma omp parallel num_threads(1) /* expect: FORK 1, IBAR 1 */
            critical += 1;
        }
        /* Two consecutive single constructs with nothing between them. */
#pragma omp single nowait /* expect: SINGLE 1 */
#pragma omp atomic
        count += 1;
#pragma omp single nowait /* expect: SINGLE 1 */
#pragma omp atomic
        count += 1;
    }
    omp_destroy_lock(&lock);
    printf("%ld %ld %ld\n", count, shared, critical);
    return 0;
}
