/* Cancellation, where OMP_CANCELLATION allows it, of regions, loops, sections and task groups; and where it doesn't.
 * A cancelled barrier is left early, so what is counted is a range. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int loops = 0, parts = 0, regions = 0, groups = 0, after = 0, i;
    const int on = omp_get_cancellation();
#pragma omp parallel /* expect: FORK 1, IDLE T-1 */
    {
#pragma omp for
        for (i = 0; i < 1000; i++) {
            if (i == 0) {
#pragma omp atomic
                loops += 1;
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
#pragma omp for schedule(dynamic)
        for (i = 0; i < 1000; i++) {
            if (i == 3) {
#pragma omp atomic
                loops += 1;
#pragma omp cancel for
            }
        }
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp atomic
                parts += 1;
#pragma omp cancel sections
            }
#pragma omp section
            {
#pragma omp cancellation point sections
            }
        }
#pragma omp single
#pragma omp taskgroup /* expect: SUSPEND 1 */
        {
            for (i = 0; i < 50; i++) {
#pragma omp task /* expect: TASK 1..50 */
                {
#pragma omp cancellation point taskgroup
#pragma omp cancel taskgroup
                }
            }
            groups += 1;
        }
    }
#pragma omp parallel /* expect: FORK 1, IDLE T-1 */
    {
        if (omp_get_thread_num() == 0) {
            regions += 1;
#pragma omp cancel parallel
        }
#pragma omp barrier
#pragma omp cancellation point parallel
        /* In a region that can be cancelled, loops and sections end with a check for cancellation. */
#pragma omp for schedule(dynamic)
        for (i = 0; i < 10; i++)
#pragma omp atomic
            after += 1;
#pragma omp sections
        {
#pragma omp section
#pragma omp atomic
            after += 1;
#pragma omp section
#pragma omp atomic
            after += 1;
        }
    }
#pragma omp parallel /* expect: FORK 1, IDLE T-1, SINGLE 1 */
    { /* expect: IBAR 2*T..10*T, EBAR 0..8*T */
        if (omp_get_thread_num() == omp_get_num_threads() - 1) {
#pragma omp cancel parallel if (on < 0)
            regions += 1;
        }
#pragma omp barrier
    }
    printf("%d %d %d %d\n", loops, parts, regions, groups);
    printf("%s\n", after == (on ? 0 : 12) ? "as it should be" : "wrong");
    return 0;
}
