/* The storm's tool of TR2, in a separate library, because one that also contains a tool of OpenMP 5 isn't recognized as a tool of TR2. */
#include "storm.h"

#include "ompt_tr2.h"

#include <stdlib.h>

static ompt_get_thread_id_t get_thread_id;
static ompt_get_state_t get_state;
static ompt_get_idle_frame_t get_idle_frame;
static ompt_get_parallel_id_t get_parallel_id;
static ompt_get_parallel_team_size_t get_parallel_team_size;
static ompt_get_task_id_t get_task_id;
static ompt_get_task_frame_t get_task_frame;

static void on_event(void) { storm_count(CALLBACKS); }

static int set_of(int state) {
    switch (state) {
        case ompt_state_undefined:
        case ompt_state_work_serial: return SERIAL;
        case ompt_state_work_parallel: return PARALLEL;
        case ompt_state_idle: return IDLE;
        case ompt_state_work_reduction:
        case ompt_state_overhead: return OVERHEAD;
        case ompt_state_wait_barrier: return IMPLICIT | EXPLICIT;
        case ompt_state_wait_barrier_implicit: return IMPLICIT;
        case ompt_state_wait_barrier_explicit: return EXPLICIT;
        case ompt_state_wait_taskwait:
        case ompt_state_wait_taskgroup: return TASKS;
        case ompt_state_wait_lock:
        case ompt_state_wait_nest_lock: return LOCK;
        case ompt_state_wait_critical: return CRITICAL;
        case ompt_state_wait_atomic: return ATOMIC;
        case ompt_state_wait_ordered: return ORDERED;
        default: return NOBODY;
    }
}

static void ask(struct tr2_answers *all) {
    ompt_wait_id_t wait = 0;
    int level;
    all->there = 1;
    all->state = (int)get_state(&wait);
    all->set = set_of(all->state);
    all->wait = wait;
    all->thread = get_thread_id();
    get_idle_frame();
    for (level = 0; level < LEVELS; level++) {
        all->region[level] = get_parallel_id(level);
        all->task[level] = get_task_id(level);
    }
    all->size = get_parallel_team_size(0);
    all->has_frame = get_task_frame(0) != NULL;
}

int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version) {
    ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    int event;
    (void)runtime_version, (void)ompt_version;
    for (event = ompt_event_parallel_begin; event <= ompt_event_flush && !getenv("STORM_EVENTS"); event++)
        set_callback((ompt_event_t)event, (ompt_callback_t)on_event);
    get_thread_id = (ompt_get_thread_id_t)lookup("ompt_get_thread_id");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_idle_frame = (ompt_get_idle_frame_t)lookup("ompt_get_idle_frame");
    get_parallel_id = (ompt_get_parallel_id_t)lookup("ompt_get_parallel_id");
    get_parallel_team_size = (ompt_get_parallel_team_size_t)lookup("ompt_get_parallel_team_size");
    get_task_id = (ompt_get_task_id_t)lookup("ompt_get_task_id");
    get_task_frame = (ompt_get_task_frame_t)lookup("ompt_get_task_frame");
    storm_lend_tr2(ask);
    return 1;
}
