/* Static loops through libgomp's own entry points, which gcc inlines; and orphaned constructs outside of any region. */
#include <stdio.h>

#include "gomp_entry_points.h"

static long total;

static void static_loops(void) {
    long start, end;
    unsigned long long first, last;
    bool more = GOMP_loop_static_start(0, 100, 1, 6, &start, &end);
    for (; more; more = GOMP_loop_static_next(&start, &end)) __atomic_fetch_add(&total, end - start, __ATOMIC_RELAXED);
    GOMP_loop_end(); /* expect: IBAR T..T+1 (outside of a region nobody is waited for) */
    more = GOMP_loop_ull_static_start(true, 0, 100, 1, 0, &first, &last);
    for (; more; more = GOMP_loop_ull_static_next(&first, &last))
        __atomic_fetch_add(&total, (long)(last - first), __ATOMIC_RELAXED);
    GOMP_loop_end_nowait();
}

int main(void) {
#pragma omp parallel /* expect: FORK 1, IBAR T, IDLE T-1 */
    static_loops();
    printf("inside: %ld\n", total);
    static_loops();
    printf("inside and outside: %ld\n", total);
    return 0;
}
