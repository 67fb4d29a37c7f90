/*
 * A tool gives each region a number at its begin, and looks for it at the end. Regions of one thread in regions of teams. Prints the
 * numbers of begins, of ends, and of ends with the number of a region that is not the innermost one of the thread.
 */
#include <omp.h>
#include <stdio.h>
#include <stdint.h>

#include "omp-tools.h"

enum { DEEP = 16 };

static uint64_t begun, ended, others;
static __thread uint64_t open[DEEP];
static __thread int depth;

static void on_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned threads, int flags,
                     const void *code) {
    (void)task, (void)frame, (void)threads, (void)flags, (void)code;
    region->value = __atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED);
    if (depth < DEEP) open[depth] = region->value;
    depth++;
}

static void on_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *code) {
    (void)task, (void)flags, (void)code;
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
    depth--;
    if (depth < 0 || depth >= DEEP || region->value != open[depth]) __atomic_add_fetch(&others, 1, __ATOMIC_RELAXED);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
    set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_begin);
    set_callback(ompt_callback_parallel_end, (ompt_callback_t)on_end);
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
    printf("%llu begun, %llu ended, %llu as others\n", (unsigned long long)begun, (unsigned long long)ended,
           (unsigned long long)others);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}

static void one_thread(int more) {
#pragma omp parallel num_threads(1)
    if (more) one_thread(more - 1);
}

int main(void) {
    int i;
    omp_set_max_active_levels(8);
#pragma omp parallel num_threads(2) private(i)
    for (i = 0; i < 100; i++) {
        one_thread(3);
#pragma omp parallel num_threads(2)
        one_thread(1);
    }
    return 0;
}
