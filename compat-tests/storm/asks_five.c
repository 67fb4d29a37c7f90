/* The storm's tool of OpenMP 5. Words of regions, tasks and threads begin with a letter of their kind, so that a word of another
 * kind, or memory that is none, shows. */
#include "storm.h"

#include "omp-tools.h"

#include <string.h>

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

static char states[0x110];
static int own, is_there;

static uint64_t fresh(char kind) {
    static uint64_t last;
    return (uint64_t)kind << 56 | __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* An empty word is one that the tool hasn't been told of yet. */
static int is_of(const ompt_data_t *word, char kind) { return word && (word->value == 0 || word->value >> 56 == (uint64_t)kind); }

static int set_of(int state) {
    switch (state) {
        case ompt_state_work_serial: return SERIAL;
        case ompt_state_work_parallel: return PARALLEL;
        case ompt_state_idle: return IDLE;
        case ompt_state_work_reduction:
        case ompt_state_overhead: return OVERHEAD;
        case ompt_state_wait_barrier: return IMPLICIT | EXPLICIT;
        case ompt_state_wait_barrier_implicit:
        case ompt_state_wait_barrier_teams:
        case ompt_state_wait_barrier_implementation:
        case ompt_state_wait_barrier_implicit_parallel:
        case ompt_state_wait_barrier_implicit_workshare: return IMPLICIT;
        case ompt_state_wait_barrier_explicit: return EXPLICIT;
        case ompt_state_wait_taskwait:
        case ompt_state_wait_taskgroup: return TASKS;
        case ompt_state_wait_lock: return LOCK;
        case ompt_state_wait_critical: return CRITICAL;
        case ompt_state_wait_atomic: return ATOMIC;
        case ompt_state_wait_ordered: return ORDERED;
        default: return NOBODY;
    }
}

void five_ask(struct five_answers *all) {
    int level, places[16];
    ompt_wait_id_t wait = 0;
    void *memory = NULL;
    size_t size = 0;
    const ompt_data_t *thread;
    if (!(all->there = __atomic_load_n(&is_there, __ATOMIC_ACQUIRE))) return;
    all->own = own;
    thread = get_thread_data();
    all->thread_fits = !thread || is_of(thread, 'T');
    if (own) all->thread_fits &= get_unique_id() != 0 && get_proc_id() >= 0 && get_place_num() >= -1 && get_num_procs() > 0;
    all->state = get_state(&wait);
    all->set = set_of(all->state);
    all->wait = wait;
    all->listed = all->state >= 0 && all->state < (int)sizeof states && states[all->state];
    all->regions_fit = all->tasks_fit = 1;
    for (level = 0; level < LEVELS; level++) {
        ompt_data_t *region = NULL, *task = NULL, *of_task = NULL;
        ompt_frame_t *frame = NULL;
        int count = -1, flags = 0, index = -1, kinds;
        all->region[level] = get_parallel_info(level, &region, &count);
        if (level == 0) all->size = count;
        if (all->region[level] == 2)
            all->regions_fit &= is_of(region, 'R') && count > 0 && count < 100000;
        else
            all->regions_fit &= !own || (!region && count == -1);
        all->task[level] = get_task_info(level, &flags, &task, &frame, &of_task, &index);
        kinds = !!(flags & ompt_task_initial) + !!(flags & ompt_task_implicit) + !!(flags & ompt_task_explicit);
        if (all->task[level] == 2)
            /* A worker that has left its region, which may be gone, is still in its implicit task for a moment. */
            all->tasks_fit &= is_of(task, 'K') && frame && (!own || (kinds == 1 && index >= 0 && index < 100000))
                              && (is_of(of_task, 'R') || (!of_task && (!own || (level == 0 && flags & ompt_task_implicit))));
        else
            all->tasks_fit &= !own || (!task && !of_task && !frame && index == -1);
        if (level == 0) all->explicit_task = all->task[0] == 2 && flags & ompt_task_explicit;
    }
    get_task_memory(&memory, &size, 0);
    get_partition_place_nums(16, places);
}

static void on_thread_begin(ompt_thread_t kind, ompt_data_t *thread) {
    (void)kind;
    thread->value = fresh('T');
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned requested, int flags,
                              const void *code) {
    (void)task, (void)frame, (void)requested, (void)flags, (void)code;
    region->value = fresh('R');
}

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *region, ompt_data_t *task, unsigned size, unsigned index,
                             int flags) {
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

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
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
    set_callback(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
    set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set_callback(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    set_callback(ompt_callback_task_create, (ompt_callback_t)on_task_create);
    get_partition_place_nums = (ompt_get_partition_place_nums_t)lookup("ompt_get_partition_place_nums");
    __atomic_store_n(&is_there, 1, __ATOMIC_RELEASE);
    return 1;
}

static void finalize(ompt_data_t *tool) {
    (void)tool;
    __atomic_store_n(&is_there, 0, __ATOMIC_RELEASE);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)omp_version;
    /* LLVM's and Intel's runtimes answer a tool of theirs themselves, as they see it. */
    own = !strstr(runtime_version, "LLVM") && !strstr(runtime_version, "Intel");
    return &result;
}
