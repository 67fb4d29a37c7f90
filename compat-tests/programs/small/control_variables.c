/* Setting control variables, at each level, in tasks, and who inherits them; the environment's first. */
/* with: OMP_NUM_THREADS=3,2 OMP_DYNAMIC=false OMP_MAX_ACTIVE_LEVELS=2 OMP_SCHEDULE=guided,5 OMP_THREAD_LIMIT=20 */
#include "../queries.h"

int main(void) {
    say_queries("at first");
#pragma omp parallel
    {
        const int me = omp_get_thread_num();
        note(me * 10, "by the environment");
        omp_set_num_threads(me + 1);
        omp_set_schedule(omp_sched_static, me + 1);
#pragma omp parallel
        {
#pragma omp masked
            note(me * 10 + 1, "inherited");
            omp_set_max_active_levels(4);
        }
        note(me * 10 + 2, "after");
    }
    print_notes();
    say_queries("unchanged");
    omp_set_dynamic(1);
    omp_set_max_active_levels(1);
    omp_set_num_threads(2);
    omp_set_default_device(0);
    say_queries("changed");
#pragma omp parallel num_threads(1)
    say_queries("inside");
    omp_set_dynamic(0);
    omp_set_schedule(omp_sched_auto, 3);
#pragma omp parallel if (omp_get_dynamic())
    say_queries("serialized");
    omp_set_max_active_levels(1000);
    omp_set_num_threads(1);
    say_queries("at last");
    return 0;
}
