/* Common parts of tools of OpenMP 5 that make queries in signal handlers: the queries, the words that identify regions, tasks and
 * threads, and the rules for possible answers. Words start with a letter for their kind, so that a word of another kind, or memory that
 * is not a word, is recognized. */
#ifndef FIVE_H
#define FIVE_H

#include <omp-tools.h>

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
static ompt_set_callback_t set_callback;

static char states[0x110];

static uint64_t fresh(char kind) {
    static uint64_t last;
    return (uint64_t)kind << 56 | __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* An empty word is one that the tool hasn't got an event for yet. */
static int is_of(const ompt_data_t *word, char kind) { return word && (word->value == 0 || word->value >> 56 == (uint64_t)kind); }

static int is_listed(int state) { return state >= 0 && state < (int)sizeof states && states[state]; }

static int thread_fits(void) {
    const ompt_data_t *thread = get_thread_data();
    return !thread || is_of(thread, 'T');
}

/* A processor is reported on OpenMP threads, which are those with a word. */
static int place_fits(void) {
    const int processor = get_proc_id();
    return get_unique_id() != 0 && (get_thread_data() ? processor >= 0 : processor == -1) && get_place_num() >= -1;
}

/* The one query that only the system can answer: how many processors the thread may use at this moment. */
static int processors_fit(void) { return get_num_procs() > 0; }

/* Answers that are not checked. LLVM's runtime 19 itself crashes when asked for the memory of a task that a worker in the pool doesn't
 * have. */
static void ask_for_more(int ours) {
    int places[16];
    void *memory = NULL;
    size_t size = 1;
    if (ours) get_task_memory(&memory, &size, 0);
    get_partition_place_nums(16, places);
}

/* What is known of a level: the answer, whether it is possible, and the team's size or the task's flags. The rules for a runtime's own
 * answers (not `ours`) are weaker. */
struct level {
    int answer, fits, size, flags;
};

static struct level region_at(int depth, int ours) {
    ompt_data_t *region = NULL;
    struct level level = {0, 0, -1, 0};
    level.answer = get_parallel_info(depth, &region, &level.size);
    if (level.answer == 2)
        level.fits = is_of(region, 'R') && level.size > 0 && level.size < 100000;
    else
        level.fits = !ours || (!region && level.size == -1);
    return level;
}

static struct level task_at(int depth, int ours) {
    ompt_data_t *task = NULL, *region = NULL;
    ompt_frame_t *frame = NULL;
    int index = -1, kinds;
    struct level level = {0, 0, -1, 0};
    level.answer = get_task_info(depth, &level.flags, &task, &frame, &region, &index);
    kinds = !!(level.flags & ompt_task_initial) + !!(level.flags & ompt_task_implicit) + !!(level.flags & ompt_task_explicit)
            + !!(level.flags & ompt_task_target);
    if (level.answer == 2)
        /* A worker that has left its region, which may no longer exist, is still in its implicit task for a moment. */
        level.fits = is_of(task, 'K') && frame && (!ours || (kinds == 1 && index >= 0 && index < 100000))
                     && (is_of(region, 'R') || (!region && (!ours || (depth == 0 && level.flags & ompt_task_implicit))));
    else
        level.fits = !ours || (!task && !region && !frame && index == -1);
    return level;
}

static int is_in_explicit_task(struct level innermost) { return innermost.answer == 2 && innermost.flags & ompt_task_explicit; }

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

/* Finds the queries, and gets all events in which a word is set. */
static void find_questions(ompt_function_lookup_t lookup) {
    ompt_enumerate_states_t enumerate = (ompt_enumerate_states_t)lookup("ompt_enumerate_states");
    int state = ompt_state_undefined;
    const char *name;
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
    set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    set_callback(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
    set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set_callback(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    set_callback(ompt_callback_task_create, (ompt_callback_t)on_task_create);
}

#endif
