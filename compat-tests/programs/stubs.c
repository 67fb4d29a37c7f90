/* A program without OpenMP that calls functions that the library exports, because their names are visible. Without a runtime each of
 * them behaves as in a sequential OpenMP program. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WEAK __attribute__((weak))
WEAK void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
WEAK void GOMP_parallel_start(void (*)(void *), void *, unsigned);
WEAK void GOMP_parallel_end(void);
WEAK void GOMP_barrier(void);
WEAK bool GOMP_barrier_cancel(void);
WEAK void GOMP_critical_start(void);
WEAK void GOMP_critical_end(void);
WEAK void GOMP_critical_name_start(void **);
WEAK void GOMP_critical_name_end(void **);
WEAK bool GOMP_single_start(void);
WEAK void *GOMP_single_copy_start(void);
WEAK void GOMP_single_copy_end(void *);
WEAK bool GOMP_loop_dynamic_start(long, long, long, long, long *, long *);
WEAK bool GOMP_loop_dynamic_next(long *, long *);
WEAK void GOMP_loop_end(void);
WEAK unsigned GOMP_sections_start(unsigned);
WEAK unsigned GOMP_sections_next(void);
WEAK void GOMP_sections_end(void);
WEAK void GOMP_atomic_start(void);
WEAK void GOMP_atomic_end(void);
WEAK void GOMP_ordered_start(void);
WEAK void GOMP_ordered_end(void);
WEAK void GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned);
WEAK void GOMP_taskloop(void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned, unsigned long, int,
                        long, long, long);
WEAK void GOMP_taskwait(void);
WEAK void GOMP_taskgroup_end(void);
WEAK bool GOMP_loop_doacross_static_start(unsigned, long *, long, long *, long *);
WEAK void omp_init_lock(void *);
WEAK void omp_set_lock(void *);
WEAK void omp_unset_lock(void *);
WEAK int omp_test_lock(void *);
WEAK void omp_destroy_lock(void *);
WEAK void omp_init_nest_lock(void *);
WEAK void omp_set_nest_lock(void *);
WEAK void omp_unset_nest_lock(void *);
WEAK int omp_test_nest_lock(void *);
WEAK void omp_destroy_nest_lock(void *);

static long count;
static void add(void *data) { count += *(long *)data; }
static void double_it(void *to, void *from) { *(long *)to = 2 * *(long *)from; }

/* A chunk of a taskloop starts with its bounds. */
struct chunk {
    long start, end, one;
};
static void add_chunk(void *data) {
    const struct chunk *chunk = data;
    count += (chunk->end - chunk->start) * chunk->one;
}
static void copy_the_rest(void *to, void *from) { ((struct chunk *)to)->one = ((struct chunk *)from)->one; }

/* Names that aren't exported don't exist, and nobody calls them. */
#define IF(name) if (name) name

int main(void) {
    long one = 1, start = 0, end = 0;
    uint64_t lock[4], nest[4];
    unsigned section;
    void *name = NULL;
    memset(lock, 0, sizeof lock);
    memset(nest, 0, sizeof nest);
    if (!GOMP_parallel) {
        printf("no such names\n");
        return 0;
    }
    GOMP_parallel(add, &one, 4, 0);
    printf("a region: %ld\n", count);
    if (GOMP_parallel_start && GOMP_parallel_end) {
        GOMP_parallel_start(add, &one, 4);
        add(&one);
        GOMP_parallel_end();
        printf("an old region: %ld\n", count);
    }
    IF(GOMP_barrier)();
    if (GOMP_barrier_cancel) printf("cancelled: %d\n", GOMP_barrier_cancel());
    IF(GOMP_critical_start)();
    IF(GOMP_critical_end)();
    IF(GOMP_critical_name_start)(&name);
    IF(GOMP_critical_name_end)(&name);
    IF(GOMP_atomic_start)();
    IF(GOMP_atomic_end)();
    IF(GOMP_ordered_start)();
    IF(GOMP_ordered_end)();
    if (GOMP_single_start) printf("single: %d\n", GOMP_single_start());
    if (GOMP_single_copy_start) printf("single with copyprivate: %d\n", GOMP_single_copy_start() == NULL);
    IF(GOMP_single_copy_end)(&one);
    count = 0;
    if (GOMP_loop_dynamic_start) {
        bool more = GOMP_loop_dynamic_start(0, 10, 1, 3, &start, &end);
        for (; more; more = GOMP_loop_dynamic_next(&start, &end)) count += end - start;
        GOMP_loop_end();
        printf("loop: %ld\n", count);
    }
    count = 0;
    if (GOMP_sections_start) {
        for (section = GOMP_sections_start(4); section; section = GOMP_sections_next()) count += section;
        GOMP_sections_end();
        printf("sections: %ld\n", count);
    }
    count = 0;
    if (GOMP_task) {
        GOMP_task(add, &one, NULL, sizeof one, sizeof one, true, 0);
        GOMP_task(add, &one, double_it, sizeof one, 64, true, 0);
        printf("tasks: %ld\n", count);
    }
    count = 0;
    if (GOMP_taskloop) {
        struct chunk chunk = {-1, -1, 1};
        GOMP_taskloop(add_chunk, &chunk, NULL, sizeof chunk, 8, 0, 4, 0, 3, 13, 1);
        GOMP_taskloop(add_chunk, &chunk, copy_the_rest, sizeof chunk, 8, 0, 4, 0, 0, 10, 1);
        printf("taskloops: %ld\n", count);
    }
    IF(GOMP_taskwait)();
    IF(GOMP_taskgroup_end)();
    if (GOMP_loop_doacross_static_start) {
        long counts[] = {7, 3};
        bool some = GOMP_loop_doacross_static_start(2, counts, 0, &start, &end);
        printf("doacross: %d %ld %ld\n", some, start, end);
    }
    IF(omp_init_lock)(lock);
    IF(omp_set_lock)(lock);
    if (omp_test_lock) printf("a lock that is set: %d\n", omp_test_lock(lock));
    IF(omp_unset_lock)(lock);
    if (omp_test_lock) printf("a lock that is free: %d\n", omp_test_lock(lock));
    IF(omp_unset_lock)(lock);
    IF(omp_destroy_lock)(lock);
    IF(omp_init_nest_lock)(nest);
    IF(omp_set_nest_lock)(nest);
    if (omp_test_nest_lock) printf("a nest lock: %d\n", omp_test_nest_lock(nest));
    IF(omp_unset_nest_lock)(nest);
    IF(omp_unset_nest_lock)(nest);
    IF(omp_destroy_nest_lock)(nest);
    printf("done\n");
    return 0;
}
