/* What gcc before 4.9 emitted: one call before the region's function, one after it, the function called between them. */
#include <stdio.h>

#include "gomp_entry_points.h"

static long total;

static void add_one(void *data) {
    (void)data;
    __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
}

static void chunks_static(void *data) {
    long start, end;
    (void)data;
    while (GOMP_loop_static_next(&start, &end)) __atomic_fetch_add(&total, end - start, __ATOMIC_RELAXED);
    GOMP_loop_end_nowait();
}

static void chunks_dynamic(void *data) {
    long start, end;
    (void)data;
    while (GOMP_loop_dynamic_next(&start, &end)) __atomic_fetch_add(&total, end - start, __ATOMIC_RELAXED);
    GOMP_loop_end_nowait();
}

static void chunks_guided(void *data) {
    long start, end;
    (void)data;
    while (GOMP_loop_guided_next(&start, &end)) __atomic_fetch_add(&total, end - start, __ATOMIC_RELAXED);
    GOMP_loop_end_nowait();
}

static void chunks_runtime(void *data) {
    long start, end;
    (void)data;
    while (GOMP_loop_runtime_next(&start, &end)) __atomic_fetch_add(&total, end - start, __ATOMIC_RELAXED);
    GOMP_loop_end_nowait();
}

static void some_sections(void *data) {
    unsigned section;
    (void)data;
    while ((section = GOMP_sections_next()) != 0) __atomic_fetch_add(&total, section, __ATOMIC_RELAXED);
    GOMP_sections_end_nowait();
}

static void tell(const char *what) {
    printf("%s: %ld\n", what, total);
    total = 0;
}

int main(void) {
    int i;
    for (i = 0; i < 3; i++) {
        GOMP_parallel_start(add_one, NULL, 0); /* expect: FORK 3, IBAR 3*T, IDLE 3*(T-1) */
        add_one(NULL);
        GOMP_parallel_end();
    }
    tell("parallel");
    GOMP_parallel_start(add_one, NULL, 1); /* expect: FORK 1, IBAR 1 */
    add_one(NULL);
    GOMP_parallel_end();
    tell("serialized");
    GOMP_parallel_loop_static_start(chunks_static, NULL, 0, 0, 100, 1, 7); /* expect: FORK 1, IBAR T, IDLE T-1 */
    chunks_static(NULL);
    GOMP_parallel_end();
    tell("static");
    GOMP_parallel_loop_dynamic_start(chunks_dynamic, NULL, 0, 0, 100, 1, 7); /* expect: FORK 1, IBAR T, IDLE T-1 */
    chunks_dynamic(NULL);
    GOMP_parallel_end();
    tell("dynamic");
    GOMP_parallel_loop_guided_start(chunks_guided, NULL, 0, 0, 100, 1, 7); /* expect: FORK 1, IBAR T, IDLE T-1 */
    chunks_guided(NULL);
    GOMP_parallel_end();
    tell("guided");
    GOMP_parallel_loop_runtime_start(chunks_runtime, NULL, 0, 0, 100, 1); /* expect: FORK 1, IBAR T, IDLE T-1 */
    chunks_runtime(NULL);
    GOMP_parallel_end();
    tell("runtime");
    GOMP_parallel_sections_start(some_sections, NULL, 0, 5); /* expect: FORK 1, IBAR T, IDLE T-1 */
    some_sections(NULL);
    GOMP_parallel_end();
    tell("sections");
    return 0;
}
