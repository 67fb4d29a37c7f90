/* Faults of the callbacks about explicit tasks, synchronisation and mutexes. */
#include <stddef.h>

#include "injector.h"
#include "data_words.h"

ompt_data_t nothing;
/* Words of a task that has ended, and of one that was left in the middle, with the thread that did. */
static ompt_data_t ended_task, suspended_task, unwanted_task;
static _Thread_local int here;
static int *suspended_on;

/* 1 for the validator's numbers of explicit tasks. */
static char is_explicit[1 << 16];

#define CALL(name, type) ((type)validator[name])

int explicit_task(const ompt_data_t *task) { return is_explicit[task->value & 0xffff]; }

static void task_create(ompt_data_t *by, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences,
                        const void *code) {
    ompt_callback_task_create_t call = CALL(ompt_callback_task_create, ompt_callback_task_create_t);
    if (fault_once("task_word_used"))
        task->value = 7;
    if (by->value != initial_task.value && fault_once("task_by_other"))
        by = &initial_task;
    if (fault_once("task_flags"))
        flags = ompt_task_implicit;
    if (dependences && fault_once("dependences_not_promised"))
        dependences = 0;
    if (!dependences && fault_once("dependences_not_reported"))
        dependences = 1;
    call(by, mended(frame), task, flags, dependences, code);
    is_explicit[task->value & 0xffff] = 1;
    if ((flags & ompt_task_undeferred) && unwanted_task.value == 0)
        unwanted_task = *task;
}

static int is(const ompt_data_t *task, ompt_data_t other) { return task && task->value == other.value; }

static void task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    ompt_callback_task_schedule_t call = CALL(ompt_callback_task_schedule, ompt_callback_task_schedule_t);
    int leaves = status == ompt_task_switch || status == ompt_task_complete;
    if (fault_is("undeferred_unheard") && (is(prior, unwanted_task) || is(next, unwanted_task)))
        return;
    if (status == ompt_task_complete && fault_is("never_complete"))
        status = ompt_task_switch;
    if (leaves && fault_once("schedule_status"))
        status = (ompt_task_status_t)99;
    if (leaves && fault_once("schedule_prior_other"))
        prior = &initial_task;
    if (leaves && fault_once("schedule_no_next"))
        next = NULL;
    if (status == ompt_task_switch && ended_task.value && fault_once("schedule_next_ended"))
        next = &ended_task;
    if (status == ompt_task_switch && suspended_on && suspended_on != &here && fault_once("schedule_next_tied"))
        next = &suspended_task;
    if (status == ompt_task_switch && fault_once("implicit_completes"))
        status = ompt_task_complete;
    if (status == ompt_task_late_fulfill && fault_once("fulfilled_early"))
        status = ompt_task_early_fulfill;
    call(prior, status, next);
    if (status == ompt_task_complete)
        ended_task = *prior;
    if (status == ompt_task_switch && explicit_task(prior) && !suspended_on)
        suspended_task = *prior, suspended_on = &here;
    else if (suspended_on && is(next, suspended_task))
        suspended_on = NULL;
}

static void dependences(ompt_data_t *task, const ompt_dependence_t *items, int count) {
    ompt_callback_dependences_t call = CALL(ompt_callback_dependences, ompt_callback_dependences_t);
    ompt_dependence_t other = items[0];
    if (fault_once("dependences_of_other"))
        task = &initial_task;
    if (fault_once("dependence_kind"))
        other.dependence_type = (ompt_dependence_type_t)99, items = &other, count = 1;
    call(task, items, count);
}

static void task_dependence(ompt_data_t *source, ompt_data_t *sink) {
    CALL(ompt_callback_task_dependence, ompt_callback_task_dependence_t)
    (source, fault_once("dependence_on_itself") ? source : sink);
}

/* One barrier that one thread does not report. */
static _Thread_local int hides_barrier;

static int hidden(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, int outer) {
    if (kind != ompt_sync_region_barrier_explicit)
        return 0;
    if (outer && endpoint == ompt_scope_begin && fault_once("barrier_missing"))
        hides_barrier = 1;
    int hides = hides_barrier;
    if (outer && endpoint == ompt_scope_end)
        hides_barrier = 0;
    return hides;
}

static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                        const void *code) {
    ompt_callback_sync_region_t call = CALL(ompt_callback_sync_region, ompt_callback_sync_region_t);
    int in_task = kind == ompt_sync_region_taskwait && explicit_task(task);
    int begin = endpoint == ompt_scope_begin;
    if (hidden(kind, endpoint, 1) || (in_task && !begin && fault_is("taskwait_end_missing")))
        return;
    if (begin && kind == ompt_sync_region_barrier_explicit && fault_once("sync_begin_missing"))
        return;
    if (fault_once("sync_kind"))
        kind = (ompt_sync_region_t)99;
    if (fault_once("sync_endpoint"))
        endpoint = (ompt_scope_endpoint_t)9;
    if (fault_once("sync_by_other"))
        task = &initial_task;
    if (kind == ompt_sync_region_barrier_explicit && fault_once("sync_no_region"))
        region = NULL;
    call(kind, endpoint, region, task, code);
}

static void sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region,
                             ompt_data_t *task, const void *code) {
    int in_task = kind == ompt_sync_region_taskwait && explicit_task(task), end = endpoint == ompt_scope_end;
    if (hidden(kind, endpoint, 0) || (in_task && end && fault_is("taskwait_end_missing")))
        return;
    if (end && fault_once("wait_end_missing"))
        return;
    CALL(ompt_callback_sync_region_wait, ompt_callback_sync_region_t)(kind, endpoint, region, task, code);
}

static void reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                      const void *code) {
    CALL(ompt_callback_reduction, ompt_callback_sync_region_t)(kind, endpoint, region, task, code);
}

static void acquire(int number, ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t wait,
                    const void *code) {
    if (number == ompt_callback_mutex_acquire && fault_once("acquire_missing"))
        return;
    if (fault_once("mutex_kind"))
        kind = (ompt_mutex_t)99;
    if (fault_once("mutex_no_wait_id"))
        wait = 0;
    CALL(number, ompt_callback_mutex_acquire_t)(kind, hint, implementation, wait, code);
    if (number == ompt_callback_lock_init && fault_is("destroyed_early"))
        CALL(ompt_callback_lock_destroy, ompt_callback_mutex_t)(kind, wait, code);
}

static void lock_init(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t wait, const void *code) {
    acquire(ompt_callback_lock_init, kind, hint, implementation, wait, code);
}

static void mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t wait,
                          const void *code) {
    acquire(ompt_callback_mutex_acquire, kind, hint, implementation, wait, code);
}

static void lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code) {
    CALL(ompt_callback_lock_destroy, ompt_callback_mutex_t)(kind, wait, code);
}

static void mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code) {
    CALL(ompt_callback_mutex_acquired, ompt_callback_mutex_t)(kind, wait, code);
}

static void mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code) {
    if (kind == ompt_mutex_critical && fault_is("critical_not_released"))
        return;
    if (fault_once("released_other"))
        wait += 8;
    CALL(ompt_callback_mutex_released, ompt_callback_mutex_t)(kind, wait, code);
}

static void nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *code) {
    if (endpoint == ompt_scope_end && fault_once("nest_lock_end_missing"))
        return;
    CALL(ompt_callback_nest_lock, ompt_callback_nest_lock_t)(endpoint, wait, code);
}

ompt_callback_t other_callback(int number) {
    switch (number) {
    case ompt_callback_task_create: return (ompt_callback_t)task_create;
    case ompt_callback_task_schedule: return (ompt_callback_t)task_schedule;
    case ompt_callback_dependences: return (ompt_callback_t)dependences;
    case ompt_callback_task_dependence: return (ompt_callback_t)task_dependence;
    case ompt_callback_sync_region: return (ompt_callback_t)sync_region;
    case ompt_callback_sync_region_wait: return (ompt_callback_t)sync_region_wait;
    case ompt_callback_reduction: return (ompt_callback_t)reduction;
    case ompt_callback_lock_init: return (ompt_callback_t)lock_init;
    case ompt_callback_lock_destroy: return (ompt_callback_t)lock_destroy;
    case ompt_callback_mutex_acquire: return (ompt_callback_t)mutex_acquire;
    case ompt_callback_mutex_acquired: return (ompt_callback_t)mutex_acquired;
    case ompt_callback_mutex_released: return (ompt_callback_t)mutex_released;
    case ompt_callback_nest_lock: return (ompt_callback_t)nest_lock;
    default: return NULL;
    }
}
