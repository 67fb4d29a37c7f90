/*
 * Generated from ompt-core/abi/src/tr2 by `cargo xtask headers`. Changes made here are lost.
 *
 * OMPT, the interface for tools of OpenMP Technical Report 2 (2014): names and numbers of its appendix A. For C99 to C17
 * and C++11 to C++17, by gcc and clang. OpenMP 5's interface of the same name is another one: see omp-tools.h.
 *
 * Start of a tool: it defines ompt_initialize, declared at the end, which gets a function that finds the entry points,
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
 * State of a thread (TR2, section 2 and appendix A.1). The states of locks, critical sections, atomic updates and
 * ordered regions come with a wait id.
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
     * Waits in the thread pool.
     */
    ompt_state_idle = 0x10,
    /**
     * Executes code of the runtime.
     */
    ompt_state_overhead = 0x20,
    /**
     * Waits in a barrier of unknown kind.
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
     * No state: the thread is not an OpenMP thread.
     */
    ompt_state_undefined = 0x70,
    /**
     * No thread's state: the number at which an enumeration of the states starts.
     */
    ompt_state_first = 0x71,
} ompt_state_t;

/**
 * Events that a tool can register a callback for (TR2, section 3 and appendix A.2). Events 1 to 8 are mandatory for
 * every runtime. 9 to 21 are for blame shifting, 22 to 61 for tracing.
 */
typedef enum ompt_event_t {
    /**
     * A task has encountered a parallel construct: `ompt_new_parallel_callback_t`.
     */
    ompt_event_parallel_begin = 1,
    /**
     * A parallel region is over: `ompt_parallel_callback_t`.
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
     * A worker goes idle: `ompt_thread_callback_t`.
     */
    ompt_event_idle_begin = 9,
    /**
     * A worker has work again: `ompt_thread_callback_t`.
     */
    ompt_event_idle_end = 10,
    /**
     * A wait in a barrier begins: `ompt_parallel_callback_t`.
     */
    ompt_event_wait_barrier_begin = 11,
    /**
     * A wait in a barrier ends: `ompt_parallel_callback_t`.
     */
    ompt_event_wait_barrier_end = 12,
    /**
     * A wait in a taskwait begins: `ompt_parallel_callback_t`.
     */
    ompt_event_wait_taskwait_begin = 13,
    /**
     * A wait in a taskwait ends: `ompt_parallel_callback_t`.
     */
    ompt_event_wait_taskwait_end = 14,
    /**
     * A wait at the end of a taskgroup begins: `ompt_parallel_callback_t`.
     */
    ompt_event_wait_taskgroup_begin = 15,
    /**
     * A wait at the end of a taskgroup ends: `ompt_parallel_callback_t`.
     */
    ompt_event_wait_taskgroup_end = 16,
    /**
     * A lock was released: `ompt_wait_callback_t`.
     */
    ompt_event_release_lock = 17,
    /**
     * A nestable lock was released for good: `ompt_wait_callback_t`.
     */
    ompt_event_release_nest_lock_last = 18,
    /**
     * A critical section was left: `ompt_wait_callback_t`.
     */
    ompt_event_release_critical = 19,
    /**
     * An atomic update is done: `ompt_wait_callback_t`.
     */
    ompt_event_release_atomic = 20,
    /**
     * An ordered region was left: `ompt_wait_callback_t`.
     */
    ompt_event_release_ordered = 21,
    /**
     * An implicit task begins: `ompt_parallel_callback_t`.
     */
    ompt_event_implicit_task_begin = 22,
    /**
     * An implicit task ends: `ompt_parallel_callback_t`.
     */
    ompt_event_implicit_task_end = 23,
    /**
     * An initial task begins: `ompt_task_callback_t`.
     */
    ompt_event_initial_task_begin = 24,
    /**
     * An initial task ends: `ompt_task_callback_t`.
     */
    ompt_event_initial_task_end = 25,
    /**
     * A thread switches from one task to another: `ompt_task_switch_callback_t`.
     */
    ompt_event_task_switch = 26,
    /**
     * A loop begins: `ompt_new_workshare_callback_t`.
     */
    ompt_event_loop_begin = 27,
    /**
     * A loop ends: `ompt_parallel_callback_t`.
     */
    ompt_event_loop_end = 28,
    /**
     * A sections region begins: `ompt_new_workshare_callback_t`.
     */
    ompt_event_sections_begin = 29,
    /**
     * A sections region ends: `ompt_parallel_callback_t`.
     */
    ompt_event_sections_end = 30,
    /**
     * A single region begins on the thread that executes it: `ompt_new_workshare_callback_t`.
     */
    ompt_event_single_in_block_begin = 31,
    /**
     * A single region ends on the thread that executes it: `ompt_parallel_callback_t`.
     */
    ompt_event_single_in_block_end = 32,
    /**
     * A single region begins on a thread that doesn't execute it: `ompt_parallel_callback_t`.
     */
    ompt_event_single_others_begin = 33,
    /**
     * A single region ends on a thread that doesn't execute it: `ompt_parallel_callback_t`.
     */
    ompt_event_single_others_end = 34,
    /**
     * A workshare region (Fortran) begins: `ompt_new_workshare_callback_t`.
     */
    ompt_event_workshare_begin = 35,
    /**
     * A workshare region (Fortran) ends: `ompt_parallel_callback_t`.
     */
    ompt_event_workshare_end = 36,
    /**
     * A master region begins: `ompt_parallel_callback_t`.
     */
    ompt_event_master_begin = 37,
    /**
     * A master region ends: `ompt_parallel_callback_t`.
     */
    ompt_event_master_end = 38,
    /**
     * A barrier begins: `ompt_parallel_callback_t`.
     */
    ompt_event_barrier_begin = 39,
    /**
     * A barrier ends: `ompt_parallel_callback_t`.
     */
    ompt_event_barrier_end = 40,
    /**
     * A taskwait begins: `ompt_parallel_callback_t`.
     */
    ompt_event_taskwait_begin = 41,
    /**
     * A taskwait ends: `ompt_parallel_callback_t`.
     */
    ompt_event_taskwait_end = 42,
    /**
     * A taskgroup begins: `ompt_parallel_callback_t`.
     */
    ompt_event_taskgroup_begin = 43,
    /**
     * A taskgroup ends: `ompt_parallel_callback_t`.
     */
    ompt_event_taskgroup_end = 44,
    /**
     * A nestable lock was unset, and is still owned: `ompt_wait_callback_t`.
     */
    ompt_event_release_nest_lock_prev = 45,
    /**
     * A wait for a lock begins: `ompt_wait_callback_t`.
     */
    ompt_event_wait_lock = 46,
    /**
     * A wait for a nestable lock begins: `ompt_wait_callback_t`.
     */
    ompt_event_wait_nest_lock = 47,
    /**
     * A wait for a critical section begins: `ompt_wait_callback_t`.
     */
    ompt_event_wait_critical = 48,
    /**
     * A wait for an atomic update begins: `ompt_wait_callback_t`.
     */
    ompt_event_wait_atomic = 49,
    /**
     * A wait for an ordered region begins: `ompt_wait_callback_t`.
     */
    ompt_event_wait_ordered = 50,
    /**
     * A lock was acquired: `ompt_wait_callback_t`.
     */
    ompt_event_acquired_lock = 51,
    /**
     * A nestable lock was acquired: `ompt_wait_callback_t`.
     */
    ompt_event_acquired_nest_lock_first = 52,
    /**
     * A nestable lock was set once more by its owner: `ompt_wait_callback_t`.
     */
    ompt_event_acquired_nest_lock_next = 53,
    /**
     * A critical section was entered: `ompt_wait_callback_t`.
     */
    ompt_event_acquired_critical = 54,
    /**
     * An atomic update begins: `ompt_wait_callback_t`.
     */
    ompt_event_acquired_atomic = 55,
    /**
     * An ordered region was entered: `ompt_wait_callback_t`.
     */
    ompt_event_acquired_ordered = 56,
    /**
     * A lock was initialized: `ompt_wait_callback_t`.
     */
    ompt_event_init_lock = 57,
    /**
     * A nestable lock was initialized: `ompt_wait_callback_t`.
     */
    ompt_event_init_nest_lock = 58,
    /**
     * A lock will be destroyed: `ompt_wait_callback_t`.
     */
    ompt_event_destroy_lock = 59,
    /**
     * A nestable lock will be destroyed: `ompt_wait_callback_t`.
     */
    ompt_event_destroy_nest_lock = 60,
    /**
     * A flush was executed: `ompt_thread_callback_t`.
     */
    ompt_event_flush = 61,
} ompt_event_t;

/**
 * Kind of a thread (TR2, appendix A.3).
 */
typedef enum ompt_thread_type_t {
    /**
     * A thread that executes an initial task.
     */
    ompt_thread_initial = 1,
    /**
     * A thread of the runtime's pool.
     */
    ompt_thread_worker = 2,
    /**
     * A thread of the runtime that executes no code of the program.
     */
    ompt_thread_other = 3,
} ompt_thread_type_t;

/**
 * Answer of `ompt_set_callback`: how often the callback will be called (TR2, table 3). The report has the numbers
 * only. The names follow OpenMP 5's, which has other numbers.
 */
typedef enum ompt_tr2_set_result_t {
    /**
     * The registration is refused: there is no such event, or the call is not inside `ompt_initialize`.
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
     * The event is reported, but not at each occurrence.
     */
    ompt_tr2_set_sometimes = 3,
    /**
     * The event is reported at each occurrence.
     */
    ompt_tr2_set_always = 4,
} ompt_tr2_set_result_t;

/**
 * Identifier of a thread; 0: none (TR2, section 4).
 */
typedef uint64_t ompt_thread_id_t;

/**
 * Identifier of a parallel region; 0: none (TR2, section 4).
 */
typedef uint64_t ompt_parallel_id_t;

/**
 * Identifier of a task; 0: none (TR2, section 4).
 */
typedef uint64_t ompt_task_id_t;

/**
 * Identifier of the mutex that a thread waits for; 0: none (TR2, section 4).
 */
typedef uint64_t ompt_wait_id_t;

/**
 * Frames of a task on the stack of its thread (TR2, 4.5).
 */
typedef struct ompt_frame_t {
    /**
     * The runtime's frame that called the task's code; null until then.
     */
    void *exit_runtime_frame;
    /**
     * The runtime's frame that the task's code called last to create a region or task; null when that call is over.
     */
    void *reenter_runtime_frame;
} ompt_frame_t;

/**
 * Entry point without its signature: to be converted to the type of its name (TR2, 6.1).
 */
typedef void (*ompt_interface_fn_t)(void);

/**
 * Function that finds an entry point by its name; null if there is none of that name (TR2, 6.1).
 *
 * - `entry_point`: name of the entry point, such as `ompt_set_callback`.
 */
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *entry_point);

/**
 * Callback of `ompt_event_runtime_shutdown`; also the type of any callback without its signature (TR2, appendix A.3).
 */
typedef void (*ompt_callback_t)(void);

/**
 * Callback of a worker that goes idle or has work again, and of a flush (TR2, appendix A.3). (LLVM's old header passes
 * nothing for a flush: such a callback can also be registered.)
 *
 * - `thread_id`: the thread.
 */
typedef void (*ompt_thread_callback_t)(ompt_thread_id_t thread_id);

/**
 * Callback of a thread that begins or ends (TR2, appendix A.3).
 *
 * - `thread_type`: kind of the thread.
 * - `thread_id`: the thread.
 */
typedef void (*ompt_thread_type_callback_t)(ompt_thread_type_t thread_type, ompt_thread_id_t thread_id);

/**
 * Callback of an event of a mutex: a lock, critical section, atomic update or ordered region (TR2, appendix A.3).
 *
 * - `wait_id`: the mutex.
 */
typedef void (*ompt_wait_callback_t)(ompt_wait_id_t wait_id);

/**
 * Callback of an event in a parallel region, of one of its tasks (TR2, appendix A.3).
 *
 * - `parallel_id`: the parallel region; 0: none.
 * - `task_id`: the task.
 */
typedef void (*ompt_parallel_callback_t)(ompt_parallel_id_t parallel_id, ompt_task_id_t task_id);

/**
 * Callback of a work-sharing region that begins (TR2, appendix A.3).
 *
 * - `parallel_id`: the parallel region; 0: none.
 * - `task_id`: the task that executes the work-sharing region.
 * - `workshare_function`: the compiler's function that has the region's code.
 */
typedef void (*ompt_new_workshare_callback_t)(ompt_parallel_id_t parallel_id,
                                              ompt_task_id_t task_id,
                                              void *workshare_function);

/**
 * Callback of a parallel region that begins (TR2, appendix A.3).
 *
 * - `parent_task_id`: the task that encountered the construct.
 * - `parent_task_frame`: frames of that task.
 * - `parallel_id`: the new region.
 * - `requested_team_size`: number of threads that the construct requests; 0: not known.
 * - `parallel_function`: the compiler's function that has the region's code.
 */
typedef void (*ompt_new_parallel_callback_t)(ompt_task_id_t parent_task_id,
                                             ompt_frame_t *parent_task_frame,
                                             ompt_parallel_id_t parallel_id,
                                             uint32_t requested_team_size,
                                             void *parallel_function);

/**
 * Callback of a task that ends, or of an initial task that begins or ends (TR2, appendix A.3). (LLVM's old header has
 * the initial task's as `ompt_parallel_callback_t`; the report's is this one.)
 *
 * - `task_id`: the task.
 */
typedef void (*ompt_task_callback_t)(ompt_task_id_t task_id);

/**
 * Callback of a thread that switches from one task to another (TR2, appendix A.3).
 *
 * - `suspended_task_id`: the task that the thread leaves; 0 if that is complete.
 * - `resumed_task_id`: the task that the thread executes from now on.
 */
typedef void (*ompt_task_switch_callback_t)(ompt_task_id_t suspended_task_id, ompt_task_id_t resumed_task_id);

/**
 * Callback of a task's creation (TR2, appendix A.3).
 *
 * - `parent_task_id`: the task that encountered the construct.
 * - `parent_task_frame`: frames of that task.
 * - `new_task_id`: the new task.
 * - `new_task_function`: the compiler's function that has the new task's code.
 */
typedef void (*ompt_new_task_callback_t)(ompt_task_id_t parent_task_id,
                                         ompt_frame_t *parent_task_frame,
                                         ompt_task_id_t new_task_id,
                                         void *new_task_function);

/**
 * Callback of a call of `ompt_control` by the program (TR2, 7).
 *
 * - `command`, `modifier`: the numbers that the program passes.
 */
typedef void (*ompt_control_callback_t)(uint64_t command, uint64_t modifier);

/**
 * Entry point: registers a callback, only inside `ompt_initialize`; returns an `ompt_tr2_set_result_t` (TR2,
 * 6.1.2).
 *
 * - `event`: the event.
 * - `callback`: the tool's function, converted from its own type; null removes the registration.
 */
typedef int (*ompt_set_callback_t)(ompt_event_t event, ompt_callback_t callback);

/**
 * Entry point: the registered callback; 1, or 0 if there is none (TR2, 6.1.2).
 *
 * - `event`: the event.
 * - `callback`: to be set to the tool's function; may be null.
 */
typedef int (*ompt_get_callback_t)(ompt_event_t event, ompt_callback_t *callback);

/**
 * Entry point: the thread state after another one; 1, or 0 after the last one (TR2, 5.1). States are numbers of
 * `ompt_state_t`, and `int` as tools were compiled with; the report has `ompt_state_t` itself.
 *
 * - `current_state`: a state; `ompt_state_first` starts the enumeration.
 * - `next_state`: to be set to the state.
 * - `next_state_name`: to be set to the state's name, which stays valid.
 */
typedef int (*ompt_enumerate_state_t)(int current_state, int *next_state, const char **next_state_name);

/**
 * Entry point: the calling thread's identifier; 0 if it is not an OpenMP thread (TR2, 5.2). Async-signal-safe.
 */
typedef ompt_thread_id_t (*ompt_get_thread_id_t)(void);

/**
 * Entry point: the calling thread's state (TR2, 5.2). Async-signal-safe.
 *
 * - `wait_id`: to be set to the identifier of the wait, 0 if there is none; may be null.
 */
typedef ompt_state_t (*ompt_get_state_t)(ompt_wait_id_t *wait_id);

/**
 * Entry point: the frame in which the calling worker waits for work; null on other threads (TR2, 5.2).
 * Async-signal-safe.
 */
typedef void *(*ompt_get_idle_frame_t)(void);

/**
 * Entry point: a parallel region around the calling thread's task; 0 if there is none (TR2, 5.3). Async-signal-safe.
 *
 * - `ancestor_level`: 0 for the innermost region.
 */
typedef ompt_parallel_id_t (*ompt_get_parallel_id_t)(int ancestor_level);

/**
 * Entry point: the number of threads in the team of a parallel region; -1 if there is none (TR2, 5.3).
 * Async-signal-safe.
 *
 * - `ancestor_level`: 0 for the innermost region.
 */
typedef int (*ompt_get_parallel_team_size_t)(int ancestor_level);

/**
 * Entry point: a task around the calling thread; 0 if there is none (TR2, 5.4). Async-signal-safe. (The report's
 * `ompt_task_id_t *` is a misprint.)
 *
 * - `depth`: 0 for the task that the thread executes. Depths count the tasks that lie on the thread's stack, as those
 *   of frames do, and then those around its implicit task. Below an explicit task is the task that it interrupts,
 *   which need not be its creator.
 */
typedef ompt_task_id_t (*ompt_get_task_id_t)(int depth);

/**
 * Entry point: the frames of a task around the calling thread; null if there is none (TR2, 5.4). Async-signal-safe.
 *
 * - `depth`: as for `ompt_get_task_id_t`.
 */
typedef ompt_frame_t *(*ompt_get_task_frame_t)(int depth);

/**
 * Function of the tool that the OpenMP runtime calls once it has started (TR2, 6.1.1). Returns 1, or 0 if the tool
 * declines.
 *
 * - `lookup`: finds the entry points.
 * - `runtime_version`: name and version of the runtime.
 * - `ompt_version`: version of this interface: 1.
 */
__attribute__((visibility("default")))
int ompt_initialize(ompt_function_lookup_t lookup, const char *runtime_version, unsigned int ompt_version);

/**
 * Function of the runtime by which the program passes two numbers to the tool (TR2, section 7).
 *
 * - `command`: 1 starts or resumes monitoring, 2 pauses it, 3 flushes buffers, 4 ends it for good; from 64 on the tool's own.
 * - `modifier`: argument of the command.
 *
 * The reference is weak: the program also links and runs where nothing defines the function. So test it first:
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
