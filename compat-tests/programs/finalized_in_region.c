/* A program that is its own tool of OpenMP 5, and finalizes it in the middle of a region, while the other threads are outside of the
 * runtime. Prints the number of finalizations, and the callbacks that came later. */
#include "omp-tools.h"
#include <omp.h>
#include <sched.h>
#include <stdio.h>

static ompt_finalize_tool_t finalize_tool;
static int finalized, later, released;
static volatile int done;

static void count(void) {
    if (__atomic_load_n(&finalized, __ATOMIC_ACQUIRE)) __atomic_add_fetch(&later, 1, __ATOMIC_RELAXED);
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t at, ompt_data_t *region, ompt_data_t *task, const void *code) {
    (void)kind, (void)at, (void)region, (void)task, (void)code;
    count();
}

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *region, ompt_data_t *task, unsigned size, unsigned index,
                             int flags) {
    (void)at, (void)region, (void)task, (void)size, (void)index, (void)flags;
    count();
}

static void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *code) {
    (void)region, (void)task, (void)flags, (void)code;
    count();
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    (void)prior, (void)status, (void)next;
    count();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
    finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
    set(ompt_callback_sync_region, (ompt_callback_t)on_sync);
    set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
    set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
    __atomic_add_fetch(&finalized, 1, __ATOMIC_RELEASE);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}

int main(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            finalize_tool();
            __atomic_store_n(&released, 1, __ATOMIC_RELEASE);
        } else {
            while (!__atomic_load_n(&released, __ATOMIC_ACQUIRE)) sched_yield();
        }
#pragma omp task
        done = 1;
#pragma omp barrier
    }
    printf("finalized %d, %d callbacks afterwards\n", finalized, later);
    return 0;
}
