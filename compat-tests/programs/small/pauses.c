/* The pool is given up and comes back; control variables stay. Inside of a region the request is refused. */
/* libomp 19 gives up no pool whose threads never sleep. */
/* with: KMP_BLOCKTIME=200 */
#include "../queries.h"

int main(void) {
    int round, refused = 0, threads = 0;
    omp_set_schedule(omp_sched_guided, 7);
    for (round = 0; round < 6; round++) {
#pragma omp parallel reduction(+ : threads)
        {
            threads += 1;
#pragma omp single
            refused += omp_pause_resource_all(omp_pause_soft) != 0;
#pragma omp task
            {
            }
        }
        printf("%d ", omp_pause_resource_all(round % 2 ? omp_pause_soft : omp_pause_hard));
        printf("%d ", omp_pause_resource(omp_pause_soft, omp_get_initial_device()));
    }
    printf("%d %d\n", threads / omp_get_max_threads(), refused);
    say_queries("end");
    return 0;
}
