/* A tool of TR2 in the common subset of C and C++. */
#include "ompt_tr2.h"
#include "ompt_tr2.h"
static void on_begin(ompt_task_id_t task, ompt_frame_t *frame, ompt_parallel_id_t region, uint32_t asked, void *code) {
    (void)task, (void)frame, (void)region, (void)asked, (void)code;
}
int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime, unsigned int version) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    ompt_new_parallel_callback_t begin = on_begin;
    (void)runtime, (void)version;
    if (ompt_control) ompt_control(1, 0);
    return set(ompt_event_parallel_begin, (ompt_callback_t)begin) == ompt_tr2_set_always;
}
