/*
 * Generated from ompt-core/abi/src/tr2 by `cargo xtask headers`. Changes made here are lost.
 *
 * OMPT, the interface for tools of OpenMP Technical Report 2 (2014): names and numbers of its appendix A. For C99 to C17
 * and C++11 to C++17, by gcc and clang. OpenMP 5's interface of the same name is another one: see omp-tools.h.
 *
 * How a tool starts: it defines ompt_initialize, declared at the end, which gets a function that finds the entry points,
 * ompt_set_callback first of all, by their names:
 *
 *     int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version)
 *     {
 *         ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
 *         return set(ompt_event_parallel_begin, (ompt_callback_t)on_parallel_begin) == ompt_tr2_set_always;
 *     }
 *
 * The report declares the entry points as functions; they are no symbols. The signature of ompt_x is ompt_x_t here.
 */

#ifndef OMPT_TR2_H
#define OMPT_TR2_H

#ifdef __OMPT__
#error "omp-tools.h and ompt_tr2.h give the same names to different things: a file can include one of them"
#endif

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What a thread does (TR2, section 2 and appendix A.1). With the states of locks, critical sections, atomic updates and
 * ordered regions goes a wait id.
 */
typedef enum ompt_state_t {
    /**
     * Executes code outside of all parallel regions.
     */
    ompt_state_work_serial = 0x0,
    /**
     * Executes code in a parallel region.
     */
    ompt_state_work_parallel = 0x1,
    /**
     * Combines results of a reduction.
     */
    ompt_state_work_reduction = 0x2,
    /**
     * In the pool.
     */
    ompt_state_idle = 0x10,
    /**
     * Works for the runtime.
     */
    ompt_state_overhead = 0x20,
    /**
     * Waits in a barrier of some kind.
     */
    ompt_state_wait_barrier = 0x40,
    /**
     * Waits in an implicit barrier.
     */
    ompt_state_wait_barrier_implicit = 0x41,
    /**
     * Waits in an explicit barrier.
     */
    ompt_state_wait_barrier_explicit = 0x42,
    /**
     * Waits in a taskwait.
     */
    ompt_state_wait_taskwait = 0x50,
    /**
     * Waits at the end of a taskgroup.
     */
    ompt_state_wait_taskgroup = 0x51,
    /**
     * Waits for a lock.
     */
    ompt_state_wait_lock = 0x60,
    /**
     * Waits for a nestable lock.
     */
    ompt_state_wait_nest_lock = 0x61,
    /**
     * Waits for a critical section.
     */
    ompt_state_wait_critical = 0x62,
    /**
     * Waits for an atomic update.
     */
    ompt_state_wait_atomic = 0x63,
    /**
     * Waits for its turn in an ordered region.
     */
    ompt_state_wait_ordered = 0x64,
    /**
     * None: no thread of OpenMP's.
     */
    ompt_state_undefined = 0x70,
    /**
     * No thread's: an enumeration of the states starts here.
     */
    ompt_state_first = 0x71,
} ompt_state_t;

/**
 * What a tool can register a callback for (TR2, section 3 and appendix A.2). 1 to 8 every runtime must have.
 */
typedef enum ompt_event_t {
    /**
     * A task has met a parallel construct: `ompt_new_parallel_callback_t`.
     */
    ompt_event_parallel_begin = 1,
    /**
     * The region is over: `ompt_parallel_callback_t`.
     */
    ompt_event_parallel_end = 2,
    /**
     * A task is created: `ompt_new_task_callback_t`.
     */
    ompt_event_task_begin = 3,
    /**
     * A task is complete: `ompt_task_callback_t`.
     */
    ompt_event_task_end = 4,
    /**
     * A thread begins: `ompt_thread_type_callback_t`.
     */
    ompt_event_thread_begin = 5,
    /**
     * A thread ends: `ompt_thread_type_callback_t`.
     */
    ompt_event_thread_end = 6,
    /**
     * The program has called `ompt_control`: `ompt_control_callback_t`.
     */
    ompt_event_control = 7,
    /**
     * The runtime shuts down: `ompt_callback_t`.
     */
    ompt_event_runtime_shutdown = 8,
    /**
     * Blame shifting, up to `ompt_event_release_ordered`. A worker goes idle: `ompt_thread_callback_t`.
     */
    ompt_event_idle_begin = 9,
    /**
     * It has work again: `ompt_thread_callback_t`.
     */
    ompt_event_idle_end = 10,
    /**
     * A wait in a barrier begins: `ompt_parallel_callback_t`, as all waits for others.
     */
    ompt_event_wait_barrier_begin = 11,
    /**
     * It is over.
     */
    ompt_event_wait_barrier_end = 12,
    /**
     * A wait in a taskwait begins.
     */
    ompt_event_wait_taskwait_begin = 13,
    /**
     * It is over.
     */
    ompt_event_wait_taskwait_end = 14,
    /**
     * A wait at the end of a taskgroup begins.
     */
    ompt_event_wait_taskgroup_begin = 15,
    /**
     * It is over.
     */
    ompt_event_wait_taskgroup_end = 16,
    /**
     * A lock was released: `ompt_wait_callback_t`, as everything about mutexes.
     */
    ompt_event_release_lock = 17,
    /**
     * A nestable lock was released for good.
     */
    ompt_event_release_nest_lock_last = 18,
    /**
     * A critical section is left.
     */
    ompt_event_release_critical = 19,
    /**
     * An atomic update is done.
     */
    ompt_event_release_atomic = 20,
    /**
     * An ordered region is left.
     */
    ompt_event_release_ordered = 21,
    /**
     * What tracing tools need, from here on. An implicit task begins: `ompt_parallel_callback_t`.
     */
    ompt_event_implicit_task_begin = 22,
    /**
     * It is over: `ompt_parallel_callback_t`.
     */
    ompt_event_implicit_task_end = 23,
    /**
     * An initial task begins: `ompt_task_callback_t`.
     */
    ompt_event_initial_task_begin = 24,
    /**
     * It is over: `ompt_task_callback_t`.
     */
    ompt_event_initial_task_end = 25,
    /**
     * A thread leaves one task for another: `ompt_task_switch_callback_t`.
     */
    ompt_event_task_switch = 26,
    /**
     * A loop begins: `ompt_new_workshare_callback_t`, as all work-sharing regions.
     */
    ompt_event_loop_begin = 27,
    /**
     * It is done: `ompt_parallel_callback_t`, as everything up to `ompt_event_taskgroup_end` without a word.
     */
    ompt_event_loop_end = 28,
    /**
     * Sections begin: `ompt_new_workshare_callback_t`.
     */
    ompt_event_sections_begin = 29,
    /**
     * They are done.
     */
    ompt_event_sections_end = 30,
    /**
     * A single begins on the thread that executes it: `ompt_new_workshare_callback_t`.
     */
    ompt_event_single_in_block_begin = 31,
    /**
     * It is done.
     */
    ompt_event_single_in_block_end = 32,
    /**
     * A single begins on a thread that doesn't execute it.
     */
    ompt_event_single_others_begin = 33,
    /**
     * It is done.
     */
    ompt_event_single_others_end = 34,
    /**
     * Fortran's workshare begins: `ompt_new_workshare_callback_t`.
     */
    ompt_event_workshare_begin = 35,
    /**
     * It is done.
     */
    ompt_event_workshare_end = 36,
    /**
     * A master region begins.
     */
    ompt_event_master_begin = 37,
    /**
     * It is done.
     */
    ompt_event_master_end = 38,
    /**
     * A barrier begins.
     */
    ompt_event_barrier_begin = 39,
    /**
     * It is over.
     */
    ompt_event_barrier_end = 40,
    /**
     * A taskwait begins.
     */
    ompt_event_taskwait_begin = 41,
    /**
     * It is over.
     */
    ompt_event_taskwait_end = 42,
    /**
     * A taskgroup begins.
     */
    ompt_event_taskgroup_begin = 43,
    /**
     * It is over.
     */
    ompt_event_taskgroup_end = 44,
    /**
     * A nestable lock was unset, and is still owned: `ompt_wait_callback_t`, as all but the last.
     */
    ompt_event_release_nest_lock_prev = 45,
    /**
     * A wait for a lock begins.
     */
    ompt_event_wait_lock = 46,
    /**
     * A wait for a nestable lock begins.
     */
    ompt_event_wait_nest_lock = 47,
    /**
     * A wait for a critical section begins.
     */
    ompt_event_wait_critical = 48,
    /**
     * A wait for an atomic update begins.
     */
    ompt_event_wait_atomic = 49,
    /**
     * A wait for an ordered region begins.
     */
    ompt_event_wait_ordered = 50,
    /**
     * A lock was acquired.
     */
    ompt_event_acquired_lock = 51,
    /**
     * A nestable lock was acquired.
     */
    ompt_event_acquired_nest_lock_first = 52,
    /**
     * Its owner has set it once more.
     */
    ompt_event_acquired_nest_lock_next = 53,
    /**
     * A critical section is entered.
     */
    ompt_event_acquired_critical = 54,
    /**
     * An atomic update begins.
     */
    ompt_event_acquired_atomic = 55,
    /**
     * An ordered region is entered.
     */
    ompt_event_acquired_ordered = 56,
    /**
     * A lock was initialized.
     */
    ompt_event_init_lock = 57,
    /**
     * A nestable lock was initialized.
     */
    ompt_event_init_nest_lock = 58,
    /**
     * A lock will be destroyed.
     */
    ompt_event_destroy_lock = 59,
    /**
     * A nestable lock will be destroyed.
     */
    ompt_event_destroy_nest_lock = 60,
    /**
     * A flush was executed: `ompt_thread_callback_t`.
     */
    ompt_event_flush = 61,
} ompt_event_t;

/**
 * The kind of a thread (TR2, appendix A.3).
 */
typedef enum ompt_thread_type_t {
    /**
     * Executes an initial task.
     */
    ompt_thread_initial = 1,
    /**
     * From the runtime's pool.
     */
    ompt_thread_worker = 2,
    /**
     * The runtime's own, and none that executes the program's code.
     */
    ompt_thread_other = 3,
} ompt_thread_type_t;

/**
 * What becomes of a registration: what `ompt_set_callback` returns (TR2, table 3). The report has the numbers only; the
 * names are ours, made like OpenMP 5's, which has other numbers.
 */
typedef enum ompt_tr2_set_result_t {
    /**
     * Refused: no such event, or not now.
     */
    ompt_tr2_set_error = 0,
    /**
     * The event may happen, and is never reported.
     */
    ompt_tr2_set_impossible = 1,
    /**
     * The event never happens.
     */
    ompt_tr2_set_never = 2,
    /**
     * It is reported now and then.
     */
    ompt_tr2_set_sometimes = 3,
    /**
     * It is reported whenever it happens.
     */
    ompt_tr2_set_always = 4,
} ompt_tr2_set_result_t;

/**
 * Names a thread; 0 is none.
 */
typedef uint64_t ompt_thread_id_t;

/**
 * Names a parallel region; 0 is none.
 */
typedef uint64_t ompt_parallel_id_t;

/**
 * Names a task; 0 is none.
 */
typedef uint64_t ompt_task_id_t;

/**
 * Says what a thread waits for; 0 is nothing.
 */
typedef uint64_t ompt_wait_id_t;

/**
 * Where a task's frames begin and end on the stack (TR2, section 4.5).
 */
typedef struct ompt_frame_t {
    /**
     * The runtime's frame that called the task's code; null until then.
     */
    void *exit_runtime_frame;
    /**
     * The runtime's frame that the task's code called last to create a region or task; null when that is over.
     */
    void *reenter_runtime_frame;
} ompt_frame_t;

/**
 * An entry point whose signature has to be put on.
 */
typedef void (*ompt_interface_fn_t)(void);

/**
 * Finds an entry point by its name; null if there is none of that name.
 */
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *entry_point);

/**
 * The runtime shuts down; also a callback whose signature was taken off.
 */
typedef void (*ompt_callback_t)(void);

/**
 * A thread goes idle or stops being it, or has executed a flush. (LLVM's old header passes nothing for a flush: such a
 * callback can be registered, too.)
 */
typedef void (*ompt_thread_callback_t)(ompt_thread_id_t thread_id);

/**
 * A thread begins or ends.
 */
typedef void (*ompt_thread_type_callback_t)(ompt_thread_type_t thread_type, ompt_thread_id_t thread_id);

/**
 * Something happens to a lock, critical section, atomic update or ordered region.
 */
typedef void (*ompt_wait_callback_t)(ompt_wait_id_t wait_id);

/**
 * Something happens in a parallel region, on one of its tasks.
 */
typedef void (*ompt_parallel_callback_t)(ompt_parallel_id_t parallel_id, ompt_task_id_t task_id);

/**
 * A work-sharing region begins.
 */
typedef void (*ompt_new_workshare_callback_t)(ompt_parallel_id_t parallel_id,
                                              ompt_task_id_t task_id,
                                              void *workshare_function);

/**
 * A parallel region begins. `parallel_function` is the compiler's function that holds the region's code.
 */
typedef void (*ompt_new_parallel_callback_t)(ompt_task_id_t parent_task_id,
                                             ompt_frame_t *parent_task_frame,
                                             ompt_parallel_id_t parallel_id,
                                             uint32_t requested_team_size,
                                             void *parallel_function);

/**
 * A task ends, or an initial task begins or ends. (LLVM's old header has the initial task's as
 * `ompt_parallel_callback_t`; the report's is this one.)
 */
typedef void (*ompt_task_callback_t)(ompt_task_id_t task_id);

/**
 * A thread leaves one task for another; the first id is 0 if that task is complete.
 */
typedef void (*ompt_task_switch_callback_t)(ompt_task_id_t suspended_task_id, ompt_task_id_t resumed_task_id);

/**
 * A task is created. `new_task_function` is the compiler's function that holds its code.
 */
typedef void (*ompt_new_task_callback_t)(ompt_task_id_t parent_task_id,
                                         ompt_frame_t *parent_task_frame,
                                         ompt_task_id_t new_task_id,
                                         void *new_task_function);

/**
 * The program has called `ompt_control`.
 */
typedef void (*ompt_control_callback_t)(uint64_t command, uint64_t modifier);

/**
 * Registers a callback, inside of `ompt_initialize` only: an `ompt_tr2_set_result_t`.
 */
typedef int (*ompt_set_callback_t)(ompt_event_t event, ompt_callback_t callback);

/**
 * The callback that is registered; returns 0 if there is none.
 */
typedef int (*ompt_get_callback_t)(ompt_event_t event, ompt_callback_t *callback);

/**
 * The state that comes after `current_state`, and its name; returns 0 after the last one. States are numbers of
 * `ompt_state_t`, and `int` as tools were compiled with; the report has `ompt_state_t` itself.
 */
typedef int (*ompt_enumerate_state_t)(int current_state, int *next_state, const char **next_state_name);

/**
 * The calling thread's id; 0 if it is no thread of OpenMP's. Async-signal-safe, as all that follow.
 */
typedef ompt_thread_id_t (*ompt_get_thread_id_t)(void);

/**
 * The calling thread's state, and what it waits for.
 */
typedef ompt_state_t (*ompt_get_state_t)(ompt_wait_id_t *wait_id);

/**
 * The frame that the calling worker waits for work in; null on other threads.
 */
typedef void *(*ompt_get_idle_frame_t)(void);

/**
 * A parallel region around the caller, 0 the innermost; returns 0 if there is none.
 */
typedef ompt_parallel_id_t (*ompt_get_parallel_id_t)(int ancestor_level);

/**
 * The size of its team; returns -1 if there is none.
 */
typedef int (*ompt_get_parallel_team_size_t)(int ancestor_level);

/**
 * A task around the caller, 0 the one that runs; returns 0 if there is none. Depths count the tasks that lie on the
 * thread's stack, as those of frames do, and then those around its implicit task: below an explicit task is the task that
 * it interrupts, which need not be its creator. (The report's `ompt_task_id_t *` is a misprint.)
 */
typedef ompt_task_id_t (*ompt_get_task_id_t)(int depth);

/**
 * Its frames; null if there is none.
 */
typedef ompt_frame_t *(*ompt_get_task_frame_t)(int depth);

/**
 * The tool's: called by the OpenMP runtime once that has started (TR2, section 6.1.1). `ompt_version` is 1. It returns 1,
 * or 0 if the tool doesn't want to watch this program.
 */
__attribute__((visibility("default")))
int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version);

/**
 * The program's: passes two numbers to the tool (TR2, section 7). Commands: 1 starts monitoring or lets it go on, 2 lets
 * it pause, 3 flushes what is buffered, 4 ends it for good; from 64 on they are the tool's own.
 *
 * The reference is weak: the program also links and runs where nothing defines this. So ask first:
 *
 *     if (ompt_control) ompt_control(1, 0);
 *
 * A static program, and one of -fno-pie code that isn't linked against the library, have the answer "no" built in.
 */
__attribute__((weak))
void ompt_control(uint64_t command, uint64_t modifier);

#ifdef __cplusplus
}
#endif

#endif /* OMPT_TR2_H */
