/* A tool of OpenMP 5, compiled with the header that HEADER names: prints the answers that it gets and the events that it sees. */
#include HEADER
#include <stdio.h>

static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_unique_id_t get_unique_id;
static int created, completed, acquired, released, loops, taskwaits;

static void on_thread_begin(ompt_thread_t thread_type, ompt_data_t *thread_data) {
    static const ompt_data_t none = ompt_data_none;
    if (thread_type == ompt_thread_initial)
        printf("initial thread, data %s\n", thread_data->value == none.value ? "none" : "?");
    thread_data->value = get_unique_id();
}
static void on_parallel_begin(ompt_data_t *task_data, const ompt_frame_t *frame, ompt_data_t *parallel_data,
                              unsigned int requested, int flags, const void *codeptr_ra) {
    parallel_data->value = 1000;
    printf("parallel begin: task %d, frame %s, %u threads, %s %s, code %s\n", (int)task_data->value,
           frame->enter_frame.ptr ? "set" : "null", requested, flags & (int)ompt_parallel_team ? "team" : "",
           flags & ompt_parallel_invoker_runtime ? "runtime" : "program", codeptr_ra ? "known" : "unknown");
}
static void on_parallel_end(ompt_data_t *parallel_data, ompt_data_t *task_data, int flags, const void *codeptr_ra) {
    (void)codeptr_ra;
    printf("parallel end: region %d, task %d, %d\n", (int)parallel_data->value, (int)task_data->value,
           (flags & (int)ompt_parallel_team) != 0);
}
static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data, ompt_data_t *task_data,
                             unsigned int parallelism, unsigned int index, int flags) {
    if (endpoint == ompt_scope_begin && flags & ompt_task_initial) task_data->value = 77;
    if (endpoint != ompt_scope_begin || !(flags & ompt_task_implicit)) return;
    {
        int task_flags = 0, thread_num = -1, size = -1;
        ompt_data_t *task, *region;
        ompt_frame_t *frame;
        int known = get_task_info(0, &task_flags, &task, &frame, &region, &thread_num);
        if (index == 1)
            printf("implicit task %u of %u in region %d: info %d, %s, thread %d, the same %d\n", index, parallelism,
                   (int)parallel_data->value, known, task_flags & ompt_task_implicit ? "implicit" : "?", thread_num,
                   task == task_data && region == parallel_data);
        if (index == 1 && get_parallel_info(0, &region, &size) == 2) printf("team of %d\n", size);
    }
}
static void on_task_create(ompt_data_t *task_data, const ompt_frame_t *frame, ompt_data_t *new_task_data, int flags,
                           int has_dependences, const void *codeptr_ra) {
    (void)task_data, (void)frame, (void)codeptr_ra;
    new_task_data->value = 5;
    if (flags & ompt_task_explicit && !has_dependences) created++;
}
static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    (void)next;
    if (status == ompt_task_complete && prior->value == 5) __atomic_fetch_add(&completed, 1, __ATOMIC_RELAXED);
}
static void on_work(ompt_work_t work_type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                    ompt_data_t *task_data, uint64_t count, const void *codeptr_ra) {
    (void)parallel_data, (void)task_data, (void)codeptr_ra;
    if (work_type == ompt_work_loop_dynamic && endpoint == ompt_scope_begin && count == 10)
        __atomic_fetch_add(&loops, 1, __ATOMIC_RELAXED);
}
static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                           ompt_data_t *task_data, const void *codeptr_ra) {
    (void)parallel_data, (void)task_data, (void)codeptr_ra;
    if (kind == ompt_sync_region_taskwait && endpoint == ompt_scope_end)
        __atomic_fetch_add(&taskwaits, 1, __ATOMIC_RELAXED);
}
static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra) {
    (void)codeptr_ra;
    if (kind == ompt_mutex_critical && wait_id) __atomic_fetch_add(&acquired, 1, __ATOMIC_RELAXED);
}
static void on_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra) {
    (void)codeptr_ra;
    if (kind == ompt_mutex_critical && wait_id) __atomic_fetch_add(&released, 1, __ATOMIC_RELAXED);
}

#define CALLBACK(event, function, type)                                 \
    do {                                                                \
        type typed = function;                                          \
        printf("%s: %d\n", #event, set(event, (ompt_callback_t)typed)); \
    } while (0)

static int initialize(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data) {
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    ompt_enumerate_states_t states = (ompt_enumerate_states_t)lookup("ompt_enumerate_states");
    ompt_enumerate_mutex_impls_t impls = (ompt_enumerate_mutex_impls_t)lookup("ompt_enumerate_mutex_impls");
    const char *name;
    int number;
    (void)initial_device_num;
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
    for (number = ompt_state_undefined; states(number, &number, &name);) printf("state %#x %s\n", number, name);
    for (number = ompt_mutex_impl_none; impls(number, &number, &name);) printf("mutex %d %s\n", number, name);
    CALLBACK(ompt_callback_thread_begin, on_thread_begin, ompt_callback_thread_begin_t);
    CALLBACK(ompt_callback_parallel_begin, on_parallel_begin, ompt_callback_parallel_begin_t);
    CALLBACK(ompt_callback_parallel_end, on_parallel_end, ompt_callback_parallel_end_t);
    CALLBACK(ompt_callback_implicit_task, on_implicit_task, ompt_callback_implicit_task_t);
    CALLBACK(ompt_callback_task_create, on_task_create, ompt_callback_task_create_t);
    CALLBACK(ompt_callback_task_schedule, on_task_schedule, ompt_callback_task_schedule_t);
    CALLBACK(ompt_callback_work, on_work, ompt_callback_work_t);
    CALLBACK(ompt_callback_sync_region, on_sync_region, ompt_callback_sync_region_t);
    CALLBACK(ompt_callback_mutex_acquired, on_acquired, ompt_callback_mutex_t);
    CALLBACK(ompt_callback_mutex_released, on_released, ompt_callback_mutex_t);
    tool_data->ptr = &created;
    return 1;
}
static void finalize(ompt_data_t *tool_data) {
    printf("tasks %d %d, critical %d %d, loops %d, taskwaits %d, data %d\n", created, completed, acquired, released,
           loops, taskwaits, tool_data->ptr == &created);
}
ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version) {
    static ompt_start_tool_result_t result = {initialize, finalize, ompt_data_none};
    printf("start: %s\n", omp_version && runtime_version ? "yes" : "no");
    return &result;
}
