// The tool of OpenMP 5 among the three. In each parallel_begin it queries ORA for the region, and keeps the answer in the region's word;
// tasks and threads likewise. With SIDE_STORM=five it removes callbacks and registers them again at random; with SIDE_STORM=finalize it
// ends in the middle, from a callback or from a thread of its own.
#include <omp-tools.h>

#include "heard.h"
#include "judge.h"

#include <cstdlib>

namespace {

ompt_set_callback_t set_callback;
ompt_get_state_t get_state;
ompt_get_thread_data_t get_thread_data;
ompt_get_parallel_info_t get_parallel_info;
ompt_get_task_info_t get_task_info;
ompt_finalize_tool_t finalize_tool;

enum { FINALIZED = 63, UNPAIRED = 62 };

// An id of 0 is an answer as well: that of the implicit region around everything.
constexpr uint64_t KNOWN = uint64_t(1) << 63;

bool gone, stormy;
int64_t regions_left = -1;

void keep(ompt_data_t *word, int64_t id) {
    if (id != UNKNOWN) word->value = KNOWN | uint64_t(id);
}

int64_t kept(const ompt_data_t *word) { return word && word->value & KNOWN ? int64_t(word->value & ~KNOWN) : UNKNOWN; }

int state_of(int state) {
    switch (state) {
        case ompt_state_work_serial: return SERIAL;
        case ompt_state_work_parallel: return PARALLEL;
        case ompt_state_idle: return IDLE;
        case ompt_state_work_reduction:
        case ompt_state_overhead: return OVERHEAD;
        case ompt_state_wait_barrier: return BARRIER_IMPLICIT | BARRIER_EXPLICIT;
        case ompt_state_wait_barrier_implicit:
        case ompt_state_wait_barrier_implicit_parallel:
        case ompt_state_wait_barrier_implicit_workshare: return BARRIER_IMPLICIT;
        case ompt_state_wait_barrier_explicit: return BARRIER_EXPLICIT;
        case ompt_state_wait_taskwait: return TASKWAIT;
        case ompt_state_wait_taskgroup: return TASKGROUP;
        case ompt_state_wait_lock: return LOCK | NEST_LOCK;
        case ompt_state_wait_critical: return CRITICAL;
        case ompt_state_wait_atomic: return ATOMIC;
        case ompt_state_wait_ordered: return ORDERED;
        default: return ANY;
    }
}

int look_around(view *view) {
    ompt_wait_id_t wait = 0;
    for (int level = 0; level < LEVELS; level++) {
        ompt_data_t *data = nullptr, *region = nullptr;
        int size = 0;
        const int regions = get_parallel_info(level, &data, &size);
        // 1: its team does not exist yet.
        if (regions != 1) view->region[level] = regions ? kept(data) : 0;
        if (level == 0 && regions == 2 && view->region[0] > 0) view->size = size;
        data = nullptr;
        const int tasks = get_task_info(level, nullptr, &data, nullptr, &region, nullptr);
        if (tasks != 1) view->task[level] = tasks ? kept(data) : 0;
    }
    view->thread = kept(get_thread_data());
    view->state = state_of(get_state(&wait));
    return 1;
}

void hear(int number) {
    heard(number);
    if (__atomic_load_n(&gone, __ATOMIC_SEQ_CST)) judge_complain("5", "a callback after finalize", number, 0);
}

// Begin and end events of one kind nest on each thread. If callbacks come and go, it is unknown for an end event what became of its begin
// event.
struct Pairs {
    int open;
    void meets(ompt_scope_endpoint_t end) {
        open += end == ompt_scope_begin ? 1 : -1;
        if (open >= 0) return;
        open = 0;
        heard(UNPAIRED);
        if (!stormy) judge_complain("5", "an end without a begin", 0, 0);
    }
};

thread_local Pairs implicit_tasks, works, syncs, waits, nest_locks;

// Answers of ORA, if present. TR2's tool got its event before; its own ids for new objects come with its events.
int64_t ask_ora(bool region) {
    view view;
    __builtin_memset(&view, 0xff, sizeof view);
    const look eyes = judge_eyes(OF_ORA);
    if (!eyes || !eyes(&view)) return UNKNOWN;
    return region ? view.region[0] : view.task[0];
}

int64_t ask_tr2_task() {
    view view;
    __builtin_memset(&view, 0xff, sizeof view);
    const look eyes = judge_eyes(OF_TR2);
    return eyes && eyes(&view) ? view.task[0] : UNKNOWN;
}

int64_t agreed(const char *where, const char *what, int64_t one, int64_t other) {
    if (one != UNKNOWN && other != UNKNOWN && one != other) judge_complain(where, what, one, other);
    return one != UNKNOWN ? one : other;
}

void new_task(const char *where, ompt_data_t *task) {
    if (kept(task) == UNKNOWN) keep(task, agreed(where, "the current task's id", ask_ora(false), ask_tr2_task()));
}

void go() {
    finalize_tool();
}

void on_thread_begin(ompt_thread_t, ompt_data_t *thread) {
    hear(ompt_callback_thread_begin);
    view view;
    __builtin_memset(&view, 0xff, sizeof view);
    const look eyes = judge_eyes(OF_TR2);
    if (eyes && eyes(&view)) keep(thread, view.thread);
}

void on_thread_end(ompt_data_t *) { hear(ompt_callback_thread_end); }

void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *, ompt_data_t *region, unsigned int, int, const void *) {
    hear(ompt_callback_parallel_begin);
    if (region->value) judge_complain("5 parallel_begin", "the word is not empty", int64_t(region->value), 0);
    keep(region, agreed("5 parallel_begin", "the region's id", ask_ora(true), judge_take(&judge_new_region)));
    judge_region("5 parallel_begin", kept(region), kept(task));
}

void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int, const void *) {
    hear(ompt_callback_parallel_end);
    judge_region("5 parallel_end", kept(region), kept(task));
    if (__atomic_load_n(&regions_left, __ATOMIC_RELAXED) >= 0 && __atomic_sub_fetch(&regions_left, 1, __ATOMIC_RELAXED) == -1)
        go();
}

void on_implicit_task(ompt_scope_endpoint_t end, ompt_data_t *region, ompt_data_t *task, unsigned int, unsigned int, int flags) {
    hear(ompt_callback_implicit_task);
    implicit_tasks.meets(end);
    if (end == ompt_scope_begin) {
        if (task->value) judge_complain("5 implicit_task", "the word is not empty", int64_t(task->value), 0);
        if (flags & ompt_task_initial) keep(region, 0);
        new_task("5 implicit_task", task);
    }
    judge_event(end == ompt_scope_begin ? "5 implicit_task begin" : "5 implicit_task end", kept(region), kept(task));
}

void on_task_create(ompt_data_t *creator, const ompt_frame_t *, ompt_data_t *task, int flags, int, const void *) {
    hear(ompt_callback_task_create);
    if (task->value) judge_complain("5 task_create", "the word is not empty", int64_t(task->value), 0);
    // A taskwait with dependences is not a task in TR2.
    if (!(flags & ompt_task_taskwait)) keep(task, judge_take(&judge_new_task));
    judge_event("5 task_create", UNKNOWN, kept(creator));
}

// While a task starts, it is already current; while it ends, it still is.
void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    hear(ompt_callback_task_schedule);
    if (status == ompt_task_switch && next) new_task("5 task_schedule", next);
    judge_event("5 task_schedule", UNKNOWN, status == ompt_task_switch ? kept(next) : kept(prior));
}

void on_work(ompt_work_t, ompt_scope_endpoint_t end, ompt_data_t *region, ompt_data_t *task, uint64_t, const void *) {
    hear(ompt_callback_work);
    works.meets(end);
    judge_event("5 work", kept(region), kept(task));
}

void on_sync_region(ompt_sync_region_t, ompt_scope_endpoint_t end, ompt_data_t *region, ompt_data_t *task, const void *) {
    hear(ompt_callback_sync_region);
    syncs.meets(end);
    judge_event("5 sync_region", kept(region), kept(task));
}

void on_wait(ompt_sync_region_t, ompt_scope_endpoint_t end, ompt_data_t *region, ompt_data_t *task, const void *) {
    hear(ompt_callback_sync_region_wait);
    waits.meets(end);
    judge_event("5 sync_region_wait", kept(region), kept(task));
}

void on_dependences(ompt_data_t *, const ompt_dependence_t *, int) {
    hear(ompt_callback_dependences);
    judge_event("5 dependences", UNKNOWN, UNKNOWN);
}

void on_dispatch(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t, ompt_data_t) {
    hear(ompt_callback_dispatch);
    judge_event("5 dispatch", kept(region), kept(task));
}

void on_nest_lock(ompt_scope_endpoint_t end, ompt_wait_id_t, const void *) {
    hear(ompt_callback_nest_lock);
    nest_locks.meets(end);
    judge_event("5 nest_lock", UNKNOWN, UNKNOWN);
}

template <int number> void on_mutex_acquire(ompt_mutex_t, unsigned int, unsigned int, ompt_wait_id_t, const void *) {
    hear(number);
    judge_event("5 mutex_acquire", UNKNOWN, UNKNOWN);
}

template <int number> void on_mutex(ompt_mutex_t, ompt_wait_id_t, const void *) {
    hear(number);
    judge_event("5 mutex", UNKNOWN, UNKNOWN);
}

struct Wish {
    ompt_callbacks_t number;
    ompt_callback_t function;
};

template <typename F> Wish wish(ompt_callbacks_t number, F function) {
    return {number, reinterpret_cast<ompt_callback_t>(function)};
}

const Wish WISHES[] = {
    wish<ompt_callback_thread_begin_t>(ompt_callback_thread_begin, on_thread_begin),
    wish<ompt_callback_thread_end_t>(ompt_callback_thread_end, on_thread_end),
    wish<ompt_callback_parallel_begin_t>(ompt_callback_parallel_begin, on_parallel_begin),
    wish<ompt_callback_parallel_end_t>(ompt_callback_parallel_end, on_parallel_end),
    wish<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, on_implicit_task),
    wish<ompt_callback_task_create_t>(ompt_callback_task_create, on_task_create),
    wish<ompt_callback_task_schedule_t>(ompt_callback_task_schedule, on_task_schedule),
    wish<ompt_callback_work_t>(ompt_callback_work, on_work),
    wish<ompt_callback_sync_region_t>(ompt_callback_sync_region, on_sync_region),
    wish<ompt_callback_sync_region_t>(ompt_callback_sync_region_wait, on_wait),
    wish<ompt_callback_dependences_t>(ompt_callback_dependences, on_dependences),
    wish<ompt_callback_dispatch_t>(ompt_callback_dispatch, on_dispatch),
    wish<ompt_callback_nest_lock_t>(ompt_callback_nest_lock, on_nest_lock),
    wish<ompt_callback_mutex_acquire_t>(ompt_callback_mutex_acquire, on_mutex_acquire<ompt_callback_mutex_acquire>),
    wish<ompt_callback_mutex_acquire_t>(ompt_callback_lock_init, on_mutex_acquire<ompt_callback_lock_init>),
    wish<ompt_callback_mutex_t>(ompt_callback_mutex_acquired, on_mutex<ompt_callback_mutex_acquired>),
    wish<ompt_callback_mutex_t>(ompt_callback_mutex_released, on_mutex<ompt_callback_mutex_released>),
    wish<ompt_callback_mutex_t>(ompt_callback_lock_destroy, on_mutex<ompt_callback_lock_destroy>),
};

void *storm(void *) {
    uint32_t chance = judge_seed(2);
    for (;;) {
        const Wish &one = WISHES[judge_random(&chance) % (sizeof WISHES / sizeof *WISHES)];
        set_callback(one.number, judge_random(&chance) % 2 ? one.function : nullptr);
        judge_pause(&chance);
    }
    return nullptr;
}

void *go_soon(void *) {
    uint32_t chance = judge_seed(3);
    for (unsigned left = judge_random(&chance) % 200; left > 0; left--) judge_pause(&chance);
    go();
    return nullptr;
}

template <typename F> void find(ompt_function_lookup_t lookup, const char *name, F &function) {
    function = reinterpret_cast<F>(lookup(name));
    if (!function) abort();
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t *) {
    heard_open("five");
    heard(0);
    find(lookup, "ompt_set_callback", set_callback);
    find(lookup, "ompt_get_state", get_state);
    find(lookup, "ompt_get_thread_data", get_thread_data);
    find(lookup, "ompt_get_parallel_info", get_parallel_info);
    find(lookup, "ompt_get_task_info", get_task_info);
    find(lookup, "ompt_finalize_tool", finalize_tool);
    for (const Wish &one : WISHES)
        if (set_callback(one.number, one.function) < ompt_set_sometimes) judge_complain("5", "refused", one.number, 0);
    judge_lend(OF_5, look_around);
    stormy = judge_storms("five");
    if (stormy) judge_start(storm);
    uint32_t chance = judge_seed(4);
    if (judge_storms("finalize")) {
        if (judge_random(&chance) % 2)
            judge_start(go_soon);
        else
            regions_left = int64_t(judge_random(&chance) % 200);
    }
    return 1;
}

void finalize(ompt_data_t *) {
    heard(FINALIZED);
    judge_lend(OF_5, nullptr);
    __atomic_store_n(&gone, true, __ATOMIC_SEQ_CST);
}

}  // namespace

extern "C" ompt_start_tool_result_t *ompt_start_tool(unsigned int, const char *) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    return &result;
}
