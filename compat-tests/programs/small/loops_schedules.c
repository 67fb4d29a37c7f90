/* Which thread gets which iteration where the standard says so, and that each runs once where it doesn't. */
/* with: OMP_SCHEDULE=static,3 */
#include "../queries.h"

enum { N = 37 };

static int owner[N], times[N];

static void show(const char *what, int owners) {
    int i, once = 1;
    for (i = 0; i < N; i++) once &= times[i] == 1;
    printf("%s: once %d:", what, once);
    for (i = 0; i < N; i++) {
        if (owners) printf(" %d", owner[i]);
        times[i] = 0;
    }
    printf("\n");
}

#define LOOP(what, owners, schedule)                                                                                   \
    _Pragma("omp parallel") {                                                                                          \
        int i;                                                                                                         \
        schedule for (i = 0; i < N; i++) {                                                                             \
            owner[i] = omp_get_thread_num();                                                                           \
            times[i] += 1;                                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    show(what, owners)

int main(void) {
    LOOP("static", 1, _Pragma("omp for schedule(static)"));
    LOOP("static, 2", 1, _Pragma("omp for schedule(static, 2)"));
    LOOP("run-time static, 3", 1, _Pragma("omp for schedule(runtime)"));
    LOOP("dynamic", 0, _Pragma("omp for schedule(dynamic)"));
    LOOP("nonmonotonic", 0, _Pragma("omp for schedule(nonmonotonic : dynamic, 2)"));
    LOOP("monotonic", 0, _Pragma("omp for schedule(monotonic : dynamic, 2)"));
    LOOP("guided", 0, _Pragma("omp for schedule(guided, 3)"));
    LOOP("auto", 1, _Pragma("omp for schedule(auto)"));
    omp_set_schedule(omp_sched_dynamic, 4);
    LOOP("run-time dynamic", 0, _Pragma("omp for schedule(runtime)"));
    omp_set_schedule(omp_sched_guided | omp_sched_monotonic, 2);
    LOOP("run-time guided", 0, _Pragma("omp for schedule(runtime)"));
    omp_set_schedule(omp_sched_auto, 0);
    LOOP("run-time auto", 1, _Pragma("omp for schedule(runtime) nowait"));
    say_queries("end");
    return 0;
}
