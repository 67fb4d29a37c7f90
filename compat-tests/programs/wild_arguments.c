/* A tool that asks every entry point of its interface with arguments that no tool should pass: null, addresses that are not aligned,
 * numbers of no event, level, place or state, sizes below 0; outside of regions, in them, in tasks, and on a thread of the program's
 * own. Built for one interface each: FACE is 2 for TR2, 3 for OpenMP 5. Prints what differs from the standard's words: nothing. */
#include <omp.h>
#include <pthread.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if FACE == 2
#include <ompt_tr2.h>
#else
#include <omp-tools.h>
#endif

static int failures, starts;

static void check(int line, const char *what, long is, long wanted) {
    if (is == wanted) return;
    printf("line %d: %s is %ld, not %ld\n", line, what, is, wanted);
    failures++;
}
#define CHECK(expression, wanted) check(__LINE__, #expression, (long)(expression), (long)(wanted))

enum { NUMBERS = 12 };
static const int numbers[NUMBERS] = {-1, -2, INT_MIN, INT_MIN + 1, INT_MAX, INT_MAX - 1, 1 << 30, 0x10000, 0x7fff, 1000, 999, 255};

static ompt_function_lookup_t look_up;
static const char *long_name;

static void wild_names(void) {
    CHECK(look_up("") == NULL, 1);
    CHECK(look_up("ompt_") == NULL, 1);
    CHECK(look_up("ompt_set_callback ") == NULL, 1);
    CHECK(look_up("\xff\xfe\x01%s%n") == NULL, 1);
    CHECK(look_up(long_name) == NULL, 1);
    CHECK(look_up(NULL) == NULL, 1);
}

static void no_callback(void) {}

#if FACE == 2
static ompt_set_callback_t set_callback;
static ompt_get_callback_t get_callback;
static ompt_enumerate_state_t enumerate_state;
static ompt_get_thread_id_t get_thread_id;
static ompt_get_state_t get_state;
static ompt_get_idle_frame_t get_idle_frame;
static ompt_get_parallel_id_t get_parallel_id;
static ompt_get_parallel_team_size_t get_parallel_team_size;
static ompt_get_task_id_t get_task_id;
static ompt_get_task_frame_t get_task_frame;

/* `levels` is the number of enclosing regions. TR2, table 2: level 0 is the innermost one. */
static void ask(int levels) {
    char room[64];
    const char *name = NULL;
    ompt_callback_t callback = NULL;
    int at, next = 0;
    memset(room, 0, sizeof room);
    get_thread_id(), get_idle_frame();
    get_state(NULL);
    get_state((ompt_wait_id_t *)(void *)(room + 1));
    for (at = 0; at < NUMBERS; at++) {
        int number = numbers[at];
        /* TR2: 0 is not the id of a region or a task, and there is no frame. */
        CHECK(get_parallel_id(number), 0);
        CHECK(get_task_id(number), 0);
        CHECK(get_task_frame(number) == NULL, 1);
        CHECK(get_parallel_team_size(number) <= 0, 1);
        CHECK(get_callback((ompt_event_t)number, &callback), 0);
        CHECK(set_callback((ompt_event_t)number, no_callback) <= 1, 1);
        CHECK(enumerate_state(number, &next, &name), 0);
    }
    CHECK(get_parallel_id(levels), 0);
    if (levels > 0) CHECK(get_parallel_id(levels - 1) != 0, 1);
    get_callback(ompt_event_parallel_begin, NULL);
    get_callback(ompt_event_parallel_begin, (ompt_callback_t *)(void *)(room + 1));
    enumerate_state(ompt_state_first, NULL, &name);
    enumerate_state(ompt_state_first, &next, NULL);
    enumerate_state(ompt_state_first, NULL, NULL);
    enumerate_state(ompt_state_first, (int *)(void *)(room + 1), (const char **)(void *)(room + 17));
}

int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int version) {
    (void)runtime_version, (void)version;
    look_up = lookup;
    set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_callback = (ompt_get_callback_t)lookup("ompt_get_callback");
    enumerate_state = (ompt_enumerate_state_t)lookup("ompt_enumerate_state");
    get_thread_id = (ompt_get_thread_id_t)lookup("ompt_get_thread_id");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_idle_frame = (ompt_get_idle_frame_t)lookup("ompt_get_idle_frame");
    get_parallel_id = (ompt_get_parallel_id_t)lookup("ompt_get_parallel_id");
    get_parallel_team_size = (ompt_get_parallel_team_size_t)lookup("ompt_get_parallel_team_size");
    get_task_id = (ompt_get_task_id_t)lookup("ompt_get_task_id");
    get_task_frame = (ompt_get_task_frame_t)lookup("ompt_get_task_frame");
    starts++;
    wild_names();
    ask(0);
    return 1;
}
#else
static ompt_set_callback_t set_callback;
static ompt_get_callback_t get_callback;
static ompt_enumerate_states_t enumerate_states;
static ompt_enumerate_mutex_impls_t enumerate_mutex_impls;
static ompt_get_place_proc_ids_t get_place_proc_ids;
static ompt_get_partition_place_nums_t get_partition_place_nums;
static ompt_get_state_t get_state;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_task_info_t get_task_info;
static ompt_get_task_memory_t get_task_memory;
static ompt_get_target_info_t get_target_info;
static ompt_get_proc_id_t get_proc_id;

/* LLVM's runtime has these answers, which the standard leaves open. */
static void ask_of_implicit_task(void) {
    int flags = 0;
    CHECK(get_task_info(0, &flags, NULL, NULL, NULL, NULL), 2);
    CHECK(flags, (int)ompt_task_implicit | (int)ompt_task_undeferred);
    CHECK(get_proc_id() >= 0, 1);
}

static void ask(int levels) {
    char room[64];
    const char *name = NULL;
    ompt_callback_t callback = NULL;
    ompt_data_t *data = NULL, *region = NULL;
    ompt_frame_t *frame = NULL;
    void *address = NULL;
    size_t size = 0;
    int at, next = 0, flags = 0, number_in_team = 0, ids[2] = {7, 7};
    memset(room, 0, sizeof room);
    get_state(NULL);
    get_state((ompt_wait_id_t *)(void *)(room + 1));
    for (at = 0; at < NUMBERS; at++) {
        int number = numbers[at];
        /* OpenMP 5, 4.6.1.14 and 4.6.1.15: 0 where there is no region or task at that level. */
        CHECK(get_parallel_info(number, &data, &next), 0);
        CHECK(get_parallel_info(number, NULL, NULL), 0);
        CHECK(get_task_info(number, &flags, &data, &frame, &region, &number_in_team), 0);
        CHECK(get_task_info(number, NULL, NULL, NULL, NULL, NULL), 0);
        CHECK(get_callback((ompt_callbacks_t)number, &callback), 0);
        CHECK(set_callback((ompt_callbacks_t)number, no_callback) <= ompt_set_never, 1);
        CHECK(enumerate_states(number, &next, &name), 0);
        CHECK(enumerate_mutex_impls(number, &next, &name), 0);
        CHECK(get_place_proc_ids(number, 2, ids), 0);
        CHECK(ids[0] == 7 && ids[1] == 7, 1);
        get_task_memory(&address, &size, number);
    }
    /* Numbers of no event in any release. */
    CHECK(set_callback((ompt_callbacks_t)60, no_callback), ompt_set_error);
    CHECK(get_callback((ompt_callbacks_t)60, &callback), 0);
    for (at = 0; at < 4; at++) {
        int few = at < 2 ? at : numbers[at];
        get_place_proc_ids(0, few, few > 0 ? ids : NULL);
        get_partition_place_nums(few, few > 0 ? ids : NULL);
    }
    get_place_proc_ids(0, 2, NULL), get_partition_place_nums(2, NULL);
    get_place_proc_ids(0, -5, ids), get_partition_place_nums(-5, ids);
    /* The initial thread's implicit region encloses all others. */
    CHECK(get_parallel_info(levels + 1, &data, &next), 0);
    get_parallel_info(0, (ompt_data_t **)(void *)(room + 1), (int *)(void *)(room + 17));
    get_task_info(0, (int *)(void *)(room + 1), (ompt_data_t **)(void *)(room + 5), (ompt_frame_t **)(void *)(room + 13),
                  (ompt_data_t **)(void *)(room + 21), (int *)(void *)(room + 29));
    get_task_info(0, NULL, NULL, NULL, NULL, NULL);
    get_task_memory(NULL, NULL, 0), get_task_memory(&address, NULL, 0), get_task_memory(NULL, &size, 0);
    get_target_info(NULL, NULL, NULL);
    get_callback(ompt_callback_parallel_begin, NULL);
    get_callback(ompt_callback_parallel_begin, (ompt_callback_t *)(void *)(room + 1));
    enumerate_states(ompt_state_undefined, NULL, &name), enumerate_states(ompt_state_undefined, &next, NULL);
    enumerate_states(ompt_state_undefined, NULL, NULL);
    enumerate_mutex_impls(0, NULL, NULL);
    enumerate_states(ompt_state_undefined, (int *)(void *)(room + 1), (const char **)(void *)(room + 17));
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device, (void)data;
    look_up = lookup;
    set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_callback = (ompt_get_callback_t)lookup("ompt_get_callback");
    enumerate_states = (ompt_enumerate_states_t)lookup("ompt_enumerate_states");
    enumerate_mutex_impls = (ompt_enumerate_mutex_impls_t)lookup("ompt_enumerate_mutex_impls");
    get_place_proc_ids = (ompt_get_place_proc_ids_t)lookup("ompt_get_place_proc_ids");
    get_partition_place_nums = (ompt_get_partition_place_nums_t)lookup("ompt_get_partition_place_nums");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    get_task_memory = (ompt_get_task_memory_t)lookup("ompt_get_task_memory");
    get_target_info = (ompt_get_target_info_t)lookup("ompt_get_target_info");
    get_proc_id = (ompt_get_proc_id_t)lookup("ompt_get_proc_id");
    starts++;
    wild_names();
    ask(0);
    return 1;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime_version) {
    static ompt_start_tool_result_t result = {initialize, NULL, {0}};
    (void)version, (void)runtime_version;
    return &result;
}
#endif

static void *of_its_own(void *nothing) {
#if FACE == 3
    CHECK(get_proc_id(), -1);
#endif
    ask(0);
    return nothing;
}

int main(void) {
    pthread_t thread;
    char *name = malloc(1 << 20);
    if (!name) return 2;
    memset(name, 'x', (1 << 20) - 1);
    name[(1 << 20) - 1] = 0;
    long_name = name;
    omp_get_max_threads();
    ask(0);
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        ask(1);
#if FACE == 3
#pragma omp critical
        ask_of_implicit_task();
#endif
#pragma omp barrier
#pragma omp single
        {
#pragma omp task
            {
#pragma omp critical
                ask(1);
            }
        }
#pragma omp parallel num_threads(2)
        {
#pragma omp critical
            ask(omp_get_level());
        }
    }
    if (pthread_create(&thread, NULL, of_its_own, NULL)) return 2;
    pthread_join(thread, NULL);
    wild_names();
    CHECK(starts, 1);
    free(name);
    return failures != 0;
}
