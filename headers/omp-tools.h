/*
 * Generated from ompt-core/abi/src/v5 by `cargo xtask headers`. Changes made here are lost.
 *
 * OMPT, the interface for tools of OpenMP 5.0 (names, numbers and layouts of its omp-tools.h, without OMPD's), and what
 * OpenMP 5.1, 5.2, 6.0 and 6.1 added to it: each addition is marked with its release. For C99 to C17 and C++11 to C++17, by gcc and clang.
 *
 * Start of a tool: it defines ompt_start_tool, declared at the end, and returns a pointer to its initializer and
 * finalizer. The initializer gets a function that finds the entry points, ompt_set_callback first of all, by their names:
 *
 *     static int initialize(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data)
 *     {
 *         ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
 *         set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
 *         return 1;
 *     }
 *
 * The signature of the entry point ompt_x is ompt_x_t; that of a callback is given beside its number.
 */

#ifndef __OMPT__
#define __OMPT__

#ifdef OMPT_TR2_H
#error "omp-tools.h and ompt_tr2.h give the same names to different things: a file can include one of them"
#endif

#include <stddef.h>
#include <stdint.h>

/* omp_control_tool.h has this part, too: a file may include both, in any order. */
#ifndef ORA_OMP_CONTROL_TOOL_ENUMS
#define ORA_OMP_CONTROL_TOOL_ENUMS

/* Where omp.h declares them, as LLVM's and Intel's do, and gcc's from gcc 17 on, these are the declarations. */
#ifdef __has_include
#if __has_include(<omp.h>)
#include <omp.h>
#endif
#endif

#if !defined(KMP_VERSION_MAJOR) && !(defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 17)
/* Standard commands (OpenMP 5.0, 3.8.1). A tool may give others, from 64 on, a meaning of its own. */
typedef enum omp_control_tool_t {
    /* Start, or resume, watching. */
    omp_control_tool_start = 1,
    /* Pause watching. */
    omp_control_tool_pause = 2,
    /* Write out what has been collected. */
    omp_control_tool_flush = 3,
    /* Stop watching, for good. */
    omp_control_tool_end = 4,
    /* 6.1: none; with it the type has room for every `int`. */
    omp_control_tool_max = 0x7fffffff
} omp_control_tool_t;

/* Answers of the call (OpenMP 5.0, 3.8.1); a tool may answer other numbers from 64 on. */
typedef enum omp_control_tool_result_t {
    /* No tool is attached. */
    omp_control_tool_notool = -2,
    /* The tool has registered no callback for it. */
    omp_control_tool_nocallback = -1,
    /* The tool has done it. */
    omp_control_tool_success = 0,
    /* The tool ignores the command. */
    omp_control_tool_ignored = 1
} omp_control_tool_result_t;
#endif

#endif /* ORA_OMP_CONTROL_TOOL_ENUMS */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * No id.
 */
#define ompt_id_none 0

/**
 * No time.
 */
#define ompt_time_none 0

/**
 * No hardware unit.
 */
#define ompt_hwid_none 0

/**
 * No wait id.
 */
#define ompt_wait_id_none 0

/**
 * No address.
 */
#define ompt_addr_none ~0

/**
 * No mutex implementation: the number from which an enumeration of the implementations starts.
 */
#define ompt_mutex_impl_none 0

/**
 * A mutex whose waiters spin.
 */
#define ompt_mutex_impl_spin 1

/**
 * A mutex whose waiters queue.
 */
#define ompt_mutex_impl_queue 2

/**
 * A mutex that is tried by hardware transactions first (speculative).
 */
#define ompt_mutex_impl_speculative 3

/**
 * Callbacks that a tool can register (OpenMP 5.0, 4.4.2). The signature of `ompt_callback_x` is `ompt_callback_x_t`,
 * unless its comment names another one.
 */
typedef enum ompt_callbacks_t {
    /**
     * A thread begins, before all its other events.
     */
    ompt_callback_thread_begin = 1,
    /**
     * A thread ends, after all its other events.
     */
    ompt_callback_thread_end = 2,
    /**
     * A task has encountered a parallel or teams construct; no implicit task has begun.
     */
    ompt_callback_parallel_begin = 3,
    /**
     * A parallel or teams region is over, and the task that encountered its construct continues.
     */
    ompt_callback_parallel_end = 4,
    /**
     * A task is created.
     */
    ompt_callback_task_create = 5,
    /**
     * A thread switches from one task to another.
     */
    ompt_callback_task_schedule = 6,
    /**
     * An implicit or initial task begins or ends.
     */
    ompt_callback_implicit_task = 7,
    /**
     * A target construct begins or ends.
     */
    ompt_callback_target = 8,
    /**
     * Memory of a device is allocated, copied or freed.
     */
    ompt_callback_target_data_op = 9,
    /**
     * A kernel is submitted to a device.
     */
    ompt_callback_target_submit = 10,
    /**
     * The program has called `omp_control_tool`.
     */
    ompt_callback_control_tool = 11,
    /**
     * A device is initialized.
     */
    ompt_callback_device_initialize = 12,
    /**
     * A device is finalized.
     */
    ompt_callback_device_finalize = 13,
    /**
     * Code has been loaded to a device.
     */
    ompt_callback_device_load = 14,
    /**
     * Code will be unloaded from a device.
     */
    ompt_callback_device_unload = 15,
    /**
     * A wait inside a synchronization region begins or ends: `ompt_callback_sync_region_t`.
     */
    ompt_callback_sync_region_wait = 16,
    /**
     * A mutex has been released: `ompt_callback_mutex_t`.
     */
    ompt_callback_mutex_released = 17,
    /**
     * A new task has dependences.
     */
    ompt_callback_dependences = 18,
    /**
     * A task depends on another one that is not complete.
     */
    ompt_callback_task_dependence = 19,
    /**
     * A work-sharing region begins or ends.
     */
    ompt_callback_work = 20,
    /**
     * 5.0's name of `ompt_callback_masked`.
     */
    ompt_callback_master = 21,
    /**
     * A masked (master) region begins or ends.
     */
    ompt_callback_masked = 21,
    /**
     * Data is mapped to a device.
     */
    ompt_callback_target_map = 22,
    /**
     * A barrier, taskwait, taskgroup or reduction begins or ends.
     */
    ompt_callback_sync_region = 23,
    /**
     * A lock is initialized: `ompt_callback_mutex_acquire_t`.
     */
    ompt_callback_lock_init = 24,
    /**
     * A lock is destroyed: `ompt_callback_mutex_t`.
     */
    ompt_callback_lock_destroy = 25,
    /**
     * A thread requests a mutex.
     */
    ompt_callback_mutex_acquire = 26,
    /**
     * A thread has acquired a mutex: `ompt_callback_mutex_t`.
     */
    ompt_callback_mutex_acquired = 27,
    /**
     * The owner of a nestable lock sets it once more, or unsets it and still owns it.
     */
    ompt_callback_nest_lock = 28,
    /**
     * A flush has been executed.
     */
    ompt_callback_flush = 29,
    /**
     * A region is cancelled.
     */
    ompt_callback_cancel = 30,
    /**
     * The combination of a reduction's results begins or ends: `ompt_callback_sync_region_t`.
     */
    ompt_callback_reduction = 31,
    /**
     * A chunk or section of a work-sharing region begins.
     */
    ompt_callback_dispatch = 32,
    /**
     * 5.1: `ompt_callback_target` with the data words of its task and region.
     */
    ompt_callback_target_emi = 33,
    /**
     * 5.1: `ompt_callback_target_data_op` with data words, at its start and its end.
     */
    ompt_callback_target_data_op_emi = 34,
    /**
     * 5.1: `ompt_callback_target_submit` with data words, at its start and its end.
     */
    ompt_callback_target_submit_emi = 35,
    /**
     * 5.1: `ompt_callback_target_map` with data words.
     */
    ompt_callback_target_map_emi = 36,
    /**
     * 5.1: the program has executed an error directive.
     */
    ompt_callback_error = 37,
} ompt_callbacks_t;

/**
 * Answer to a registration: how often the callback will be called (OpenMP 5.0, 4.4.4.2).
 */
typedef enum ompt_set_result_t {
    /**
     * The registration is refused: there is no such callback, or the tool is not attached.
     */
    ompt_set_error = 0,
    /**
     * The event never happens.
     */
    ompt_set_never = 1,
    /**
     * The event may happen, and is never reported.
     */
    ompt_set_impossible = 2,
    /**
     * The event is reported, but not at each occurrence.
     */
    ompt_set_sometimes = 3,
    /**
     * As `ompt_set_sometimes`, but for each occurrence both begin and end are reported, or neither.
     */
    ompt_set_sometimes_paired = 4,
    /**
     * The event is reported at each occurrence.
     */
    ompt_set_always = 5,
} ompt_set_result_t;

/**
 * State of a thread (OpenMP 5.0, 4.4.4.26). The states `ompt_state_wait_mutex` to `ompt_state_wait_ordered` come with
 * a wait id.
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
     * 6.0: executes a task of a team that it isn't assigned to.
     */
    ompt_state_work_free_agent = 0x3,
    /**
     * 6.0: combines values of an induction.
     */
    ompt_state_work_induction = 0x4,
    /**
     * Waits in a barrier of unknown kind; deprecated by 5.1.
     */
    ompt_state_wait_barrier = 0x10,
    /**
     * Waits in the barrier that ends a parallel region.
     */
    ompt_state_wait_barrier_implicit_parallel = 0x11,
    /**
     * Waits in the barrier that ends a work-sharing region.
     */
    ompt_state_wait_barrier_implicit_workshare = 0x12,
    /**
     * Waits in an implicit barrier of unknown kind; deprecated by 5.1.
     */
    ompt_state_wait_barrier_implicit = 0x13,
    /**
     * Waits in an explicit barrier.
     */
    ompt_state_wait_barrier_explicit = 0x14,
    /**
     * Waits in a barrier that the implementation needs.
     */
    ompt_state_wait_barrier_implementation = 0x15,
    /**
     * 5.1: waits in the barrier that ends a teams region.
     */
    ompt_state_wait_barrier_teams = 0x16,
    /**
     * Waits in a taskwait.
     */
    ompt_state_wait_taskwait = 0x20,
    /**
     * Waits at the end of a taskgroup.
     */
    ompt_state_wait_taskgroup = 0x21,
    /**
     * Waits for a mutex of unknown kind.
     */
    ompt_state_wait_mutex = 0x40,
    /**
     * Waits for a lock, nestable or not.
     */
    ompt_state_wait_lock = 0x41,
    /**
     * Waits for a critical section.
     */
    ompt_state_wait_critical = 0x42,
    /**
     * Waits for an atomic update.
     */
    ompt_state_wait_atomic = 0x43,
    /**
     * Waits for its turn in an ordered region.
     */
    ompt_state_wait_ordered = 0x44,
    /**
     * Waits for a target region.
     */
    ompt_state_wait_target = 0x80,
    /**
     * Waits for the mapping of data to a device.
     */
    ompt_state_wait_target_map = 0x81,
    /**
     * Waits for a target update.
     */
    ompt_state_wait_target_update = 0x82,
    /**
     * Waits in the thread pool.
     */
    ompt_state_idle = 0x100,
    /**
     * Executes code of the runtime.
     */
    ompt_state_overhead = 0x101,
    /**
     * No state: the thread is not an OpenMP thread. An enumeration of the states starts here.
     */
    ompt_state_undefined = 0x102,
} ompt_state_t;

/**
 * Kind of a thread (OpenMP 5.0, 4.4.4.10).
 */
typedef enum ompt_thread_t {
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
    /**
     * A thread of unknown kind.
     */
    ompt_thread_unknown = 4,
} ompt_thread_t;

/**
 * Endpoint of a region or wait that a callback reports (OpenMP 5.0, 4.4.4.11).
 */
typedef enum ompt_scope_endpoint_t {
    /**
     * The region or wait begins.
     */
    ompt_scope_begin = 1,
    /**
     * The region or wait ends.
     */
    ompt_scope_end = 2,
    /**
     * 5.1: begin and end coincide.
     */
    ompt_scope_beginend = 3,
} ompt_scope_endpoint_t;

/**
 * Kind of a share that `ompt_callback_dispatch` reports, and the meaning of its `instance` (OpenMP 5.0, 4.4.4.12).
 */
typedef enum ompt_dispatch_t {
    /**
     * An iteration of a loop; `instance.value` is its number.
     */
    ompt_dispatch_iteration = 1,
    /**
     * A section; `instance.ptr` is an address in its code.
     */
    ompt_dispatch_section = 2,
    /**
     * 5.2: a chunk of a work-sharing loop; `instance.ptr` points to an `ompt_dispatch_chunk_t`.
     */
    ompt_dispatch_ws_loop_chunk = 3,
    /**
     * 5.2: a chunk of a taskloop; `instance.ptr` points to an `ompt_dispatch_chunk_t`.
     */
    ompt_dispatch_taskloop_chunk = 4,
    /**
     * 5.2: a chunk of a distribute region; `instance.ptr` points to an `ompt_dispatch_chunk_t`.
     */
    ompt_dispatch_distribute_chunk = 5,
} ompt_dispatch_t;

/**
 * Kind of a synchronization region (OpenMP 5.0, 4.4.4.13).
 */
typedef enum ompt_sync_region_t {
    /**
     * A barrier of unknown kind; deprecated by 5.1.
     */
    ompt_sync_region_barrier = 1,
    /**
     * An implicit barrier of unknown kind; deprecated by 5.1.
     */
    ompt_sync_region_barrier_implicit = 2,
    /**
     * An explicit barrier.
     */
    ompt_sync_region_barrier_explicit = 3,
    /**
     * A barrier that the implementation needs.
     */
    ompt_sync_region_barrier_implementation = 4,
    /**
     * A taskwait.
     */
    ompt_sync_region_taskwait = 5,
    /**
     * The end of a taskgroup.
     */
    ompt_sync_region_taskgroup = 6,
    /**
     * The combination of a reduction's results.
     */
    ompt_sync_region_reduction = 7,
    /**
     * 5.1: the barrier that ends a work-sharing region.
     */
    ompt_sync_region_barrier_implicit_workshare = 8,
    /**
     * 5.1: the barrier that ends a parallel region.
     */
    ompt_sync_region_barrier_implicit_parallel = 9,
    /**
     * 5.1: the barrier that ends a teams region.
     */
    ompt_sync_region_barrier_teams = 10,
} ompt_sync_region_t;

/**
 * Kind of a work-sharing region (OpenMP 5.0, 4.4.4.15).
 */
typedef enum ompt_work_t {
    /**
     * A loop, of any schedule.
     */
    ompt_work_loop = 1,
    /**
     * A sections region.
     */
    ompt_work_sections = 2,
    /**
     * A single region, on the thread that executes it.
     */
    ompt_work_single_executor = 3,
    /**
     * A single region, on a thread that doesn't execute it.
     */
    ompt_work_single_other = 4,
    /**
     * A workshare region (Fortran).
     */
    ompt_work_workshare = 5,
    /**
     * A distribute region.
     */
    ompt_work_distribute = 6,
    /**
     * A taskloop.
     */
    ompt_work_taskloop = 7,
    /**
     * 5.1: a scope region.
     */
    ompt_work_scope = 8,
    /**
     * 6.0: a workdistribute region (Fortran).
     */
    ompt_work_workdistribute = 9,
    /**
     * 5.2: a loop with a static schedule.
     */
    ompt_work_loop_static = 10,
    /**
     * 5.2: a loop with a dynamic schedule.
     */
    ompt_work_loop_dynamic = 11,
    /**
     * 5.2: a loop with a guided schedule.
     */
    ompt_work_loop_guided = 12,
    /**
     * 5.2: a loop with another schedule.
     */
    ompt_work_loop_other = 13,
} ompt_work_t;

/**
 * Kind of a mutex, and for locks the way in which it is requested (OpenMP 5.0, 4.4.4.16).
 */
typedef enum ompt_mutex_t {
    /**
     * A lock.
     */
    ompt_mutex_lock = 1,
    /**
     * A lock that is tested (`omp_test_lock`).
     */
    ompt_mutex_test_lock = 2,
    /**
     * A nestable lock.
     */
    ompt_mutex_nest_lock = 3,
    /**
     * A nestable lock that is tested (`omp_test_nest_lock`).
     */
    ompt_mutex_test_nest_lock = 4,
    /**
     * A critical section.
     */
    ompt_mutex_critical = 5,
    /**
     * An atomic update.
     */
    ompt_mutex_atomic = 6,
    /**
     * An ordered region.
     */
    ompt_mutex_ordered = 7,
} ompt_mutex_t;

/**
 * Reason for which a thread leaves a task, in `ompt_callback_task_schedule` (OpenMP 5.0, 4.4.4.19).
 */
typedef enum ompt_task_status_t {
    /**
     * The task is complete.
     */
    ompt_task_complete = 1,
    /**
     * The task encountered a taskyield construct.
     */
    ompt_task_yield = 2,
    /**
     * The task ended because it was cancelled.
     */
    ompt_task_cancel = 3,
    /**
     * The task's code is complete, but its detach event is not fulfilled.
     */
    ompt_task_detach = 4,
    /**
     * The task's detach event was fulfilled before its code was complete.
     */
    ompt_task_early_fulfill = 5,
    /**
     * The task's detach event was fulfilled after its code was complete.
     */
    ompt_task_late_fulfill = 6,
    /**
     * The task is suspended for another reason.
     */
    ompt_task_switch = 7,
    /**
     * 5.1: the taskwait with dependences that is reported as this task is over.
     */
    ompt_taskwait_complete = 8,
} ompt_task_status_t;

/**
 * Kind of a dependence (OpenMP 5.0, 4.4.4.23).
 */
typedef enum ompt_dependence_type_t {
    /**
     * A dependence of `depend(in)`.
     */
    ompt_dependence_type_in = 1,
    /**
     * A dependence of `depend(out)`.
     */
    ompt_dependence_type_out = 2,
    /**
     * A dependence of `depend(inout)`.
     */
    ompt_dependence_type_inout = 3,
    /**
     * A dependence of `depend(mutexinoutset)`.
     */
    ompt_dependence_type_mutexinoutset = 4,
    /**
     * A dependence of `depend(source)` of a doacross loop.
     */
    ompt_dependence_type_source = 5,
    /**
     * A dependence of `depend(sink)` of a doacross loop.
     */
    ompt_dependence_type_sink = 6,
    /**
     * 5.1: a dependence of `depend(inoutset)`.
     */
    ompt_dependence_type_inoutset = 7,
    /**
     * 5.2: a dependence of `depend(out: omp_all_memory)`.
     */
    ompt_dependence_type_out_all_memory = 34,
    /**
     * 5.2: a dependence of `depend(inout: omp_all_memory)`.
     */
    ompt_dependence_type_inout_all_memory = 35,
} ompt_dependence_type_t;

/**
 * Severity of an error directive (OpenMP 5.1).
 */
typedef enum ompt_severity_t {
    /**
     * A warning: the program continues.
     */
    ompt_warning = 1,
    /**
     * A fatal error: the program ends.
     */
    ompt_fatal = 2,
} ompt_severity_t;

/**
 * Kind and properties of a task (OpenMP 5.0, 4.4.4.18).
 */
__extension__ typedef enum ompt_task_flag_t {
    /**
     * An initial task.
     */
    ompt_task_initial = 0x1,
    /**
     * An implicit task.
     */
    ompt_task_implicit = 0x2,
    /**
     * An explicit task.
     */
    ompt_task_explicit = 0x4,
    /**
     * A target task.
     */
    ompt_task_target = 0x8,
    /**
     * 5.1: a taskwait with dependences, which is reported as a task.
     */
    ompt_task_taskwait = 0x10,
    /**
     * 6.0: the task is importing.
     */
    ompt_task_importing = 0x2000000,
    /**
     * 6.0: the task is exporting.
     */
    ompt_task_exporting = 0x4000000,
    /**
     * The task is undeferred: it is executed immediately.
     */
    ompt_task_undeferred = 0x8000000,
    /**
     * The task is untied.
     */
    ompt_task_untied = 0x10000000,
    /**
     * The task is final.
     */
    ompt_task_final = 0x20000000,
    /**
     * The task is mergeable.
     */
    ompt_task_mergeable = 0x40000000,
    /**
     * The task is merged: it shares the data environment of the task that encountered its construct.
     */
    ompt_task_merged = 0x80000000,
} ompt_task_flag_t;

/**
 * Kind of a parallel or teams region, and the caller of its code (OpenMP 5.0, 4.4.4.21).
 */
__extension__ typedef enum ompt_parallel_flag_t {
    /**
     * The program calls the region's code, at least on the thread that encountered the construct.
     */
    ompt_parallel_invoker_program = 0x1,
    /**
     * The runtime calls the region's code.
     */
    ompt_parallel_invoker_runtime = 0x2,
    /**
     * The region is executed by a league of teams.
     */
    ompt_parallel_league = 0x40000000,
    /**
     * The region is executed by a team of threads.
     */
    ompt_parallel_team = 0x80000000,
} ompt_parallel_flag_t;

/**
 * Owner of a frame in `ompt_frame_t`, and the meaning of its address: one flag of each (OpenMP 5.0, 4.4.4.28).
 */
typedef enum ompt_frame_flag_t {
    /**
     * A frame of the runtime.
     */
    ompt_frame_runtime = 0x0,
    /**
     * A frame of the program.
     */
    ompt_frame_application = 0x1,
    /**
     * The address is the canonical frame address (DWARF).
     */
    ompt_frame_cfa = 0x10,
    /**
     * The address is the value of the frame pointer.
     */
    ompt_frame_framepointer = 0x20,
    /**
     * The address lies anywhere in the frame.
     */
    ompt_frame_stackaddress = 0x30,
} ompt_frame_flag_t;

/**
 * Construct that is cancelled, and the stage of the cancellation: one flag of each (OpenMP 5.0, 4.4.4.24).
 */
typedef enum ompt_cancel_flag_t {
    /**
     * A parallel region is cancelled.
     */
    ompt_cancel_parallel = 0x1,
    /**
     * A sections region is cancelled.
     */
    ompt_cancel_sections = 0x2,
    /**
     * A work-sharing loop is cancelled.
     */
    ompt_cancel_loop = 0x4,
    /**
     * A taskgroup is cancelled.
     */
    ompt_cancel_taskgroup = 0x8,
    /**
     * The task activates the cancellation.
     */
    ompt_cancel_activated = 0x10,
    /**
     * The task detects that the cancellation was activated.
     */
    ompt_cancel_detected = 0x20,
    /**
     * A task is discarded before it ran.
     */
    ompt_cancel_discarded_task = 0x40,
} ompt_cancel_flag_t;

/**
 * Flags of a mapping of data to a device (OpenMP 5.0, 4.4.4.22).
 */
typedef enum ompt_target_map_flag_t {
    /**
     * Mapped by `map(to)`.
     */
    ompt_target_map_flag_to = 0x1,
    /**
     * Mapped by `map(from)`.
     */
    ompt_target_map_flag_from = 0x2,
    /**
     * Mapped by `map(alloc)`.
     */
    ompt_target_map_flag_alloc = 0x4,
    /**
     * Mapped by `map(release)`.
     */
    ompt_target_map_flag_release = 0x8,
    /**
     * Mapped by `map(delete)`.
     */
    ompt_target_map_flag_delete = 0x10,
    /**
     * Mapped without a clause of the program.
     */
    ompt_target_map_flag_implicit = 0x20,
    /**
     * 5.2: mapped with the modifier `always`.
     */
    ompt_target_map_flag_always = 0x40,
    /**
     * 5.2: mapped with the modifier `present`.
     */
    ompt_target_map_flag_present = 0x80,
    /**
     * 5.2: mapped with the modifier `close`.
     */
    ompt_target_map_flag_close = 0x100,
    /**
     * 5.2: the host and the device use the same memory for it.
     */
    ompt_target_map_flag_shared = 0x200,
} ompt_target_map_flag_t;

/**
 * Kinds of events that a device's own tracing can record (OpenMP 5.0, 4.4.4.17).
 */
typedef enum ompt_native_mon_flag_t {
    /**
     * Explicit data transfers.
     */
    ompt_native_data_motion_explicit = 0x1,
    /**
     * Implicit data transfers.
     */
    ompt_native_data_motion_implicit = 0x2,
    /**
     * Invocations of kernels.
     */
    ompt_native_kernel_invocation = 0x4,
    /**
     * Executions of kernels.
     */
    ompt_native_kernel_execution = 0x8,
    /**
     * Activity of the device's driver.
     */
    ompt_native_driver = 0x10,
    /**
     * Activity of the device's runtime.
     */
    ompt_native_runtime = 0x20,
    /**
     * Overhead.
     */
    ompt_native_overhead = 0x40,
    /**
     * Idle time.
     */
    ompt_native_idleness = 0x80,
} ompt_native_mon_flag_t;

/**
 * Kind of a target construct (OpenMP 5.0, 4.4.4.20).
 */
typedef enum ompt_target_t {
    /**
     * A target region.
     */
    ompt_target = 1,
    /**
     * Target enter data.
     */
    ompt_target_enter_data = 2,
    /**
     * Target exit data.
     */
    ompt_target_exit_data = 3,
    /**
     * Target update.
     */
    ompt_target_update = 4,
    /**
     * 5.1: a target region with `nowait`.
     */
    ompt_target_nowait = 9,
    /**
     * 5.1: target enter data with `nowait`.
     */
    ompt_target_enter_data_nowait = 10,
    /**
     * 5.1: target exit data with `nowait`.
     */
    ompt_target_exit_data_nowait = 11,
    /**
     * 5.1: target update with `nowait`.
     */
    ompt_target_update_nowait = 12,
} ompt_target_t;

/**
 * Kind of an operation on a device's memory (OpenMP 5.0, 4.4.4.14).
 */
typedef enum ompt_target_data_op_t {
    /**
     * Memory of the device is allocated.
     */
    ompt_target_data_alloc = 1,
    /**
     * Data is copied to the device; deprecated by 6.0.
     */
    ompt_target_data_transfer_to_device = 2,
    /**
     * Data is copied from the device; deprecated by 6.0.
     */
    ompt_target_data_transfer_from_device = 3,
    /**
     * Memory of the device is freed.
     */
    ompt_target_data_delete = 4,
    /**
     * Memory of the device is associated with memory of the host.
     */
    ompt_target_data_associate = 5,
    /**
     * Memory of the device is disassociated from memory of the host.
     */
    ompt_target_data_disassociate = 6,
    /**
     * 6.0: data is copied between two devices, of which one may be the host.
     */
    ompt_target_data_transfer = 7,
    /**
     * 6.0: memory is filled.
     */
    ompt_target_data_memset = 8,
    /**
     * 6.0: a rectangular part of an array is copied: the addresses are those of two `ompt_subvolume_t`.
     */
    ompt_target_data_transfer_rect = 9,
    /**
     * 5.1: memory of the device is allocated asynchronously.
     */
    ompt_target_data_alloc_async = 17,
    /**
     * 5.1: data is copied to the device asynchronously; deprecated by 6.0.
     */
    ompt_target_data_transfer_to_device_async = 18,
    /**
     * 5.1: data is copied from the device asynchronously; deprecated by 6.0.
     */
    ompt_target_data_transfer_from_device_async = 19,
    /**
     * 5.1: memory of the device is freed asynchronously.
     */
    ompt_target_data_delete_async = 20,
    /**
     * 6.0: data is copied between two devices asynchronously.
     */
    ompt_target_data_transfer_async = 23,
    /**
     * 6.0: memory is filled asynchronously.
     */
    ompt_target_data_memset_async = 24,
    /**
     * 6.0: a rectangular part of an array is copied asynchronously.
     */
    ompt_target_data_transfer_rect_async = 25,
} ompt_target_data_op_t;

/**
 * Type of a record of a device's trace (OpenMP 5.0, 4.4.3.1).
 */
typedef enum ompt_record_t {
    /**
     * A record of OMPT: an `ompt_record_ompt_t`.
     */
    ompt_record_ompt = 1,
    /**
     * A record of the device's own tracing.
     */
    ompt_record_native = 2,
    /**
     * No record: the position is not valid.
     */
    ompt_record_invalid = 3,
} ompt_record_t;

/**
 * Kind of a record of the device's own tracing (OpenMP 5.0, 4.4.3.2).
 */
typedef enum ompt_record_native_t {
    /**
     * Information about the device.
     */
    ompt_record_native_info = 1,
    /**
     * An event on the device.
     */
    ompt_record_native_event = 2,
} ompt_record_native_t;

/**
 * Data word of the tool that the runtime keeps with a thread, parallel region or task. It is 0 (`ompt_data_none`)
 * until the tool writes it (OpenMP 5.0, 4.4.4.4).
 */
typedef union ompt_data_t {
    /**
     * The word as an integer.
     */
    uint64_t value;
    /**
     * The word as a pointer.
     */
    void *ptr;
} ompt_data_t;

/**
 * Identifier that is unique while the program runs; 0 (`ompt_id_none`): none (OpenMP 5.0, 4.4.4.3).
 */
typedef uint64_t ompt_id_t;

/**
 * Time of a device, in the device's own unit; 0 (`ompt_time_none`): none (OpenMP 5.0, 4.4.4.6).
 */
typedef uint64_t ompt_device_time_t;

/**
 * Position in a buffer of trace records (OpenMP 5.0, 4.4.4.8).
 */
typedef uint64_t ompt_buffer_cursor_t;

/**
 * Identifier of a hardware unit of a device; 0 (`ompt_hwid_none`): none (OpenMP 5.0, 4.4.4.25).
 */
typedef uint64_t ompt_hwid_t;

/**
 * Identifier of the mutex or region that a thread waits for; 0 (`ompt_wait_id_none`): none (OpenMP 5.0, 4.4.4.29).
 */
typedef uint64_t ompt_wait_id_t;

/**
 * Device that can be traced; opaque to tools (OpenMP 5.0, 4.4.4.5).
 */
typedef void ompt_device_t;

/**
 * Buffer of trace records; opaque to tools (OpenMP 5.0, 4.4.4.7).
 */
typedef void ompt_buffer_t;

/**
 * Frames of a task on the stack of its thread (OpenMP 5.0, 4.4.4.27).
 */
typedef struct ompt_frame_t {
    /**
     * The runtime's frame that called the task's code; null until then.
     */
    ompt_data_t exit_frame;
    /**
     * The frame of the call by which the task's code entered the runtime; null while the code runs.
     */
    ompt_data_t enter_frame;
    /**
     * Flags of `exit_frame`: two of `ompt_frame_flag_t`, one of each group, or-ed together.
     */
    int exit_frame_flags;
    /**
     * Flags of `enter_frame`: two of `ompt_frame_flag_t`, one of each group, or-ed together.
     */
    int enter_frame_flags;
} ompt_frame_t;

/**
 * One dependence of a task, or of an iteration of a doacross loop (OpenMP 5.0, 4.4.4.9).
 */
typedef struct ompt_dependence_t {
    /**
     * The address of the variable; for a doacross loop, the number of the iteration.
     */
    ompt_data_t variable;
    /**
     * The kind of the dependence.
     */
    ompt_dependence_type_t dependence_type;
} ompt_dependence_t;

/**
 * 6.0: part of an array of several dimensions, as it is copied to or from a device (OpenMP 6.0, 33.32).
 */
typedef struct ompt_subvolume_t {
    /**
     * The array.
     */
    const void *base;
    /**
     * Size of an element, in bytes.
     */
    uint64_t size;
    /**
     * Number of dimensions; each array below has as many elements.
     */
    uint64_t num_dims;
    /**
     * Size of the part in each dimension, in elements.
     */
    const uint64_t *volume;
    /**
     * Its offset in each dimension, in elements.
     */
    const uint64_t *offsets;
    /**
     * Size of the array in each dimension, in elements.
     */
    const uint64_t *dimensions;
} ompt_subvolume_t;

/**
 * Chunk of a loop: `ompt_callback_dispatch` passes its address (OpenMP 5.2).
 */
typedef struct ompt_dispatch_chunk_t {
    /**
     * The first logical iteration of the chunk, from 0.
     */
    uint64_t start;
    /**
     * The number of iterations in the chunk.
     */
    uint64_t iterations;
} ompt_dispatch_chunk_t;

/**
 * Entry point without its signature: to be converted to the type of its name (OpenMP 5.0, 4.6.3).
 */
typedef void (*ompt_interface_fn_t)(void);

/**
 * Callback without its signature: converted from the type of its name (OpenMP 5.0, 4.4.4.1).
 */
typedef void (*ompt_callback_t)(void);

/**
 * Function that finds an entry point by its name; null if there is none of that name (OpenMP 5.0, 4.6.3).
 *
 * - `interface_function_name`: name of the entry point, such as `ompt_set_callback`.
 */
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *interface_function_name);

/**
 * Initializer of the tool, called before all callbacks (OpenMP 5.0, 4.5.1.1). Returns 0 if the tool declines, any
 * other value if it stays.
 *
 * - `lookup`: finds the entry points.
 * - `initial_device_num`: number of the initial device (the host).
 * - `tool_data`: the tool's word in its `ompt_start_tool_result_t`.
 */
typedef int (*ompt_initialize_t)(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data);

/**
 * Finalizer of the tool, called after all callbacks (OpenMP 5.0, 4.5.1.2).
 *
 * - `tool_data`: the tool's word in its `ompt_start_tool_result_t`.
 */
typedef void (*ompt_finalize_t)(ompt_data_t *tool_data);

/**
 * Result of `ompt_start_tool`, which returns its address (OpenMP 5.0, 4.4.1). Valid until `finalize` has been called.
 */
typedef struct ompt_start_tool_result_t {
    /**
     * Initializer of the tool, called next.
     */
    ompt_initialize_t initialize;
    /**
     * Finalizer of the tool, called last.
     */
    ompt_finalize_t finalize;
    /**
     * Word of the tool; both functions get its address.
     */
    ompt_data_t tool_data;
} ompt_start_tool_result_t;

/**
 * A thread begins (OpenMP 5.0, 4.5.2.1).
 *
 * - `thread_type`: kind of the thread.
 * - `thread_data`: data word of the thread.
 */
typedef void (*ompt_callback_thread_begin_t)(ompt_thread_t thread_type, ompt_data_t *thread_data);

/**
 * A thread ends (OpenMP 5.0, 4.5.2.2).
 *
 * - `thread_data`: data word of the thread.
 */
typedef void (*ompt_callback_thread_end_t)(ompt_data_t *thread_data);

/**
 * A parallel or teams region begins (OpenMP 5.0, 4.5.2.3).
 *
 * - `encountering_task_data`: data word of the task that encountered the construct.
 * - `encountering_task_frame`: frames of that task.
 * - `parallel_data`: data word of the region.
 * - `requested_parallelism`: number of threads, or of teams, that the construct requests.
 * - `flags`: an `ompt_parallel_flag_t` of each kind, or-ed together.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_parallel_begin_t)(ompt_data_t *encountering_task_data,
                                               const ompt_frame_t *encountering_task_frame,
                                               ompt_data_t *parallel_data,
                                               unsigned int requested_parallelism,
                                               int flags,
                                               const void *codeptr_ra);

/**
 * A parallel or teams region ends (OpenMP 5.0, 4.5.2.4).
 *
 * - `parallel_data`: data word of the region.
 * - `encountering_task_data`: data word of the task that encountered the construct.
 * - `flags`: an `ompt_parallel_flag_t` of each kind, or-ed together.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_parallel_end_t)(ompt_data_t *parallel_data,
                                             ompt_data_t *encountering_task_data,
                                             int flags,
                                             const void *codeptr_ra);

/**
 * A work-sharing region begins or ends (OpenMP 5.0, 4.5.2.5).
 *
 * - `work_type`: kind of the region.
 * - `endpoint`: begin or end.
 * - `parallel_data`: data word of the parallel region.
 * - `task_data`: data word of the task that executes the region.
 * - `count`: number of iterations or sections; 1 for a single region.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_work_t)(ompt_work_t work_type,
                                     ompt_scope_endpoint_t endpoint,
                                     ompt_data_t *parallel_data,
                                     ompt_data_t *task_data,
                                     uint64_t count,
                                     const void *codeptr_ra);

/**
 * A thread has got a share of a work-sharing region (OpenMP 5.0, 4.5.2.6).
 *
 * - `parallel_data`: data word of the parallel region.
 * - `task_data`: data word of the task that executes the share.
 * - `kind`: kind of the share.
 * - `instance`: the share itself, as described at each kind.
 */
typedef void (*ompt_callback_dispatch_t)(ompt_data_t *parallel_data,
                                         ompt_data_t *task_data,
                                         ompt_dispatch_t kind,
                                         ompt_data_t instance);

/**
 * A task is created (OpenMP 5.0, 4.5.2.7).
 *
 * - `encountering_task_data`: data word of the task that encountered the construct.
 * - `encountering_task_frame`: frames of that task.
 * - `new_task_data`: data word of the new task.
 * - `flags`: the new task's `ompt_task_flag_t`, or-ed together.
 * - `has_dependences`: 1 if the new task has dependences, else 0.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_task_create_t)(ompt_data_t *encountering_task_data,
                                            const ompt_frame_t *encountering_task_frame,
                                            ompt_data_t *new_task_data,
                                            int flags,
                                            int has_dependences,
                                            const void *codeptr_ra);

/**
 * A new task, or an iteration of a doacross loop, has dependences (OpenMP 5.0, 4.5.2.8).
 *
 * - `task_data`: data word of the task.
 * - `deps`: the dependences, valid during the call.
 * - `ndeps`: number of dependences.
 */
typedef void (*ompt_callback_dependences_t)(ompt_data_t *task_data,
                                            const ompt_dependence_t *deps,
                                            int ndeps);

/**
 * A task depends on another one that is not complete (OpenMP 5.0, 4.5.2.9).
 *
 * - `src_task_data`: data word of the predecessor.
 * - `sink_task_data`: data word of the task that has to wait for it.
 */
typedef void (*ompt_callback_task_dependence_t)(ompt_data_t *src_task_data, ompt_data_t *sink_task_data);

/**
 * A thread switches from one task to another, or the status of a task changes (OpenMP 5.0, 4.5.2.10).
 *
 * - `prior_task_data`: data word of the task that the thread leaves.
 * - `prior_task_status`: reason for which the thread leaves the task.
 * - `next_task_data`: data word of the task that the thread executes from now on; null if none follows.
 */
typedef void (*ompt_callback_task_schedule_t)(ompt_data_t *prior_task_data,
                                              ompt_task_status_t prior_task_status,
                                              ompt_data_t *next_task_data);

/**
 * An implicit or initial task begins or ends (OpenMP 5.0, 4.5.2.11).
 *
 * - `endpoint`: begin or end.
 * - `parallel_data`: data word of the parallel region; may be null at the end.
 * - `task_data`: data word of the task.
 * - `actual_parallelism`: number of threads in the team, or of teams in the league; at the end 0, or as on LLVM's runtime the team's
 *   size on the primary thread.
 * - `index`: number of the thread in its team, or of the team in its league.
 * - `flags`: the task's `ompt_task_flag_t`, or-ed together.
 */
typedef void (*ompt_callback_implicit_task_t)(ompt_scope_endpoint_t endpoint,
                                              ompt_data_t *parallel_data,
                                              ompt_data_t *task_data,
                                              unsigned int actual_parallelism,
                                              unsigned int index,
                                              int flags);

/**
 * A masked (master) region begins or ends (OpenMP 5.0, 4.5.2.12; renamed by 5.1).
 *
 * - `endpoint`: begin or end.
 * - `parallel_data`: data word of the parallel region.
 * - `task_data`: data word of the task that executes the region.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_masked_t)(ompt_scope_endpoint_t endpoint,
                                       ompt_data_t *parallel_data,
                                       ompt_data_t *task_data,
                                       const void *codeptr_ra);

/**
 * OpenMP 5.0's name of `ompt_callback_masked_t`.
 */
typedef ompt_callback_masked_t ompt_callback_master_t;

/**
 * A synchronization region, or a wait in it, begins or ends (OpenMP 5.0, 4.5.2.13).
 *
 * - `kind`: kind of the region.
 * - `endpoint`: begin or end.
 * - `parallel_data`: data word of the parallel region; may be null at the end of the barrier that ends it.
 * - `task_data`: data word of the task.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_sync_region_t)(ompt_sync_region_t kind,
                                            ompt_scope_endpoint_t endpoint,
                                            ompt_data_t *parallel_data,
                                            ompt_data_t *task_data,
                                            const void *codeptr_ra);

/**
 * A thread requests a mutex, or a lock is initialized (OpenMP 5.0, 4.5.2.14).
 *
 * - `kind`: kind of the mutex.
 * - `hint`: hint of the program, an `omp_sync_hint_t`; 0: none.
 * - `impl`: implementation of the mutex: an `ompt_mutex_impl_*`, or a number that `ompt_enumerate_mutex_impls` lists.
 * - `wait_id`: identifier of the mutex.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_mutex_acquire_t)(ompt_mutex_t kind,
                                              unsigned int hint,
                                              unsigned int impl,
                                              ompt_wait_id_t wait_id,
                                              const void *codeptr_ra);

/**
 * A mutex was acquired or released, or a lock is destroyed (OpenMP 5.0, 4.5.2.15).
 *
 * - `kind`: kind of the mutex.
 * - `wait_id`: identifier of the mutex.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_mutex_t)(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra);

/**
 * The owner of a nestable lock has set it once more (begin), or has unset it and still owns it (end) (OpenMP 5.0,
 * 4.5.2.16).
 *
 * - `endpoint`: begin or end.
 * - `wait_id`: identifier of the lock.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_nest_lock_t)(ompt_scope_endpoint_t endpoint,
                                          ompt_wait_id_t wait_id,
                                          const void *codeptr_ra);

/**
 * A flush was executed (OpenMP 5.0, 4.5.2.17).
 *
 * - `thread_data`: data word of the thread.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_flush_t)(ompt_data_t *thread_data, const void *codeptr_ra);

/**
 * A region is cancelled (OpenMP 5.0, 4.5.2.18).
 *
 * - `task_data`: data word of the task.
 * - `flags`: an `ompt_cancel_flag_t` of each kind, or-ed together.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_cancel_t)(ompt_data_t *task_data, int flags, const void *codeptr_ra);

/**
 * The program has called `omp_control_tool`, which returns the callback's result (OpenMP 5.0, 4.5.2.29).
 *
 * - `command`, `modifier`: the numbers that the program passes.
 * - `arg`: the pointer that the program passes; its meaning is between program and tool.
 * - `codeptr_ra`: return address of the program's call, or null.
 */
typedef int (*ompt_callback_control_tool_t)(uint64_t command, uint64_t modifier, void *arg, const void *codeptr_ra);

/**
 * The program has executed an error directive (OpenMP 5.1, 4.5.2.30).
 *
 * - `severity`: severity of the error.
 * - `message`: text of the error, or null.
 * - `length`: length of the text, in bytes.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_error_t)(ompt_severity_t severity,
                                      const char *message,
                                      size_t length,
                                      const void *codeptr_ra);

/**
 * Entry point: the thread state after another one; 1, or 0 after the last one (OpenMP 5.0, 4.6.1.1).
 *
 * - `current_state`: an `ompt_state_t`; `ompt_state_undefined` starts the enumeration.
 * - `next_state`: to be set to the state.
 * - `next_state_name`: to be set to the state's name, which stays valid.
 */
typedef int (*ompt_enumerate_states_t)(int current_state, int *next_state, const char **next_state_name);

/**
 * Entry point: the mutex implementation after another one; 1, or 0 after the last one (OpenMP 5.0, 4.6.1.2).
 *
 * - `current_impl`: an implementation's number; `ompt_mutex_impl_none` starts the enumeration.
 * - `next_impl`: to be set to the implementation's number.
 * - `next_impl_name`: to be set to the implementation's name, which stays valid.
 */
typedef int (*ompt_enumerate_mutex_impls_t)(int current_impl, int *next_impl, const char **next_impl_name);

/**
 * Entry point: registers a callback (OpenMP 5.0, 4.6.1.3). Not async-signal-safe.
 *
 * - `event`: the callback's number.
 * - `callback`: the tool's function, converted from its own type; null removes the registration.
 */
typedef ompt_set_result_t (*ompt_set_callback_t)(ompt_callbacks_t event, ompt_callback_t callback);

/**
 * Entry point: the registered callback; 1, or 0 if there is none (OpenMP 5.0, 4.6.1.4).
 *
 * - `event`: the callback's number.
 * - `callback`: to be set to the tool's function.
 */
typedef int (*ompt_get_callback_t)(ompt_callbacks_t event, ompt_callback_t *callback);

/**
 * Entry point: the calling thread's data word; null if it is not an OpenMP thread (OpenMP 5.0, 4.6.1.5).
 * Async-signal-safe.
 */
typedef ompt_data_t *(*ompt_get_thread_data_t)(void);

/**
 * Entry point: the number of processors that are available to the program (OpenMP 5.0, 4.6.1.6). Async-signal-safe.
 */
typedef int (*ompt_get_num_procs_t)(void);

/**
 * Entry point: the number of places (OpenMP 5.0, 4.6.1.7). Async-signal-safe.
 */
typedef int (*ompt_get_num_places_t)(void);

/**
 * Entry point: the number of processors of a place (OpenMP 5.0, 4.6.1.8). Async-signal-safe.
 *
 * - `place_num`: the place, from 0.
 * - `ids_size`: number of elements of `ids`.
 * - `ids`: to be set to the processors' numbers; left alone if `ids_size` is too small.
 */
typedef int (*ompt_get_place_proc_ids_t)(int place_num, int ids_size, int *ids);

/**
 * Entry point: the place that the calling thread is bound to, or -1 (OpenMP 5.0, 4.6.1.9). Async-signal-safe.
 */
typedef int (*ompt_get_place_num_t)(void);

/**
 * Entry point: the number of places in the partition of the innermost implicit task (OpenMP 5.0, 4.6.1.10).
 * Async-signal-safe.
 *
 * - `place_nums_size`: number of elements of `place_nums`.
 * - `place_nums`: to be set to the places' numbers; left alone if `place_nums_size` is too small.
 */
typedef int (*ompt_get_partition_place_nums_t)(int place_nums_size, int *place_nums);

/**
 * Entry point: the processor that the calling thread runs on, or a negative number (OpenMP 5.0, 4.6.1.11).
 * Async-signal-safe.
 */
typedef int (*ompt_get_proc_id_t)(void);

/**
 * Entry point: the calling thread's state, an `ompt_state_t` (OpenMP 5.0, 4.6.1.12). Async-signal-safe.
 *
 * - `wait_id`: to be set to the identifier of the wait, `ompt_wait_id_none` if there is none; may be null.
 */
typedef int (*ompt_get_state_t)(ompt_wait_id_t *wait_id);

/**
 * Entry point: a parallel region around the calling thread's task; 2 if the result is complete, 1 if there is a region
 * of which nothing is known now, 0 if there is none (OpenMP 5.0, 4.6.1.13). Async-signal-safe.
 *
 * - `ancestor_level`: 0 for the innermost region.
 * - `parallel_data`: to be set to the region's data word; may be null.
 * - `team_size`: to be set to the number of threads in the team; may be null.
 */
typedef int (*ompt_get_parallel_info_t)(int ancestor_level, ompt_data_t **parallel_data, int *team_size);

/**
 * Entry point: a task around the calling thread; 2 if the result is complete, 1 if there is a task of which nothing is
 * known now, 0 if there is none (OpenMP 5.0, 4.6.1.14). Async-signal-safe. Each pointer may be null.
 *
 * - `ancestor_level`: 0 for the task that the thread executes.
 * - `flags`: to be set to the task's `ompt_task_flag_t`, or-ed together.
 * - `task_data`: to be set to the task's data word.
 * - `task_frame`: to be set to the task's frames.
 * - `parallel_data`: to be set to the data word of the task's parallel region.
 * - `thread_num`: to be set to the number that the task's thread has in its team.
 */
typedef int (*ompt_get_task_info_t)(int ancestor_level,
                                    int *flags,
                                    ompt_data_t **task_data,
                                    ompt_frame_t **task_frame,
                                    ompt_data_t **parallel_data,
                                    int *thread_num);

/**
 * Entry point: a block of memory with the data of the task that the thread executes; 1 if there are more blocks, else
 * 0 (OpenMP 5.0, 4.6.1.15). Async-signal-safe.
 *
 * - `addr`: to be set to the block's address, null if there is none.
 * - `size`: to be set to the block's size, in bytes.
 * - `block`: number of the block, from 0.
 */
typedef int (*ompt_get_task_memory_t)(void **addr, size_t *size, int block);

/**
 * Entry point: the target region that the calling thread executes; 1, or 0 if there is none (OpenMP 5.0, 4.6.1.16).
 * Async-signal-safe.
 *
 * - `device_num`: to be set to the number of the device; may be null.
 * - `target_id`: to be set to the identifier of the region; may be null.
 * - `host_op_id`: to be set to the identifier of the operation, 0 if there is none; may be null.
 */
typedef int (*ompt_get_target_info_t)(uint64_t *device_num, ompt_id_t *target_id, ompt_id_t *host_op_id);

/**
 * Entry point: the number of devices (OpenMP 5.0, 4.6.1.17). Async-signal-safe.
 */
typedef int (*ompt_get_num_devices_t)(void);

/**
 * Entry point: a number that was never returned before (OpenMP 5.0, 4.6.1.18). Async-signal-safe.
 */
typedef uint64_t (*ompt_get_unique_id_t)(void);

/**
 * Entry point: detaches the tool. Its finalizer is called, and no callback after it (OpenMP 5.0, 4.6.1.19). Not
 * async-signal-safe.
 */
typedef void (*ompt_finalize_tool_t)(void);

/**
 * A device is initialized (OpenMP 5.0, 4.5.2.19).
 *
 * - `device_num`: the device's number.
 * - `type`: the device's type, as a string.
 * - `device`: handle of the device, for the entry points that trace it.
 * - `lookup`: finds those entry points by their names; null if the device can't be traced.
 * - `documentation`: description of the entry points of the device's own tracing, as a string, or null.
 */
typedef void (*ompt_callback_device_initialize_t)(int device_num,
                                                  const char *type,
                                                  ompt_device_t *device,
                                                  ompt_function_lookup_t lookup,
                                                  const char *documentation);

/**
 * A device is finalized (OpenMP 5.0, 4.5.2.20).
 *
 * - `device_num`: the device's number.
 */
typedef void (*ompt_callback_device_finalize_t)(int device_num);

/**
 * Code was loaded to a device (OpenMP 5.0, 4.5.2.21).
 *
 * - `device_num`: the device's number.
 * - `filename`: path of the file with the code, or null.
 * - `offset_in_file`: offset of the code in the file, in bytes, or -1.
 * - `vma_in_file`: virtual address of the code in the file, or `ompt_addr_none`.
 * - `bytes`: size of the code, in bytes.
 * - `host_addr`: address of the code on the host, or `ompt_addr_none`.
 * - `device_addr`: address of the code on the device, or `ompt_addr_none`.
 * - `module_id`: identifier of the code object.
 */
typedef void (*ompt_callback_device_load_t)(int device_num,
                                            const char *filename,
                                            int64_t offset_in_file,
                                            void *vma_in_file,
                                            size_t bytes,
                                            void *host_addr,
                                            void *device_addr,
                                            uint64_t module_id);

/**
 * Code will be unloaded from a device (OpenMP 5.0, 4.5.2.22).
 *
 * - `device_num`: the device's number.
 * - `module_id`: identifier of the code object.
 */
typedef void (*ompt_callback_device_unload_t)(int device_num, uint64_t module_id);

/**
 * Function of the tool that provides a buffer for trace records (OpenMP 5.0, 4.5.2.23).
 *
 * - `device_num`: the device's number.
 * - `buffer`: to be set to the buffer's address, or to null if there is none.
 * - `bytes`: to be set to the buffer's size, in bytes.
 */
typedef void (*ompt_callback_buffer_request_t)(int device_num, ompt_buffer_t **buffer, size_t *bytes);

/**
 * Function of the tool that receives trace records (OpenMP 5.0, 4.5.2.24).
 *
 * - `device_num`: the device's number.
 * - `buffer`: the buffer with the records.
 * - `bytes`: size of the records, in bytes.
 * - `begin`: position of the first record.
 * - `buffer_owned`: not 0 if the tool owns the buffer again.
 */
typedef void (*ompt_callback_buffer_complete_t)(int device_num,
                                                ompt_buffer_t *buffer,
                                                size_t bytes,
                                                ompt_buffer_cursor_t begin,
                                                int buffer_owned);

/**
 * An operation on a device's memory begins or ends (OpenMP 5.1, 4.5.2.25).
 *
 * - `endpoint`: begin or end.
 * - `target_task_data`: data word of the target task.
 * - `target_data`: data word of the target region.
 * - `host_op_id`: identifier of the operation, for the tool to write.
 * - `optype`: kind of the operation.
 * - `src_addr`, `src_device_num`: address of the source, and number of its device.
 * - `dest_addr`, `dest_device_num`: address of the destination, and number of its device.
 * - `bytes`: size of the data, in bytes.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_target_data_op_emi_t)(ompt_scope_endpoint_t endpoint,
                                                   ompt_data_t *target_task_data,
                                                   ompt_data_t *target_data,
                                                   ompt_id_t *host_op_id,
                                                   ompt_target_data_op_t optype,
                                                   void *src_addr,
                                                   int src_device_num,
                                                   void *dest_addr,
                                                   int dest_device_num,
                                                   size_t bytes,
                                                   const void *codeptr_ra);

/**
 * An operation on a device's memory (OpenMP 5.0, 4.5.2.25).
 *
 * - `target_id`: identifier of the target region.
 * - `host_op_id`: identifier of the operation.
 * - `optype`: kind of the operation.
 * - `src_addr`, `src_device_num`: address of the source, and number of its device.
 * - `dest_addr`, `dest_device_num`: address of the destination, and number of its device.
 * - `bytes`: size of the data, in bytes.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_target_data_op_t)(ompt_id_t target_id,
                                               ompt_id_t host_op_id,
                                               ompt_target_data_op_t optype,
                                               void *src_addr,
                                               int src_device_num,
                                               void *dest_addr,
                                               int dest_device_num,
                                               size_t bytes,
                                               const void *codeptr_ra);

/**
 * A target construct begins or ends (OpenMP 5.1, 4.5.2.26).
 *
 * - `kind`: kind of the construct.
 * - `endpoint`: begin or end.
 * - `device_num`: number of the device that executes the region.
 * - `task_data`: data word of the task that encountered the construct.
 * - `target_task_data`: data word of the target task.
 * - `target_data`: data word of the target region.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_target_emi_t)(ompt_target_t kind,
                                           ompt_scope_endpoint_t endpoint,
                                           int device_num,
                                           ompt_data_t *task_data,
                                           ompt_data_t *target_task_data,
                                           ompt_data_t *target_data,
                                           const void *codeptr_ra);

/**
 * A target construct begins or ends (OpenMP 5.0, 4.5.2.26).
 *
 * - `kind`: kind of the construct.
 * - `endpoint`: begin or end.
 * - `device_num`: number of the device that executes the region.
 * - `task_data`: data word of the task that encountered the construct.
 * - `target_id`: identifier of the target region.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_target_t)(ompt_target_t kind,
                                       ompt_scope_endpoint_t endpoint,
                                       int device_num,
                                       ompt_data_t *task_data,
                                       ompt_id_t target_id,
                                       const void *codeptr_ra);

/**
 * Data is mapped to a device (OpenMP 5.1, 4.5.2.27).
 *
 * - `target_data`: data word of the target region.
 * - `nitems`: number of the mapped items; each array has as many elements.
 * - `host_addr`, `device_addr`: addresses of the items on the host and on the device.
 * - `bytes`: sizes of the items, in bytes.
 * - `mapping_flags`: an `ompt_target_map_flag_t` of each item, or-ed together.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_target_map_emi_t)(ompt_data_t *target_data,
                                               unsigned int nitems,
                                               void **host_addr,
                                               void **device_addr,
                                               size_t *bytes,
                                               unsigned int *mapping_flags,
                                               const void *codeptr_ra);

/**
 * Data is mapped to a device (OpenMP 5.0, 4.5.2.27).
 *
 * - `target_id`: identifier of the target region.
 * - `nitems`: number of the mapped items; each array has as many elements.
 * - `host_addr`, `device_addr`: addresses of the items on the host and on the device.
 * - `bytes`: sizes of the items, in bytes.
 * - `mapping_flags`: an `ompt_target_map_flag_t` of each item, or-ed together.
 * - `codeptr_ra`: return address of the program's call of the runtime, or null.
 */
typedef void (*ompt_callback_target_map_t)(ompt_id_t target_id,
                                           unsigned int nitems,
                                           void **host_addr,
                                           void **device_addr,
                                           size_t *bytes,
                                           unsigned int *mapping_flags,
                                           const void *codeptr_ra);

/**
 * The submission of a kernel to a device begins or ends (OpenMP 5.1, 4.5.2.28).
 *
 * - `endpoint`: begin or end of the submission.
 * - `target_data`: data word of the target region.
 * - `host_op_id`: identifier of the operation, for the tool to write.
 * - `requested_num_teams`: number of teams that the kernel requests.
 */
typedef void (*ompt_callback_target_submit_emi_t)(ompt_scope_endpoint_t endpoint,
                                                  ompt_data_t *target_data,
                                                  ompt_id_t *host_op_id,
                                                  unsigned int requested_num_teams);

/**
 * A kernel is submitted to a device (OpenMP 5.0, 4.5.2.28).
 *
 * - `target_id`: identifier of the target region.
 * - `host_op_id`: identifier of the operation.
 * - `requested_num_teams`: number of teams that the kernel requests.
 */
typedef void (*ompt_callback_target_submit_t)(ompt_id_t target_id,
                                              ompt_id_t host_op_id,
                                              unsigned int requested_num_teams);

/**
 * Record of a thread's start.
 */
typedef struct ompt_record_thread_begin_t {
    /**
     * Kind of the thread.
     */
    ompt_thread_t thread_type;
} ompt_record_thread_begin_t;

/**
 * Record of a parallel or teams region's start.
 */
typedef struct ompt_record_parallel_begin_t {
    /**
     * Identifier of the task that encountered the construct.
     */
    ompt_id_t encountering_task_id;
    /**
     * Identifier of the region.
     */
    ompt_id_t parallel_id;
    /**
     * Number of threads or teams that the construct requests.
     */
    unsigned int requested_parallelism;
    /**
     * An `ompt_parallel_flag_t` of each kind, or-ed together.
     */
    int flags;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_parallel_begin_t;

/**
 * Record of a parallel or teams region's end.
 */
typedef struct ompt_record_parallel_end_t {
    /**
     * Identifier of the region.
     */
    ompt_id_t parallel_id;
    /**
     * Identifier of the task that encountered the construct.
     */
    ompt_id_t encountering_task_id;
    /**
     * An `ompt_parallel_flag_t` of each kind, or-ed together.
     */
    int flags;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_parallel_end_t;

/**
 * Record of a work-sharing region's start or end.
 */
typedef struct ompt_record_work_t {
    /**
     * Kind of the work-sharing region.
     */
    ompt_work_t work_type;
    /**
     * Begin or end of the region.
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * Identifier of the parallel region.
     */
    ompt_id_t parallel_id;
    /**
     * Identifier of the task that executes the region.
     */
    ompt_id_t task_id;
    /**
     * Number of iterations or sections.
     */
    uint64_t count;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_work_t;

/**
 * Record of a share of a work-sharing region.
 */
typedef struct ompt_record_dispatch_t {
    /**
     * Identifier of the parallel region.
     */
    ompt_id_t parallel_id;
    /**
     * Identifier of the task that executes the share.
     */
    ompt_id_t task_id;
    /**
     * Kind of the share.
     */
    ompt_dispatch_t kind;
    /**
     * The share itself, as described at each `ompt_dispatch_t`.
     */
    ompt_data_t instance;
} ompt_record_dispatch_t;

/**
 * Record of a task's creation.
 */
typedef struct ompt_record_task_create_t {
    /**
     * Identifier of the task that encountered the construct.
     */
    ompt_id_t encountering_task_id;
    /**
     * Identifier of the new task.
     */
    ompt_id_t new_task_id;
    /**
     * The new task's `ompt_task_flag_t`, or-ed together.
     */
    int flags;
    /**
     * 1 if the new task has dependences, else 0.
     */
    int has_dependences;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_task_create_t;

/**
 * Record of a task's dependences.
 */
typedef struct ompt_record_dependences_t {
    /**
     * Identifier of the task.
     */
    ompt_id_t task_id;
    /**
     * One of the dependences.
     */
    ompt_dependence_t dep;
    /**
     * Number of the dependences.
     */
    int ndeps;
} ompt_record_dependences_t;

/**
 * Record of a dependence between two tasks.
 */
typedef struct ompt_record_task_dependence_t {
    /**
     * Identifier of the predecessor.
     */
    ompt_id_t src_task_id;
    /**
     * Identifier of the task that has to wait for it.
     */
    ompt_id_t sink_task_id;
} ompt_record_task_dependence_t;

/**
 * Record of a switch from one task to another.
 */
typedef struct ompt_record_task_schedule_t {
    /**
     * Identifier of the task that the thread leaves.
     */
    ompt_id_t prior_task_id;
    /**
     * Reason for which the thread leaves the task.
     */
    ompt_task_status_t prior_task_status;
    /**
     * Identifier of the task that the thread executes from then on.
     */
    ompt_id_t next_task_id;
} ompt_record_task_schedule_t;

/**
 * Record of an implicit or initial task's start or end.
 */
typedef struct ompt_record_implicit_task_t {
    /**
     * Begin or end of the task.
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * Identifier of the parallel region.
     */
    ompt_id_t parallel_id;
    /**
     * Identifier of the task.
     */
    ompt_id_t task_id;
    /**
     * Number of threads in the team, or of teams in the league.
     */
    unsigned int actual_parallelism;
    /**
     * Number of the thread in its team, or of the team in its league.
     */
    unsigned int index;
    /**
     * The task's `ompt_task_flag_t`, or-ed together.
     */
    int flags;
} ompt_record_implicit_task_t;

/**
 * 5.1: record of a masked (master) region's start or end.
 */
typedef struct ompt_record_masked_t {
    /**
     * Begin or end of the region.
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * Identifier of the parallel region.
     */
    ompt_id_t parallel_id;
    /**
     * Identifier of the task that executes the region.
     */
    ompt_id_t task_id;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_masked_t;

/**
 * OpenMP 5.0's name of `ompt_record_masked_t`.
 */
typedef ompt_record_masked_t ompt_record_master_t;

/**
 * Record of a synchronization region's start or end.
 */
typedef struct ompt_record_sync_region_t {
    /**
     * Kind of the synchronization region.
     */
    ompt_sync_region_t kind;
    /**
     * Begin or end of the region.
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * Identifier of the parallel region.
     */
    ompt_id_t parallel_id;
    /**
     * Identifier of the task.
     */
    ompt_id_t task_id;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_sync_region_t;

/**
 * Record of a request of a mutex.
 */
typedef struct ompt_record_mutex_acquire_t {
    /**
     * Kind of the mutex.
     */
    ompt_mutex_t kind;
    /**
     * Hint of the program, an `omp_sync_hint_t`; 0: none.
     */
    unsigned int hint;
    /**
     * Implementation of the mutex, an `ompt_mutex_impl_*`.
     */
    unsigned int impl;
    /**
     * Identifier of the mutex.
     */
    ompt_wait_id_t wait_id;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_mutex_acquire_t;

/**
 * Record of a mutex that was acquired or released.
 */
typedef struct ompt_record_mutex_t {
    /**
     * Kind of the mutex.
     */
    ompt_mutex_t kind;
    /**
     * Identifier of the mutex.
     */
    ompt_wait_id_t wait_id;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_mutex_t;

/**
 * Record of a nestable lock that its owner sets once more, or unsets.
 */
typedef struct ompt_record_nest_lock_t {
    /**
     * Set (begin) or unset (end).
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * Identifier of the lock.
     */
    ompt_wait_id_t wait_id;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_nest_lock_t;

/**
 * Record of a flush.
 */
typedef struct ompt_record_flush_t {
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_flush_t;

/**
 * Record of a cancellation.
 */
typedef struct ompt_record_cancel_t {
    /**
     * Identifier of the task.
     */
    ompt_id_t task_id;
    /**
     * An `ompt_cancel_flag_t` of each kind, or-ed together.
     */
    int flags;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_cancel_t;

/**
 * Record of a call of `omp_control_tool`.
 */
typedef struct ompt_record_control_tool_t {
    /**
     * Command that the program passes.
     */
    uint64_t command;
    /**
     * Modifier that the program passes.
     */
    uint64_t modifier;
    /**
     * Return address of the program's call, or null.
     */
    const void *codeptr_ra;
} ompt_record_control_tool_t;

/**
 * 5.1: record of an error directive.
 */
typedef struct ompt_record_error_t {
    /**
     * Severity of the error.
     */
    ompt_severity_t severity;
    /**
     * Text of the error, or null.
     */
    const char *message;
    /**
     * Length of the text, in bytes.
     */
    size_t length;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_error_t;

/**
 * Record of an operation on a device's memory.
 */
typedef struct ompt_record_target_data_op_t {
    /**
     * Identifier of the operation.
     */
    ompt_id_t host_op_id;
    /**
     * Kind of the operation.
     */
    ompt_target_data_op_t optype;
    /**
     * Address of the source.
     */
    void *src_addr;
    /**
     * Number of the source's device.
     */
    int src_device_num;
    /**
     * Address of the destination.
     */
    void *dest_addr;
    /**
     * Number of the destination's device.
     */
    int dest_device_num;
    /**
     * Size of the data, in bytes.
     */
    size_t bytes;
    /**
     * Time of the operation's end, in the device's own unit.
     */
    ompt_device_time_t end_time;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_target_data_op_t;

/**
 * 6.0: record of an operation on the memory of one or two devices (OpenMP 6.0, 35.7). Its members are those of
 * `ompt_record_target_data_op_t`, some under other names.
 */
typedef struct ompt_record_target_data_op_emi_t {
    /**
     * Identifier of the operation.
     */
    ompt_id_t host_op_id;
    /**
     * Kind of the operation.
     */
    ompt_target_data_op_t optype;
    /**
     * Address on the first device: the source of a copy.
     */
    void *dev1_addr;
    /**
     * Number of the first device.
     */
    int dev1_device_num;
    /**
     * Address on the second device: the destination of a copy.
     */
    void *dev2_addr;
    /**
     * Number of the second device.
     */
    int dev2_device_num;
    /**
     * Size of the data, in bytes.
     */
    size_t bytes;
    /**
     * Time of the operation's end, in the device's own unit.
     */
    ompt_device_time_t end_time;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_target_data_op_emi_t;

/**
 * Record of a target construct's start or end.
 */
typedef struct ompt_record_target_t {
    /**
     * Kind of the target construct.
     */
    ompt_target_t kind;
    /**
     * Begin or end of the construct.
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * Number of the device.
     */
    int device_num;
    /**
     * Identifier of the task that encountered the construct.
     */
    ompt_id_t task_id;
    /**
     * Identifier of the target region.
     */
    ompt_id_t target_id;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_target_t;

/**
 * Record of data that was mapped to a device.
 */
typedef struct ompt_record_target_map_t {
    /**
     * Identifier of the target region.
     */
    ompt_id_t target_id;
    /**
     * Number of the mapped items; each array has as many elements.
     */
    unsigned int nitems;
    /**
     * Addresses of the items on the host.
     */
    void **host_addr;
    /**
     * Addresses of the items on the device.
     */
    void **device_addr;
    /**
     * Sizes of the items, in bytes.
     */
    size_t *bytes;
    /**
     * An `ompt_target_map_flag_t` of each item, or-ed together.
     */
    unsigned int *mapping_flags;
    /**
     * Return address of the program's call of the runtime, or null.
     */
    const void *codeptr_ra;
} ompt_record_target_map_t;

/**
 * Record of a kernel's execution.
 */
typedef struct ompt_record_target_kernel_t {
    /**
     * Identifier of the operation.
     */
    ompt_id_t host_op_id;
    /**
     * Number of teams that the kernel requests.
     */
    unsigned int requested_num_teams;
    /**
     * Number of teams that executed the kernel.
     */
    unsigned int granted_num_teams;
    /**
     * Time of the kernel's end, in the device's own unit.
     */
    ompt_device_time_t end_time;
} ompt_record_target_kernel_t;

/**
 * OpenMP 6.0's name of `ompt_record_target_t`.
 */
typedef ompt_record_target_t ompt_record_target_emi_t;

/**
 * OpenMP 6.0's name of `ompt_record_target_map_t`.
 */
typedef ompt_record_target_map_t ompt_record_target_map_emi_t;

/**
 * OpenMP 6.0's name of `ompt_record_target_kernel_t`.
 */
typedef ompt_record_target_kernel_t ompt_record_target_submit_emi_t;

/**
 * Part that all records of a device's own tracing share (OpenMP 5.0, 4.4.3.3).
 */
typedef struct ompt_record_abstract_t {
    /**
     * Kind of the record.
     */
    ompt_record_native_t rclass;
    /**
     * Type of the record, as a string.
     */
    const char *type;
    /**
     * Time of the event's start, in the device's own unit.
     */
    ompt_device_time_t start_time;
    /**
     * Time of the event's end, in the device's own unit.
     */
    ompt_device_time_t end_time;
    /**
     * Identifier of the hardware unit on the device.
     */
    ompt_hwid_t hwid;
} ompt_record_abstract_t;

/**
 * Particulars of an `ompt_record_ompt_t`: the member that belongs to the record's `type` (OpenMP 5.0, 4.4.3.4, where it has no
 * name; 6.0, 33.2).
 */
typedef union ompt_any_record_ompt_t {
    /**
     * Record of a thread's start.
     */
    ompt_record_thread_begin_t thread_begin;
    /**
     * Record of a parallel or teams region's start.
     */
    ompt_record_parallel_begin_t parallel_begin;
    /**
     * Record of a parallel or teams region's end.
     */
    ompt_record_parallel_end_t parallel_end;
    /**
     * Record of a work-sharing region's start or end.
     */
    ompt_record_work_t work;
    /**
     * Record of a share of a work-sharing region.
     */
    ompt_record_dispatch_t dispatch;
    /**
     * Record of a task's creation.
     */
    ompt_record_task_create_t task_create;
    /**
     * Record of a task's dependences.
     */
    ompt_record_dependences_t dependences;
    /**
     * Record of a dependence between two tasks.
     */
    ompt_record_task_dependence_t task_dependence;
    /**
     * Record of a switch from one task to another.
     */
    ompt_record_task_schedule_t task_schedule;
    /**
     * Record of an implicit or initial task's start or end.
     */
    ompt_record_implicit_task_t implicit_task;
    /**
     * 5.1: record of a masked (master) region's start or end.
     */
    ompt_record_masked_t masked;
    /**
     * Record of a master region's start or end: 5.0's name of `masked`.
     */
    ompt_record_master_t master;
    /**
     * Record of a synchronization region's start or end.
     */
    ompt_record_sync_region_t sync_region;
    /**
     * Record of a request of a mutex.
     */
    ompt_record_mutex_acquire_t mutex_acquire;
    /**
     * Record of a mutex that was acquired or released.
     */
    ompt_record_mutex_t mutex;
    /**
     * Record of a nestable lock that its owner sets once more, or unsets.
     */
    ompt_record_nest_lock_t nest_lock;
    /**
     * Record of a flush.
     */
    ompt_record_flush_t flush;
    /**
     * Record of a cancellation.
     */
    ompt_record_cancel_t cancel;
    /**
     * Record of a target construct's start or end.
     */
    ompt_record_target_t target;
    /**
     * Record of an operation on a device's memory.
     */
    ompt_record_target_data_op_t target_data_op;
    /**
     * Record of data that was mapped to a device.
     */
    ompt_record_target_map_t target_map;
    /**
     * Record of a kernel's execution.
     */
    ompt_record_target_kernel_t target_kernel;
    /**
     * 6.0: record of a target construct's start or end: another name of `target`.
     */
    ompt_record_target_emi_t target_emi;
    /**
     * 6.0: record of an operation on the memory of one or two devices.
     */
    ompt_record_target_data_op_emi_t target_data_op_emi;
    /**
     * 6.0: record of data that was mapped to a device: another name of `target_map`.
     */
    ompt_record_target_map_emi_t target_map_emi;
    /**
     * 6.0: record of a kernel's execution: another name of `target_kernel`.
     */
    ompt_record_target_submit_emi_t target_submit_emi;
    /**
     * Record of a call of `omp_control_tool`.
     */
    ompt_record_control_tool_t control_tool;
    /**
     * 5.1: record of an error directive.
     */
    ompt_record_error_t error;
} ompt_any_record_ompt_t;

/**
 * One record of a device's trace (OpenMP 5.0, 4.4.3.4).
 */
typedef struct ompt_record_ompt_t {
    /**
     * Number of the callback that reports such an event on the host.
     */
    ompt_callbacks_t type;
    /**
     * Time of the event, in the device's own unit.
     */
    ompt_device_time_t time;
    /**
     * Identifier of the device's thread.
     */
    ompt_id_t thread_id;
    /**
     * Identifier of the target region.
     */
    ompt_id_t target_id;
    /**
     * Particulars of the event.
     */
    ompt_any_record_ompt_t record;
} ompt_record_ompt_t;

/**
 * Entry point: the number of processors of the device (OpenMP 5.0, 4.6.2.1).
 */
typedef int (*ompt_get_device_num_procs_t)(ompt_device_t *device);

/**
 * Entry point: the current time on the device, in the device's own unit (OpenMP 5.0, 4.6.2.2).
 */
typedef ompt_device_time_t (*ompt_get_device_time_t)(ompt_device_t *device);

/**
 * Entry point: converts a time of the device to seconds, as `omp_get_wtime` returns them (OpenMP 5.0, 4.6.2.3).
 */
typedef double (*ompt_translate_time_t)(ompt_device_t *device, ompt_device_time_t time);

/**
 * Entry point: enables or disables the tracing of OMPT events (OpenMP 5.0, 4.6.2.4).
 *
 * - `enable`: 0 disables, any other value enables.
 * - `etype`: an `ompt_callbacks_t`; 0: all.
 */
typedef ompt_set_result_t (*ompt_set_trace_ompt_t)(ompt_device_t *device, unsigned int enable, unsigned int etype);

/**
 * Entry point: enables or disables the device's own tracing (OpenMP 5.0, 4.6.2.5).
 *
 * - `enable`: 0 disables, any other value enables.
 * - `flags`: an `ompt_native_mon_flag_t` of each kind of event, or-ed together.
 */
typedef ompt_set_result_t (*ompt_set_trace_native_t)(ompt_device_t *device, int enable, int flags);

/**
 * Entry point: starts the trace; 0 on failure (OpenMP 5.0, 4.6.2.6).
 *
 * - `request`: function of the tool that provides a buffer.
 * - `complete`: function of the tool that receives records.
 */
typedef int (*ompt_start_trace_t)(ompt_device_t *device,
                                  ompt_callback_buffer_request_t request,
                                  ompt_callback_buffer_complete_t complete);

/**
 * Entry point: pauses or resumes the trace; 0 on failure (OpenMP 5.0, 4.6.2.7).
 *
 * - `begin_pause`: 0 resumes, any other value pauses.
 */
typedef int (*ompt_pause_trace_t)(ompt_device_t *device, int begin_pause);

/**
 * Entry point: passes all pending records to the tool; 0 on failure (OpenMP 5.0, 4.6.2.8).
 */
typedef int (*ompt_flush_trace_t)(ompt_device_t *device);

/**
 * Entry point: stops the trace, after all pending records; 0 on failure (OpenMP 5.0, 4.6.2.9).
 */
typedef int (*ompt_stop_trace_t)(ompt_device_t *device);

/**
 * Entry point: the position of the next record of a buffer; 0 if there is none (OpenMP 5.0, 4.6.2.10).
 *
 * - `size`: size of the buffer, in bytes.
 * - `current`: position of a record.
 * - `next`: to be set to the position of the next record.
 */
typedef int (*ompt_advance_buffer_cursor_t)(ompt_device_t *device,
                                            ompt_buffer_t *buffer,
                                            size_t size,
                                            ompt_buffer_cursor_t current,
                                            ompt_buffer_cursor_t *next);

/**
 * Entry point: the type of the record at a position (OpenMP 5.0, 4.6.2.11).
 */
typedef ompt_record_t (*ompt_get_record_type_t)(ompt_buffer_t *buffer, ompt_buffer_cursor_t current);

/**
 * Entry point: the OMPT record at a position (OpenMP 5.0, 4.6.2.12).
 */
typedef ompt_record_ompt_t *(*ompt_get_record_ompt_t)(ompt_buffer_t *buffer, ompt_buffer_cursor_t current);

/**
 * Entry point: the record of the device's own at a position (OpenMP 5.0, 4.6.2.13).
 *
 * - `host_op_id`: to be set to the identifier of the operation that the record is about.
 */
typedef void *(*ompt_get_record_native_t)(ompt_buffer_t *buffer, ompt_buffer_cursor_t current, ompt_id_t *host_op_id);

/**
 * Entry point: the part that all of the device's own records share; null if this one has none (OpenMP 5.0, 4.6.2.14).
 */
typedef ompt_record_abstract_t *(*ompt_get_record_abstract_t)(void *native_record);



/** Initializer of a data word: its value until the tool writes it (OpenMP 5.0, 4.4.4.4). */
#define ompt_data_none {0}

/**
 * Function of the tool that the OpenMP runtime calls when it starts (OpenMP 5.0, 4.2.1). Returns the tool's initializer and
 * finalizer, or NULL if the tool declines.
 *
 * - `omp_version`: date of the OpenMP specification that the runtime implements, such as 201811.
 * - `runtime_version`: name and version of the runtime.
 */
__attribute__((visibility("default")))
ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version);

#ifdef __cplusplus
}
#endif

#endif /* __OMPT__ */
