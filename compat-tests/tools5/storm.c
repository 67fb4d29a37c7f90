/* A tool of OpenMP 5 that makes all queries that are allowed in a signal handler, in one: TRACE_SAMPLE=each interrupts one thread after
 * the other. Prints at the end how many samples there were, and how many answers were wrong. */
#include "../storm/five.h"

#include "trace.h"

#include <stdio.h>

static unsigned long samples, in_regions, in_tasks, wrong;
static int first_wrong;

static void check_at(int line, int right) {
    if (!right && __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED) == 1) first_wrong = line;
}
#define check(right) check_at(__LINE__, right)

static void on_sample(void) {
    int depth;
    ompt_wait_id_t wait = 0;
    __atomic_add_fetch(&samples, 1, __ATOMIC_RELAXED);
    check(thread_fits());
    check(is_listed(get_state(&wait)));
    for (depth = 0; depth < 8; depth++) {
        struct level region = region_at(depth, 1);
        check(region.fits);
        if (region.answer == 0) break;
    }
    if (depth > 1) __atomic_add_fetch(&in_regions, 1, __ATOMIC_RELAXED);
    for (depth = 0; depth < 64; depth++) {
        struct level task = task_at(depth, 1);
        check(task.fits);
        if (depth == 0 && is_in_explicit_task(task)) __atomic_add_fetch(&in_tasks, 1, __ATOMIC_RELAXED);
        if (task.answer == 0) break;
    }
    check(place_fits() && processors_fit());
    ask_for_more(1);
}

static void on_parallel_begin_in_task(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned requested,
                                      int flags, const void *code) {
    check(is_of(task, 'K'));
    on_parallel_begin(task, frame, region, requested, flags, code);
}

static int on_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
    (void)device, (void)tool;
    find_questions(lookup);
    set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin_in_task);
    sampler_start(on_sample);
    return 1;
}

static void on_finalize(ompt_data_t *tool) {
    (void)tool;
    fprintf(stderr, "storm: %lu samples, %lu in regions, %lu in tasks, %lu wrong, at first in line %d\n", samples,
            in_regions, in_tasks, wrong, first_wrong);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version) {
    static ompt_start_tool_result_t result = {on_initialize, on_finalize, {0}};
    (void)omp_version, (void)runtime_version;
    return &result;
}
