// A tool of OpenMP 5 that registers every callback. They only count and change errno, which must not be visible to the program. With
// TOOL_ASKS=1 each of them also makes all queries, and writes to the words that it finds. With TOOL_STORM=1 a thread unregisters all of
// them and registers them again, a thousand times a second.
#include <omp-tools.h>

#include "heard.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <pthread.h>

namespace {

ompt_set_callback_t set_callback;
ompt_get_state_t get_state;
ompt_get_thread_data_t get_thread_data;
ompt_get_parallel_info_t get_parallel_info;
ompt_get_task_info_t get_task_info;
ompt_get_task_memory_t get_task_memory;
ompt_get_unique_id_t get_unique_id;
ompt_get_place_num_t get_place_num;
ompt_get_proc_id_t get_proc_id;
ompt_get_callback_t get_callback;
bool asks;

// The time for a level grows with its depth.
enum { LEVELS = 12 };

void note(ompt_data_t *word) {
    if (word) word->value++;
}

void ask() {
    ompt_wait_id_t wait = 0;
    get_state(&wait);
    note(get_thread_data());
    for (int level = 0, more = 1; more && level < LEVELS; level++) {
        ompt_data_t *region = nullptr, *task = nullptr;
        ompt_frame_t *frame = nullptr;
        int size = 0, flags = 0, number = 0;
        more = get_parallel_info(level, &region, &size);
        if (more == 2) note(region);
        const int known = get_task_info(level, &flags, &task, &frame, &region, &number);
        if (known == 2) {
            note(task);
            note(region);
            // Reads the memory that it points to.
            if (frame->exit_frame.ptr == frame) abort();
        }
        more = more || known;
    }
    void *block = nullptr;
    size_t bytes = 0;
    get_task_memory(&block, &bytes, 0);
    get_unique_id();
    get_place_num();
    get_proc_id();
    ompt_callback_t mine = nullptr;
    get_callback(ompt_callback_thread_begin, &mine);
}

void heard_of(int number) {
    heard(number);
    if (asks) ask();
    errno = 5000 + number;
}

template <int number, typename... Arguments> void on(Arguments...) { heard_of(number); }

int on_control(uint64_t, uint64_t, void *, const void *) {
    heard_of(ompt_callback_control_tool);
    return 0;
}

template <typename F> void find(ompt_function_lookup_t lookup, const char *name, F &function) {
    function = reinterpret_cast<F>(lookup(name));
    if (!function) abort();
}

template <typename F> void wish(ompt_callbacks_t number, F function, bool wanted) {
    set_callback(number, wanted ? reinterpret_cast<ompt_callback_t>(function) : nullptr);
}

void wish_all(bool wanted) {
#define WISH_AS(name, type) wish<type>(ompt_callback_##name, on<ompt_callback_##name>, wanted)
#define WISH(name) WISH_AS(name, ompt_callback_##name##_t)
    WISH(thread_begin);
    WISH(thread_end);
    WISH(parallel_begin);
    WISH(parallel_end);
    WISH(task_create);
    WISH(task_schedule);
    WISH(implicit_task);
    WISH(target);
    WISH(target_data_op);
    WISH(target_submit);
    WISH(device_initialize);
    WISH(device_finalize);
    WISH(device_load);
    WISH(device_unload);
    WISH_AS(sync_region_wait, ompt_callback_sync_region_t);
    WISH_AS(mutex_released, ompt_callback_mutex_t);
    WISH(dependences);
    WISH(task_dependence);
    WISH(work);
    WISH(masked);
    WISH(target_map);
    WISH(sync_region);
    WISH_AS(lock_init, ompt_callback_mutex_acquire_t);
    WISH_AS(lock_destroy, ompt_callback_mutex_t);
    WISH(mutex_acquire);
    WISH_AS(mutex_acquired, ompt_callback_mutex_t);
    WISH(nest_lock);
    WISH(flush);
    WISH(cancel);
    WISH_AS(reduction, ompt_callback_sync_region_t);
    WISH(dispatch);
    WISH(target_emi);
    WISH(target_data_op_emi);
    WISH(target_submit_emi);
    WISH(target_map_emi);
    WISH(error);
    wish(ompt_callback_control_tool, on_control, wanted);
}

void *storm(void *) {
    const timespec pause = {0, 200000};
    for (bool wanted = false;; wanted = !wanted) {
        nanosleep(&pause, nullptr);
        wish_all(wanted);
    }
    return nullptr;
}

void start_storm() {
    sigset_t all, before;
    pthread_t thread;
    // The program's signals are for the program's threads.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, nullptr, storm, nullptr) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool habit(const char *name) {
    const char *said = getenv(name);
    return said && strcmp(said, "1") == 0;
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t *) {
    heard_open("v5");
    heard(0);
    find(lookup, "ompt_set_callback", set_callback);
    find(lookup, "ompt_get_callback", get_callback);
    find(lookup, "ompt_get_state", get_state);
    find(lookup, "ompt_get_thread_data", get_thread_data);
    find(lookup, "ompt_get_parallel_info", get_parallel_info);
    find(lookup, "ompt_get_task_info", get_task_info);
    find(lookup, "ompt_get_task_memory", get_task_memory);
    find(lookup, "ompt_get_unique_id", get_unique_id);
    find(lookup, "ompt_get_place_num", get_place_num);
    find(lookup, "ompt_get_proc_id", get_proc_id);
    asks = habit("TOOL_ASKS");
    wish_all(true);
    if (habit("TOOL_STORM")) start_storm();
    return 1;
}

void finalize(ompt_data_t *) { heard(63); }

}  // namespace

extern "C" ompt_start_tool_result_t *ompt_start_tool(unsigned int, const char *) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    return &result;
}
