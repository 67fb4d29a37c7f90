// The tool of TR2 among the three: every event. It can't detach, but it can decline: SIDE_STORM=tr2.
#include <ompt_tr2.h>

#include "heard.h"
#include "judge.h"

#include <cstdio>
#include <cstdlib>

namespace {

ompt_get_state_t get_state;
ompt_get_thread_id_t get_thread_id;
ompt_get_parallel_id_t get_parallel_id;
ompt_get_parallel_team_size_t get_parallel_team_size;
ompt_get_task_id_t get_task_id;

int state_of(int state) {
    switch (state) {
        case ompt_state_work_serial: return SERIAL;
        case ompt_state_work_parallel: return PARALLEL;
        case ompt_state_idle: return IDLE;
        case ompt_state_work_reduction:
        case ompt_state_overhead: return OVERHEAD;
        case ompt_state_wait_barrier: return BARRIER_IMPLICIT | BARRIER_EXPLICIT;
        case ompt_state_wait_barrier_implicit: return BARRIER_IMPLICIT;
        case ompt_state_wait_barrier_explicit: return BARRIER_EXPLICIT;
        case ompt_state_wait_taskwait: return TASKWAIT;
        case ompt_state_wait_taskgroup: return TASKGROUP;
        case ompt_state_wait_lock: return LOCK;
        case ompt_state_wait_nest_lock: return NEST_LOCK;
        case ompt_state_wait_critical: return CRITICAL;
        case ompt_state_wait_atomic: return ATOMIC;
        case ompt_state_wait_ordered: return ORDERED;
        default: return ANY;
    }
}

int look_around(view *view) {
    ompt_wait_id_t wait = 0;
    for (int level = 0; level < LEVELS; level++) {
        view->region[level] = int64_t(get_parallel_id(level));
        view->task[level] = int64_t(get_task_id(level));
    }
    view->size = view->region[0] ? get_parallel_team_size(0) : UNKNOWN;
    // Until the team exists.
    if (view->size == 0) view->size = UNKNOWN;
    view->thread = int64_t(get_thread_id());
    view->state = state_of(get_state(&wait));
    return 1;
}

const char *name(int event) {
    static thread_local char text[32];
    snprintf(text, sizeof text, "TR2 event %d", event);
    return text;
}

void on_parallel_begin(ompt_task_id_t task, ompt_frame_t *, ompt_parallel_id_t region, uint32_t, void *) {
    heard(ompt_event_parallel_begin);
    judge_new_region = int64_t(region);
    judge_region(name(ompt_event_parallel_begin), int64_t(region), int64_t(task));
}

void on_parallel_end(ompt_parallel_id_t region, ompt_task_id_t task) {
    heard(ompt_event_parallel_end);
    judge_region(name(ompt_event_parallel_end), int64_t(region), int64_t(task));
}

void on_task_begin(ompt_task_id_t task, ompt_frame_t *, ompt_task_id_t created, void *) {
    heard(ompt_event_task_begin);
    judge_new_task = int64_t(created);
    judge_event(name(ompt_event_task_begin), UNKNOWN, int64_t(task));
}

void on_task_switch(ompt_task_id_t, ompt_task_id_t resumed) {
    heard(ompt_event_task_switch);
    judge_event(name(ompt_event_task_switch), UNKNOWN, int64_t(resumed));
}

// Events that name their region and task.
template <int number> void on_place(ompt_parallel_id_t region, ompt_task_id_t task) {
    heard(number);
    judge_event(name(number), int64_t(region), int64_t(task));
}

template <int number> void on_work_begin(ompt_parallel_id_t region, ompt_task_id_t task, void *) {
    on_place<number>(region, task);
}

// Events that name something else.
template <int number> void on_other(uint64_t) {
    heard(number);
    judge_event(name(number), UNKNOWN, UNKNOWN);
}

// The pool, and threads and tasks that start and end: the other interfaces may not know them yet, or no longer.
template <int number, typename... Arguments> void on_edge(Arguments...) { heard(number); }

ompt_set_callback_t set;

template <typename F> void wish(ompt_event_t event, F function) { set(event, reinterpret_cast<ompt_callback_t>(function)); }

template <int... numbers> struct Each {
    static void place() { (wish(ompt_event_t(numbers), on_place<numbers>), ...); }
    static void work() { (wish(ompt_event_t(numbers), on_work_begin<numbers>), ...); }
    static void other() { (wish(ompt_event_t(numbers), on_other<numbers>), ...); }
};

template <typename F> void find(ompt_function_lookup_t lookup, const char *name, F &function) {
    function = reinterpret_cast<F>(lookup(name));
    if (!function) abort();
}

}  // namespace

extern "C" int ompt_initialize(ompt_function_lookup_t lookup, const char *, unsigned int) {
    heard_open("tr2");
    heard(0);
    find(lookup, "ompt_set_callback", set);
    find(lookup, "ompt_get_state", get_state);
    find(lookup, "ompt_get_thread_id", get_thread_id);
    find(lookup, "ompt_get_parallel_id", get_parallel_id);
    find(lookup, "ompt_get_parallel_team_size", get_parallel_team_size);
    find(lookup, "ompt_get_task_id", get_task_id);
    wish(ompt_event_parallel_begin, on_parallel_begin);
    wish(ompt_event_parallel_end, on_parallel_end);
    wish(ompt_event_task_begin, on_task_begin);
    wish(ompt_event_task_switch, on_task_switch);
    wish<ompt_task_callback_t>(ompt_event_task_end, on_edge<ompt_event_task_end>);
    wish<ompt_thread_type_callback_t>(ompt_event_thread_begin, on_edge<ompt_event_thread_begin>);
    wish<ompt_thread_type_callback_t>(ompt_event_thread_end, on_edge<ompt_event_thread_end>);
    wish<ompt_thread_callback_t>(ompt_event_idle_begin, on_edge<ompt_event_idle_begin>);
    wish<ompt_thread_callback_t>(ompt_event_idle_end, on_edge<ompt_event_idle_end>);
    wish<ompt_task_callback_t>(ompt_event_initial_task_begin, on_edge<ompt_event_initial_task_begin>);
    wish<ompt_task_callback_t>(ompt_event_initial_task_end, on_edge<ompt_event_initial_task_end>);
    Each<11, 12, 13, 14, 15, 16, 22, 23, 28, 30, 32, 33, 34, 39, 40, 41, 42, 43, 44>::place();
    Each<27, 29, 31>::work();
    Each<17, 18, 19, 20, 21, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60>::other();
    if (judge_storms("tr2")) return 0;
    judge_lend(OF_TR2, look_around);
    return 1;
}
