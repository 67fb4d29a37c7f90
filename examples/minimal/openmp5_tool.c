#include <stdio.h>
#include "omp-tools.h"

static int regions;
static void on_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned int size, int flags, const void *code) {
    (void)task, (void)frame, (void)region, (void)size, (void)flags, (void)code;
    __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED);
}
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
    return set(ompt_callback_parallel_begin, (ompt_callback_t)on_begin) == ompt_set_always;
}
static void finalize(ompt_data_t *data) { (void)data; fprintf(stderr, "%d parallel regions\n", regions); }

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}
