/* Locks, nestable locks and critical sections in tasks, held across the creation of other tasks. */
#include <omp.h>
#include <stdio.h>

static omp_lock_t lock;
static omp_nest_lock_t nest;
static long a, b, c, d, depth_sum;

int main(void) {
    int i;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel
#pragma omp single
    for (i = 0; i < 100; i++) {
#pragma omp task
        {
            omp_set_lock(&lock);
            a += 1;
            omp_unset_lock(&lock);
#pragma omp critical(inner)
            b += 1;
        }
#pragma omp task firstprivate(i)
        {
            int depth;
            omp_set_nest_lock(&nest);
            omp_set_nest_lock(&nest);
            depth = omp_test_nest_lock(&nest);
            depth_sum += depth;
            omp_unset_nest_lock(&nest);
            omp_unset_nest_lock(&nest);
            omp_unset_nest_lock(&nest);
#pragma omp critical
            {
#pragma omp task if (0)
                c += i;
            }
        }
#pragma omp task untied
        {
            if (omp_test_lock(&lock)) {
                a += 0;
                omp_unset_lock(&lock);
            }
#pragma omp critical(outer) hint(omp_sync_hint_uncontended)
#pragma omp critical(within)
            d += 1;
        }
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    printf("%ld %ld %ld %ld %ld\n", a, b, c, d, depth_sum);
    return 0;
}
