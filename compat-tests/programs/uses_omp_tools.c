/* A tool of OpenMP 5 in the common subset of C and C++. */
#include "omp-tools.h"
#include "omp-tools.h"
static void on_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned int asked, int flags,
                     const void *codeptr_ra) {
    (void)task, (void)frame, (void)asked, (void)codeptr_ra;
    region->value = (flags & ompt_parallel_team) != 0;
}
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    ompt_callback_parallel_begin_t begin = on_begin;
    ompt_callback_master_t master = 0;
    (void)device, (void)data;
    set(ompt_callback_master, (ompt_callback_t)master);
    return set(ompt_callback_parallel_begin, (ompt_callback_t)begin) == ompt_set_always;
}
static void finalize(ompt_data_t *data) {
    ompt_data_t none = ompt_data_none;
    *data = none;
}
ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, ompt_data_none};
    return version >= 201811 && runtime ? &result : 0;
}
