/* Places, bindings and the text that describes a thread. */
/* with: OMP_PLACES={0},{0} OMP_PROC_BIND=close */
#include "../queries.h"

int main(void) {
    char text[200];
    int i, places = omp_get_num_places();
    omp_set_affinity_format("level %L thread %n of %N, ancestor %a, team %t of %T");
    omp_get_affinity_format(text, sizeof text);
    printf("%d %s\n", places, text);
    for (i = 0; i < places; i++) printf("%d ", omp_get_place_num_procs(i));
    printf("in %d\n", omp_get_place_num());
#pragma omp parallel num_threads(3)
    {
        omp_capture_affinity(noted[omp_get_thread_num()], LINE, NULL);
#pragma omp barrier
#pragma omp masked
        snprintf(noted[10], LINE, "%d places, first %d", omp_get_partition_num_places(), omp_get_place_num());
    }
    print_notes();
#pragma omp parallel num_threads(2) proc_bind(spread)
    note(omp_get_thread_num(), "spread");
#pragma omp parallel num_threads(2) proc_bind(primary)
    note(10 + omp_get_thread_num(), "primary");
    print_notes();
    omp_display_affinity("one thread: %n\n");
    return 0;
}
