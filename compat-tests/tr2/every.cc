// A tool of TR2 (2014) that registers every event. Its callbacks only count and change errno, which must not be visible to the program.
// With TOOL_ASKS=1 each of them also makes all queries.
#include <ompt_tr2.h>

#include "heard.h"

#include <cerrno>
#include <cstring>

namespace {

ompt_get_state_t get_state;
ompt_get_thread_id_t get_thread_id;
ompt_get_idle_frame_t get_idle_frame;
ompt_get_parallel_id_t get_parallel_id;
ompt_get_parallel_team_size_t get_parallel_team_size;
ompt_get_task_id_t get_task_id;
ompt_get_task_frame_t get_task_frame;
bool asks;

// The time for a level grows with its depth.
enum { LEVELS = 12 };

void ask() {
    ompt_wait_id_t wait = 0;
    get_state(&wait);
    get_thread_id();
    get_idle_frame();
    for (int level = 0; level < LEVELS && get_parallel_id(level) != 0; level++) get_parallel_team_size(level);
    for (int level = 0; level < LEVELS && get_task_id(level) != 0; level++) {
        const ompt_frame_t *frame = get_task_frame(level);
        if (frame && frame->exit_runtime_frame == frame) abort();
    }
}

void heard_of(int number) {
    heard(number);
    if (asks) ask();
    errno = 2000 + number;
}

template <int number, typename... Arguments> void on(Arguments...) { heard_of(number); }

template <int number> ompt_callback_t callback() {
    switch (number) {
        case ompt_event_parallel_begin: return reinterpret_cast<ompt_callback_t>(ompt_new_parallel_callback_t(on<number>));
        case ompt_event_task_begin: return reinterpret_cast<ompt_callback_t>(ompt_new_task_callback_t(on<number>));
        case ompt_event_control: return reinterpret_cast<ompt_callback_t>(ompt_control_callback_t(on<number>));
        case ompt_event_runtime_shutdown: return ompt_callback_t(on<number>);
        // Up to five numbers and addresses: as none of them is read, one function serves all events.
        default: return reinterpret_cast<ompt_callback_t>(ompt_parallel_callback_t(on<number>));
    }
}

template <int number> struct All {
    static void wish(ompt_set_callback_t set) {
        set(ompt_event_t(number), callback<number>());
        All<number - 1>::wish(set);
    }
};

template <> struct All<0> {
    static void wish(ompt_set_callback_t) {}
};

template <typename F> void find(ompt_function_lookup_t lookup, const char *name, F &function) {
    function = reinterpret_cast<F>(lookup(name));
    if (!function) abort();
}

}  // namespace

extern "C" int ompt_initialize(ompt_function_lookup_t lookup, const char *, unsigned int) {
    ompt_set_callback_t set = nullptr;
    heard_open("tr2");
    heard(0);
    find(lookup, "ompt_set_callback", set);
    find(lookup, "ompt_get_state", get_state);
    find(lookup, "ompt_get_thread_id", get_thread_id);
    find(lookup, "ompt_get_idle_frame", get_idle_frame);
    find(lookup, "ompt_get_parallel_id", get_parallel_id);
    find(lookup, "ompt_get_parallel_team_size", get_parallel_team_size);
    find(lookup, "ompt_get_task_id", get_task_id);
    find(lookup, "ompt_get_task_frame", get_task_frame);
    const char *wish = getenv("TOOL_ASKS");
    asks = wish && strcmp(wish, "1") == 0;
    All<ompt_event_flush>::wish(set);
    return 1;
}
