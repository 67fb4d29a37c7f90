/* A tool that registers callbacks and then declines in its initializer, or doesn't start (DECLINES=start), or stays without a callback
 * for `omp_control_tool` (DECLINES=no). Keeps its entry points, so that the program can query them later. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp-tools.h"

static ompt_get_proc_id_t proc_id;
static ompt_get_place_num_t place_num;
static ompt_get_thread_data_t thread_data;
static ompt_get_parallel_info_t parallel_info;
static ompt_get_task_info_t task_info;
static int regions;

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned int size, int flags,
                              const void *code) {
    (void)task, (void)frame, (void)region, (void)size, (void)flags, (void)code;
    regions++;
}

static int wants(const char *what) {
    const char *wish = getenv("DECLINES");
    return wish && !strcmp(wish, what);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
    proc_id = (ompt_get_proc_id_t)lookup("ompt_get_proc_id");
    place_num = (ompt_get_place_num_t)lookup("ompt_get_place_num");
    thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    return wants("no");
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return wants("start") ? NULL : &result;
}

void tool_answers(void);
void tool_answers(void) {
    int size;
    ompt_data_t *data;
    if (!proc_id) return;
    printf("%d regions; proc %d, place %d, thread %d, region %d, task %d\n", regions, proc_id() >= 0, place_num() >= 0,
           thread_data() != NULL, parallel_info(0, &data, &size), task_info(0, NULL, NULL, NULL, NULL, NULL));
}
