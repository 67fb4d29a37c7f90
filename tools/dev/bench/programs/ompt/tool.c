/*
 * The OpenMP 5 tool of `bench ompt`: registers an empty callback for what BENCH_CALLBACKS names ("none", "all", or names
 * with commas between), one that counts if BENCH_COUNT is set. Without BENCH_CALLBACKS it declines.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "omp-tools.h"

#include "tool.h"

static const struct {
    const char *name;
    ompt_callbacks_t number;
} callbacks[] = {
    {"thread_begin", ompt_callback_thread_begin},
    {"thread_end", ompt_callback_thread_end},
    {"parallel_begin", ompt_callback_parallel_begin},
    {"parallel_end", ompt_callback_parallel_end},
    {"implicit_task", ompt_callback_implicit_task},
    {"task_create", ompt_callback_task_create},
    {"task_schedule", ompt_callback_task_schedule},
    {"dependences", ompt_callback_dependences},
    {"sync_region", ompt_callback_sync_region},
    {"sync_region_wait", ompt_callback_sync_region_wait},
    {"mutex_acquire", ompt_callback_mutex_acquire},
    {"mutex_acquired", ompt_callback_mutex_acquired},
    {"mutex_released", ompt_callback_mutex_released},
    {"lock_init", ompt_callback_lock_init},
    {"lock_destroy", ompt_callback_lock_destroy},
    {"nest_lock", ompt_callback_nest_lock},
    {"work", ompt_callback_work},
    {"dispatch", ompt_callback_dispatch},
    {"masked", ompt_callback_masked},
    {"cancel", ompt_callback_cancel},
};

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    const char *list = getenv("BENCH_CALLBACKS");
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    ompt_callback_t call = (ompt_callback_t)bench_callback();
    (void)device;
    (void)data;
    bench_find = lookup;
    for (size_t i = 0; i < sizeof callbacks / sizeof callbacks[0]; i++) {
        int wanted = bench_names(list, callbacks[i].name);
        ompt_set_result_t answer;
        if (!wanted && strcmp(list, "all"))
            continue;
        answer = set(callbacks[i].number, call);
        if (wanted && (answer == ompt_set_error || answer == ompt_set_never || answer == ompt_set_impossible)) {
            fprintf(stderr, "bench tool: %s is answered %d\n", callbacks[i].name, (int)answer);
            _exit(90);
        }
    }
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)omp_version;
    (void)runtime_version;
    return getenv("BENCH_CALLBACKS") ? &result : NULL;
}
