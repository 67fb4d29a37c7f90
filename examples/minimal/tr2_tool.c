#include <stdio.h>
#include "ompt_tr2.h"

static int regions;
static void on_begin(ompt_task_id_t task, ompt_frame_t *frame, ompt_parallel_id_t region, uint32_t size, void *function) {
    (void)task, (void)frame, (void)region, (void)size, (void)function;
    __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED);
}
static void on_shutdown(void) { fprintf(stderr, "%d parallel regions\n", regions); }

int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime, unsigned int version) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)runtime, (void)version;
    set(ompt_event_runtime_shutdown, (ompt_callback_t)on_shutdown);
    return set(ompt_event_parallel_begin, (ompt_callback_t)on_begin) == ompt_tr2_set_always;
}
