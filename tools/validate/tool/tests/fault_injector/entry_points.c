/* Faults of the entry points. */
#include <string.h>

#include "injector.h"
#include "data_words.h"

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

static int faulty_states(int current, int *next, const char **name) {
    int more = states(current, next, name);
    if (more && fault_is("state_unnamed"))
        *name = "";
    return more;
}

static int faulty_mutexes(int current, int *next, const char **name) {
    int more = mutexes(current, next, name);
    if (fault_is("mutexes_endless"))
        *next = 1, *name = "mutex", more = 1;
    return more;
}

static ompt_set_result_t faulty_set(ompt_callbacks_t event, ompt_callback_t callback) {
    validator[event] = callback;
    ompt_set_result_t answer = set_callback(event, injected_callback(event));
    if (event == ompt_callback_work && fault_is("set_error"))
        return (ompt_set_result_t)9;
    if (event == ompt_callback_work && fault_is("set_never"))
        return ompt_set_never;
    return answer;
}

static int faulty_get(ompt_callbacks_t event, ompt_callback_t *callback) {
    *callback = fault_is("get_other") ? (ompt_callback_t)get_callback : validator[event];
    return 1;
}

static ompt_data_t *faulty_thread_data(void) { return fault_is("thread_data") ? &nothing : thread_data(); }

static int faulty_state(ompt_wait_id_t *wait) { return fault_is("state_unknown") ? 0x3ff : state(wait); }

const ompt_frame_t *mended(const ompt_frame_t *frame) {
    static _Thread_local ompt_frame_t copy;
    copy = *frame;
    copy.exit_frame_flags = copy.enter_frame_flags = ompt_frame_runtime | ompt_frame_framepointer;
    return strict() ? &copy : frame;
}

static int faulty_parallel_info(int level, ompt_data_t **data, int *size) {
    int known = parallel_info(level, data, size);
    if (known == 2 && fault_is("parallel_info_data"))
        *data = &nothing;
    if (known == 2 && fault_is("parallel_info_size"))
        ++*size;
    return known;
}

static int faulty_task_info(int level, int *flags, ompt_data_t **task, ompt_frame_t **frame, ompt_data_t **parallel,
                           int *number) {
    /* Further up libomp 19 crashes at times; the validator spares it that if it may know who it is. */
    if (strict() && level > 0)
        return 0;
    int known = task_info(level, flags, task, frame, parallel, number);
    if (known != 2)
        return known;
    if (level == 0 && fault_is("task_info_data"))
        *task = &nothing;
    if (level == 0 && fault_is("task_info_flags"))
        *flags ^= ompt_task_implicit | ompt_task_explicit;
    if (level == 0 && fault_is("task_info_parallel"))
        *parallel = &nothing;
    if (level == 0 && fault_is("task_info_number"))
        *number += 1;
    if (level == 1 && fault_is("task_info_ancestor"))
        task_info(0, flags, task, frame, parallel, number);
    if (*frame && strict())
        *frame = (ompt_frame_t *)mended(*frame);
    if (level == 0 && *frame && fault_is("frame_no_exit")) {
        static _Thread_local ompt_frame_t copy;
        copy = **frame;
        copy.exit_frame.ptr = NULL;
        *frame = &copy;
    }
    if (level == 0 && *frame && fault_is("frame_in_barrier")) {
        static _Thread_local ompt_frame_t copy;
        copy = **frame;
        if (!copy.exit_frame.ptr)
            copy.exit_frame.ptr = &copy;
        *frame = &copy;
    }
    return known;
}

static uint64_t faulty_unique_id(void) { return fault_is("unique_id") ? 7 : unique_id(); }

static int faulty_place_num(void) { return fault_is("place_num") ? 1000 : place_num(); }

static int faulty_target_info(uint64_t *device, ompt_id_t *target, ompt_id_t *operation) {
    return fault_is("in_target") ? 1 : target_info(device, target, operation);
}

#define REPLACE(symbol, real_one, own)                                                                                 \
    if (strcmp(name, symbol) == 0) {                                                                                   \
        *(ompt_interface_fn_t *)&real_one = real;                                                                      \
        return (ompt_interface_fn_t)own;                                                                               \
    }

ompt_interface_fn_t entry_point(const char *name, ompt_interface_fn_t real) {
    REPLACE("ompt_enumerate_states", states, faulty_states)
    REPLACE("ompt_enumerate_mutex_impls", mutexes, faulty_mutexes)
    REPLACE("ompt_set_callback", set_callback, faulty_set)
    REPLACE("ompt_get_callback", get_callback, faulty_get)
    REPLACE("ompt_get_thread_data", thread_data, faulty_thread_data)
    REPLACE("ompt_get_state", state, faulty_state)
    REPLACE("ompt_get_parallel_info", parallel_info, faulty_parallel_info)
    REPLACE("ompt_get_task_info", task_info, faulty_task_info)
    REPLACE("ompt_get_unique_id", unique_id, faulty_unique_id)
    REPLACE("ompt_get_place_num", place_num, faulty_place_num)
    REPLACE("ompt_get_target_info", target_info, faulty_target_info)
    return real;
}
