/*
 * The tool of Technical Report 2 of `bench ompt`: registers an empty callback for what BENCH_CALLBACKS names ("none", "all",
 * or names with commas between), one that counts if BENCH_COUNT is set. Without BENCH_CALLBACKS it declines.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "ompt_tr2.h"

#include "tool.h"

static const struct {
    const char *name;
    ompt_event_t number;
} callbacks[] = {
    {"parallel_begin", ompt_event_parallel_begin},
    {"parallel_end", ompt_event_parallel_end},
    {"implicit_task_begin", ompt_event_implicit_task_begin},
    {"implicit_task_end", ompt_event_implicit_task_end},
    {"task_begin", ompt_event_task_begin},
    {"task_end", ompt_event_task_end},
    {"task_switch", ompt_event_task_switch},
    {"barrier_begin", ompt_event_barrier_begin},
    {"barrier_end", ompt_event_barrier_end},
    {"wait_barrier_begin", ompt_event_wait_barrier_begin},
    {"wait_barrier_end", ompt_event_wait_barrier_end},
    {"taskwait_begin", ompt_event_taskwait_begin},
    {"taskwait_end", ompt_event_taskwait_end},
    {"wait_taskwait_begin", ompt_event_wait_taskwait_begin},
    {"wait_taskwait_end", ompt_event_wait_taskwait_end},
    {"taskgroup_begin", ompt_event_taskgroup_begin},
    {"taskgroup_end", ompt_event_taskgroup_end},
    {"wait_taskgroup_begin", ompt_event_wait_taskgroup_begin},
    {"wait_taskgroup_end", ompt_event_wait_taskgroup_end},
    {"acquired_lock", ompt_event_acquired_lock},
    {"release_lock", ompt_event_release_lock},
    {"acquired_nest_lock_first", ompt_event_acquired_nest_lock_first},
    {"release_nest_lock_last", ompt_event_release_nest_lock_last},
    {"acquired_critical", ompt_event_acquired_critical},
    {"release_critical", ompt_event_release_critical},
    {"loop_begin", ompt_event_loop_begin},
    {"loop_end", ompt_event_loop_end},
    {"single_in_block_begin", ompt_event_single_in_block_begin},
    {"single_in_block_end", ompt_event_single_in_block_end},
};

int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version)
{
    const char *list = getenv("BENCH_CALLBACKS");
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    ompt_callback_t call = bench_callback();
    (void)runtime_version;
    (void)ompt_version;
    bench_find = lookup;
    for (size_t i = 0; list && i < sizeof callbacks / sizeof callbacks[0]; i++)
        if ((!strcmp(list, "all") || bench_names(list, callbacks[i].name))
            && set(callbacks[i].number, call) < ompt_tr2_set_sometimes) {
            fprintf(stderr, "bench tool: %s can't be registered\n", callbacks[i].name);
            _exit(90);
        }
    return list != NULL;
}
