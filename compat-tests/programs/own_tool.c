/* A program that is its own tool of OpenMP 5, like LLVM's tests: the initializer is called `ompt_initialize` and is visible. `finalize`:
 * the tool ends before the program does; `and-on`: the program then continues. Prints nothing if all is well. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "omp-tools.h"

static ompt_get_task_info_t task_info;
static ompt_finalize_tool_t finalize_tool;
static int begun, told_after_the_end, is_over;

static void expect(const char *what, int is, int should_be) {
    if (is != should_be) printf("%s: %d, not %d\n", what, is, should_be);
}

static void note(int *count) {
    __atomic_add_fetch(__atomic_load_n(&is_over, __ATOMIC_ACQUIRE) ? &told_after_the_end : count, 1, __ATOMIC_RELAXED);
}

static void on_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned int size, int flags,
                     const void *code) {
    (void)task, (void)frame, (void)region, (void)size, (void)flags, (void)code;
    note(&begun);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned int size,
                             unsigned int index, int flags) {
    (void)endpoint, (void)region, (void)task, (void)size, (void)index, (void)flags;
    static int ignored;
    note(&ignored);
}

static void on_thread_end(ompt_data_t *thread) {
    (void)thread;
    static int ignored;
    note(&ignored);
}

int ompt_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    /* The initial device has the number 0 if there is no other device, or omp_initial_device. */
    expect("device", device == -1 ? 0 : device, 0);
    if (data->value != 17) printf("not our word\n");
    task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
    set(ompt_callback_parallel_begin, (ompt_callback_t)on_begin);
    set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    set(ompt_callback_thread_end, (ompt_callback_t)on_thread_end);
    return 1;
}

void ompt_finalize(ompt_data_t *data) {
    if (data->value != 17) printf("not our word at the end\n");
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
    static ompt_start_tool_result_t result = {ompt_initialize, ompt_finalize, {17}};
    (void)version, (void)runtime;
    return &result;
}

static void region(void) {
#pragma omp parallel num_threads(2)
    expect("threads", omp_get_num_threads(), 2);
}

int main(int count, char **words) {
    int flags = 0;
    /* The first use of the runtime: a routine that raises no event. */
    omp_set_max_active_levels(2);
    if (!task_info) {
        printf("the tool has not started\n");
        return 1;
    }
    expect("a task", task_info(0, &flags, NULL, NULL, NULL, NULL), 2);
    expect("initial", flags & 0xf, ompt_task_initial);
    region();
    region();
    expect("regions", begun, 2);
    if (count > 1) {
        finalize_tool();
        expect("the end", is_over, 1);
        if (strcmp(words[count - 1], "and-on") == 0) region();
        expect("told after the end", told_after_the_end, 0);
    }
    return 0;
}
