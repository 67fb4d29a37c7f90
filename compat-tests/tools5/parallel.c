/* A tool of OpenMP 5 that uses OpenMP itself while it starts, and prints at the end how many regions were reported to it. */
#include <omp-tools.h>
#include <stdio.h>

static int regions, members;

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned int threads, int flags,
                              const void *code) {
    (void)task, (void)frame, (void)region, (void)threads, (void)flags, (void)code;
    __atomic_fetch_add(&regions, 1, __ATOMIC_RELAXED);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device, (void)data;
    ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
    fprintf(stderr, "%d members, %d regions\n", members, regions);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}
