/* Lies of the entry points. */
#include <string.h>

#include "liar.h"
#include "words.h"

static ompt_enumerate_states_t states;
static ompt_enumerate_mutex_impls_t mutexes;
static ompt_set_callback_t set_callback;
static ompt_get_callback_t get_callback;
static ompt_get_thread_data_t thread_data;
static ompt_get_state_t state;
static ompt_get_parallel_info_t parallel_info;
static ompt_get_task_info_t task_info;
static ompt_get_unique_id_t unique_id;
static ompt_get_place_num_t place_num;
static ompt_get_target_info_t target_info;

static int lying_states(int current, int *next, const char **name) {
    int more = states(current, next, name);
    if (more && lies("state_unnamed"))
        *name = "";
    return more;
}

static int lying_mutexes(int current, int *next, const char **name) {
    int more = mutexes(current, next, name);
    if (lies("mutexes_endless"))
        *next = 1, *name = "mutex", more = 1;
    return more;
}

static ompt_set_result_t lying_set(ompt_callbacks_t event, ompt_callback_t callback) {
    validator[event] = callback;
    ompt_set_result_t answer = set_callback(event, liar(event));
    if (event == ompt_callback_work && lies("set_error"))
        return (ompt_set_result_t)9;
    if (event == ompt_callback_work && lies("set_never"))
        return ompt_set_never;
    return answer;
}

static int lying_get(ompt_callbacks_t event, ompt_callback_t *callback) {
    *callback = lies("get_other") ? (ompt_callback_t)get_callback : validator[event];
    return 1;
}

static ompt_data_t *lying_thread_data(void) { return lies("thread_data") ? &nothing : thread_data(); }

static int lying_state(ompt_wait_id_t *wait) { return lies("state_unknown") ? 0x3ff : state(wait); }

const ompt_frame_t *mended(const ompt_frame_t *frame) {
    static _Thread_local ompt_frame_t copy;
    copy = *frame;
    copy.exit_frame_flags = copy.enter_frame_flags = ompt_frame_runtime | ompt_frame_framepointer;
    return strict() ? &copy : frame;
}

static int lying_parallel_info(int level, ompt_data_t **data, int *size) {
    int known = parallel_info(level, data, size);
    if (known == 2 && lies("parallel_info_data"))
        *data = &nothing;
    if (known == 2 && lies("parallel_info_size"))
        ++*size;
    return known;
}

static int lying_task_info(int level, int *flags, ompt_data_t **task, ompt_frame_t **frame, ompt_data_t **parallel,
                           int *number) {
    /* Further up libomp 19 crashes at times; the validator spares it that if it may know who it is. */
    if (strict() && level > 0)
        return 0;
    int known = task_info(level, flags, task, frame, parallel, number);
    if (known != 2)
        return known;
    if (level == 0 && lies("task_info_data"))
        *task = &nothing;
    if (level == 0 && lies("task_info_flags"))
        *flags ^= ompt_task_implicit | ompt_task_explicit;
    if (level == 0 && lies("task_info_parallel"))
        *parallel = &nothing;
    if (level == 0 && lies("task_info_number"))
        *number += 1;
    if (level == 1 && lies("task_info_ancestor"))
        task_info(0, flags, task, frame, parallel, number);
    if (*frame && strict())
        *frame = (ompt_frame_t *)mended(*frame);
    if (level == 0 && *frame && lies("frame_no_exit")) {
        static _Thread_local ompt_frame_t copy;
        copy = **frame;
        copy.exit_frame.ptr = NULL;
        *frame = &copy;
    }
    if (level == 0 && *frame && lies("frame_in_barrier")) {
        static _Thread_local ompt_frame_t copy;
        copy = **frame;
        if (!copy.exit_frame.ptr)
            copy.exit_frame.ptr = &copy;
        *frame = &copy;
    }
    return known;
}

static uint64_t lying_unique_id(void) { return lies("unique_id") ? 7 : unique_id(); }

static int lying_place_num(void) { return lies("place_num") ? 1000 : place_num(); }

static int lying_target_info(uint64_t *device, ompt_id_t *target, ompt_id_t *operation) {
    return lies("in_target") ? 1 : target_info(device, target, operation);
}

#define REPLACE(symbol, real_one, own)                                                                                 \
    if (strcmp(name, symbol) == 0) {                                                                                   \
        *(ompt_interface_fn_t *)&real_one = real;                                                                      \
        return (ompt_interface_fn_t)own;                                                                               \
    }

ompt_interface_fn_t entry_point(const char *name, ompt_interface_fn_t real) {
    REPLACE("ompt_enumerate_states", states, lying_states)
    REPLACE("ompt_enumerate_mutex_impls", mutexes, lying_mutexes)
    REPLACE("ompt_set_callback", set_callback, lying_set)
    REPLACE("ompt_get_callback", get_callback, lying_get)
    REPLACE("ompt_get_thread_data", thread_data, lying_thread_data)
    REPLACE("ompt_get_state", state, lying_state)
    REPLACE("ompt_get_parallel_info", parallel_info, lying_parallel_info)
    REPLACE("ompt_get_task_info", task_info, lying_task_info)
    REPLACE("ompt_get_unique_id", unique_id, lying_unique_id)
    REPLACE("ompt_get_place_num", place_num, lying_place_num)
    REPLACE("ompt_get_target_info", target_info, lying_target_info)
    return real;
}
