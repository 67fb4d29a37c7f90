/* A tool of OpenMP 5 that asks everything that may be asked in a signal handler, in one: TRACE_SAMPLE=each interrupts one
 * thread after the other. Words of regions, tasks and threads begin with a letter of their kind, so that a word of another kind, or
 * memory that is none, shows. Says at the end how many samples there were, and how many answers were wrong. */
#include <omp-tools.h>

#include "trace.h"

#include <stdio.h>

static ompt_get_thread_data_t get_thread_data;
static ompt_get_state_t get_state;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_task_info_t get_task_info;
static ompt_get_task_memory_t get_task_memory;
static ompt_get_unique_id_t get_unique_id;
static ompt_get_proc_id_t get_proc_id;
static ompt_get_place_num_t get_place_num;
static ompt_get_num_procs_t get_num_procs;
static ompt_get_partition_place_nums_t get_partition_place_nums;

static unsigned long samples, in_regions, in_tasks, wrong;
static char states[0x110];

static uint64_t fresh(char kind) {
    static uint64_t last;
    return (uint64_t)kind << 56 | __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* An empty word is one that the tool hasn't been told of yet. */
static int is_of(const ompt_data_t *word, char kind) { return word && (word->value == 0 || word->value >> 56 == (uint64_t)kind); }

static int first_wrong;

static void check_at(int line, int right) {
    if (!right && __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED) == 1) first_wrong = line;
}
#define check(right) check_at(__LINE__, right)

static void on_sample(void) {
    int level, places[16], state;
    ompt_wait_id_t wait = 0;
    void *memory = NULL;
    size_t size = 1;
    ompt_data_t *thread = get_thread_data();
    __atomic_add_fetch(&samples, 1, __ATOMIC_RELAXED);
    check(!thread || is_of(thread, 'T'));
    state = get_state(&wait);
    check(state >= 0 && state < (int)sizeof states && states[state]);
    for (level = 0; level < 8; level++) {
        ompt_data_t *region = NULL;
        int count = -1, answer = get_parallel_info(level, &region, &count);
        check(answer == 2 ? is_of(region, 'R') && count > 0 && count < 100000 : !region && count == -1);
        if (answer == 0) break;
    }
    if (level > 1) __atomic_add_fetch(&in_regions, 1, __ATOMIC_RELAXED);
    for (level = 0; level < 64; level++) {
        ompt_data_t *task = NULL, *region = NULL;
        ompt_frame_t *frame = NULL;
        int flags = 0, index = -1, answer = get_task_info(level, &flags, &task, &frame, &region, &index);
        int kinds = !!(flags & ompt_task_initial) + !!(flags & ompt_task_implicit) + !!(flags & ompt_task_explicit);
        if (answer == 2)
            /* A worker that has left its region, which may be gone, is still in its implicit task for a moment. */
            check(is_of(task, 'K') && frame && kinds == 1 && index >= 0 && index < 100000
                  && (is_of(region, 'R') || (!region && level == 0 && flags & ompt_task_implicit)));
        else
            check(!task && !region && !frame && index == -1);
        if (answer == 2 && level == 0 && flags & ompt_task_explicit) __atomic_add_fetch(&in_tasks, 1, __ATOMIC_RELAXED);
        if (answer == 0) break;
    }
    get_task_memory(&memory, &size, 0);
    check(get_unique_id() != 0 && get_proc_id() >= 0 && get_place_num() >= -1 && get_num_procs() > 0);
    get_partition_place_nums(16, places);
}

static void on_thread_begin(ompt_thread_t kind, ompt_data_t *thread) {
    (void)kind;
    thread->value = fresh('T');
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned requested,
                              int flags, const void *code) {
    (void)frame, (void)requested, (void)flags, (void)code;
    check(is_of(task, 'K'));
    region->value = fresh('R');
}

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *region, ompt_data_t *task, unsigned size,
                             unsigned index, int flags) {
    (void)size, (void)index;
    if (at != ompt_scope_begin) return;
    if (flags & ompt_task_initial) region->value = fresh('R');
    task->value = fresh('K');
}

static void on_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int depends,
                           const void *code) {
    (void)creator, (void)frame, (void)flags, (void)depends, (void)code;
    task->value = fresh('K');
}

static int on_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
    ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    ompt_enumerate_states_t enumerate = (ompt_enumerate_states_t)lookup("ompt_enumerate_states");
    int state = ompt_state_undefined;
    const char *name;
    (void)device, (void)tool;
    while (enumerate(state, &state, &name)) states[state] = 1;
    get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    get_task_memory = (ompt_get_task_memory_t)lookup("ompt_get_task_memory");
    get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
    get_proc_id = (ompt_get_proc_id_t)lookup("ompt_get_proc_id");
    get_place_num = (ompt_get_place_num_t)lookup("ompt_get_place_num");
    get_num_procs = (ompt_get_num_procs_t)lookup("ompt_get_num_procs");
    get_partition_place_nums = (ompt_get_partition_place_nums_t)lookup("ompt_get_partition_place_nums");
    set_callback(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
    set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set_callback(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    set_callback(ompt_callback_task_create, (ompt_callback_t)on_task_create);
    sampler_start(on_sample);
    return 1;
}

static void on_finalize(ompt_data_t *tool) {
    (void)tool;
    fprintf(stderr, "storm: %lu samples, %lu in regions, %lu in tasks, %lu wrong, at first in line %d\n", samples,
            in_regions, in_tasks, wrong, first_wrong);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version) {
    static ompt_start_tool_result_t result = {on_initialize, on_finalize, {0}};
    (void)omp_version, (void)runtime_version;
    return &result;
}
