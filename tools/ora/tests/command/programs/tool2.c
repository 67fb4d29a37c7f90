/* A tool of TR2: counts parallel regions and says how many at the end. TOOL2=decline: it does not want to. */
#include <stdio.h>
#include <stdlib.h>

#include "ompt_tr2.h"

static int regions;

static void on_parallel_begin(ompt_task_id_t task, ompt_frame_t *frame, ompt_parallel_id_t region, uint32_t size, void *code)
{
    (void)task, (void)frame, (void)region, (void)size, (void)code;
    regions++;
}

static void on_shutdown(void)
{
    fprintf(stderr, "tool of TR2: %d regions\n", regions);
}

int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime, unsigned int version)
{
    (void)runtime, (void)version;
    if (getenv("TOOL2"))
        return 0;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    regions = 0;
    set(ompt_event_runtime_shutdown, (ompt_callback_t)on_shutdown);
    return set(ompt_event_parallel_begin, (ompt_callback_t)on_parallel_begin) == ompt_tr2_set_always;
}
