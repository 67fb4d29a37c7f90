/* A tool of OpenMP 5 that counts callbacks. At its end it writes "NAME COUNTED NUMBER" lines to stderr. NAME is "alone" or, with
 * MULTIPLEXED, the path of LLVM's multiplexer (`ompt-multiplex.h`), "outer": it forwards callbacks to the tool in
 * OUTER_TOOL_LIBRARIES. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#ifdef MULTIPLEXED
#define OMPT_MULTIPLEX_TOOL_NAME "OUTER"
#include MULTIPLEXED
#define NAME "outer"
#else
#include <omp-tools.h>
#define NAME "alone"
#endif

/* Each barrier counts as one kind: gcc's `single` ends with the call of an explicit one. */
#define COUNTED(X)                                                                                                                 \
    X(thread_begin) X(thread_end) X(parallel_begin) X(parallel_end) X(implicit_begin) X(implicit_end) X(task_create)               \
    X(task_complete) X(barrier_begin) X(barrier_end) X(taskwait_begin) X(taskwait_end) X(taskgroup_begin) X(taskgroup_end)         \
    X(wait_begin) X(wait_end) X(acquire) X(acquired) X(released) X(loop_begin) X(loop_end) X(executor) X(other)                    \
    X(chunk) X(lost_words)

#define X(name) name,
enum counted { COUNTED(X) NUMBER };
#undef X

static unsigned counts[NUMBER];

static void count(enum counted what) { __atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED); }

static void endpoint(enum counted begin, ompt_scope_endpoint_t end) {
    if (end == ompt_scope_begin || end == ompt_scope_beginend) count(begin);
    if (end == ompt_scope_end || end == ompt_scope_beginend) count(begin + 1);
}

static void on_thread_begin(ompt_thread_t kind, ompt_data_t *thread) {
    (void)kind, (void)thread;
    count(thread_begin);
}

static void on_thread_end(ompt_data_t *thread) {
    (void)thread;
    count(thread_end);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned int size, int flags,
                              const void *code) {
    (void)task, (void)frame, (void)size, (void)flags, (void)code;
    region->value = 77;
    count(parallel_begin);
}

static void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *code) {
    (void)task, (void)flags, (void)code;
    if (region->value != 77) count(lost_words);
    count(parallel_end);
}

static void on_implicit_task(ompt_scope_endpoint_t end, ompt_data_t *region, ompt_data_t *task, unsigned int size,
                             unsigned int index, int flags) {
    (void)region, (void)size, (void)index;
    if (!(flags & ompt_task_implicit)) return;
    if (end == ompt_scope_begin) task->value = 88;
    else if (task->value != 88) count(lost_words);
    endpoint(implicit_begin, end);
}

static void on_task_create(ompt_data_t *by, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences,
                           const void *code) {
    (void)by, (void)frame, (void)dependences, (void)code;
    if (!(flags & ompt_task_explicit)) return;
    task->value = 99;
    count(task_create);
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    (void)next;
    if (status != ompt_task_complete) return;
    if (prior->value != 99) count(lost_words);
    count(task_complete);
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t *region, ompt_data_t *task,
                           const void *code) {
    (void)region, (void)task, (void)code;
    enum counted begin = barrier_begin;
    if (kind == ompt_sync_region_taskwait) begin = taskwait_begin;
    if (kind == ompt_sync_region_taskgroup) begin = taskgroup_begin;
    endpoint(begin, end);
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t *region, ompt_data_t *task,
                                const void *code) {
    (void)kind, (void)region, (void)task, (void)code;
    endpoint(wait_begin, end);
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl, ompt_wait_id_t id, const void *code) {
    (void)kind, (void)hint, (void)impl, (void)id, (void)code;
    count(acquire);
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *code) {
    (void)kind, (void)id, (void)code;
    count(acquired);
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *code) {
    (void)kind, (void)id, (void)code;
    count(released);
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t end, ompt_data_t *region, ompt_data_t *task, uint64_t of,
                    const void *code) {
    (void)region, (void)task, (void)of, (void)code;
    if (kind == ompt_work_single_executor || kind == ompt_work_single_other) {
        if (end == ompt_scope_begin) count(kind == ompt_work_single_executor ? executor : other);
    } else {
        endpoint(loop_begin, end);
    }
}

static void on_dispatch(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
    (void)region, (void)task, (void)kind, (void)instance;
    count(chunk);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
#define SET(name) set(ompt_callback_##name, (ompt_callback_t)on_##name)
    SET(thread_begin), SET(thread_end), SET(parallel_begin), SET(parallel_end), SET(implicit_task), SET(task_create);
    SET(task_schedule), SET(sync_region), SET(sync_region_wait), SET(mutex_acquire), SET(mutex_acquired), SET(mutex_released);
    SET(work), SET(dispatch);
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
#define X(name) fprintf(stderr, NAME " " #name " %u\n", counts[name]);
    COUNTED(X)
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}
