/* The storm's tool of OpenMP 5. */
#include "storm.h"

#include "five.h"

#include <string.h>

static int own, is_there;

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
    int depth;
    ompt_wait_id_t wait = 0;
    if (!(all->there = __atomic_load_n(&is_there, __ATOMIC_ACQUIRE))) return;
    all->own = own;
    all->thread_fits = thread_fits() && (!own || place_fits());
    all->state = get_state(&wait);
    all->set = set_of(all->state);
    all->wait = wait;
    all->listed = is_listed(all->state);
    all->regions_fit = all->tasks_fit = 1;
    for (depth = 0; depth < LEVELS; depth++) {
        struct level region = region_at(depth, own), task = task_at(depth, own);
        all->region[depth] = region.answer;
        all->task[depth] = task.answer;
        all->regions_fit &= region.fits;
        all->tasks_fit &= task.fits;
        if (depth > 0) continue;
        all->size = region.size;
        all->explicit_task = is_in_explicit_task(task);
        all->initial_task = task.answer == 2 && task.flags & ompt_task_initial;
    }
    ask_for_more(own);
}

void five_ask_the_system(struct five_answers *all) {
    if (all->there) all->thread_fits &= !own || processors_fit();
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool) {
    (void)device, (void)tool;
    find_questions(lookup);
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
    /* LLVM's and Intel's runtimes answer such a tool themselves, according to their own view. */
    own = !strstr(runtime_version, "LLVM") && !strstr(runtime_version, "Intel");
    return &result;
}
