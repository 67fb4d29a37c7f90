/*
 * Generated from ompt-core/abi/src/v5 by `cargo xtask headers`. Changes made here are lost.
 *
 * OMPT, the interface for tools of OpenMP 5.0 (names, numbers and layouts of its omp-tools.h, without OMPD's), and what
 * OpenMP 5.1 and 5.2 added to it. For C99 to C17 and C++11 to C++17, by gcc and clang.
 *
 * How a tool starts: it defines ompt_start_tool, declared at the end, and returns a pointer to its initializer and
 * finalizer. The initializer gets a function that finds the entry points, ompt_set_callback first of all, by their names:
 *
 *     static int initialize(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data)
 *     {
 *         ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
 *         set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
 *         return 1;
 *     }
 *
 * The signature of the entry point ompt_x is ompt_x_t; that of a callback stands beside its number.
 */

#ifndef __OMPT__
#define __OMPT__

#ifdef OMPT_TR2_H
#error "omp-tools.h and ompt_tr2.h give the same names to different things: a file can include one of them"
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * No id.
 */
#define ompt_id_none 0

/**
 * No point in time.
 */
#define ompt_time_none 0

/**
 * No part of a device.
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
 * Not a mutex implementation: what an enumeration of them starts from.
 */
#define ompt_mutex_impl_none 0

/**
 * A mutex whose waiters spin.
 */
#define ompt_mutex_impl_spin 1

/**
 * A mutex whose waiters queue up.
 */
#define ompt_mutex_impl_queue 2

/**
 * A mutex that is tried by hardware transactions first.
 */
#define ompt_mutex_impl_speculative 3

/**
 * What a tool can register a callback for (OpenMP 5.0, section 4.4.2). The signature of `ompt_callback_x` is
 * `ompt_callback_x_t` unless its line names another one.
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
     * A task has met a parallel or teams construct; no implicit task has begun.
     */
    ompt_callback_parallel_begin = 3,
    /**
     * The region is over, and the task that met its construct goes on.
     */
    ompt_callback_parallel_end = 4,
    /**
     * A task is created.
     */
    ompt_callback_task_create = 5,
    /**
     * A thread leaves one task for another.
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
     * A kernel is handed to a device.
     */
    ompt_callback_target_submit = 10,
    /**
     * The program has called `omp_control_tool`.
     */
    ompt_callback_control_tool = 11,
    /**
     * A device is ready.
     */
    ompt_callback_device_initialize = 12,
    /**
     * A device is given up.
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
     * A wait inside of a sync region begins or ends: `ompt_callback_sync_region_t`.
     */
    ompt_callback_sync_region_wait = 16,
    /**
     * A mutex has been released: `ompt_callback_mutex_t`.
     */
    ompt_callback_mutex_released = 17,
    /**
     * A new task names what it depends on.
     */
    ompt_callback_dependences = 18,
    /**
     * A task has to wait for another one.
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
     * A thread wants a mutex.
     */
    ompt_callback_mutex_acquire = 26,
    /**
     * It has the mutex: `ompt_callback_mutex_t`.
     */
    ompt_callback_mutex_acquired = 27,
    /**
     * The owner of a nestable lock sets it once more, or unsets it without giving it up.
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
     * A piece of a work-sharing region begins.
     */
    ompt_callback_dispatch = 32,
    /**
     * 5.1: `ompt_callback_target` with the data words of its task and region.
     */
    ompt_callback_target_emi = 33,
    /**
     * 5.1: `ompt_callback_target_data_op` with data words, at its begin and its end.
     */
    ompt_callback_target_data_op_emi = 34,
    /**
     * 5.1: `ompt_callback_target_submit` with data words, at its begin and its end.
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
 * What becomes of a registration (OpenMP 5.0, section 4.4.4).
 */
typedef enum ompt_set_result_t {
    /**
     * Refused: no such callback, or not now.
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
     * It is reported now and then.
     */
    ompt_set_sometimes = 3,
    /**
     * As `ompt_set_sometimes`, but both its begin and its end or neither.
     */
    ompt_set_sometimes_paired = 4,
    /**
     * It is reported whenever it happens.
     */
    ompt_set_always = 5,
} ompt_set_result_t;

/**
 * What a thread does (OpenMP 5.0, section 4.4.4). With the states `ompt_state_wait_mutex` to `ompt_state_wait_ordered`
 * goes a wait id.
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
     * Waits in a barrier of some kind; old since 5.1.
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
     * Waits in an implicit barrier of some kind; old since 5.1.
     */
    ompt_state_wait_barrier_implicit = 0x13,
    /**
     * Waits in an explicit barrier.
     */
    ompt_state_wait_barrier_explicit = 0x14,
    /**
     * Waits in a barrier that the runtime needs for itself.
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
     * Waits for a mutex of some kind.
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
     * Waits while data is mapped.
     */
    ompt_state_wait_target_map = 0x81,
    /**
     * Waits for a target update.
     */
    ompt_state_wait_target_update = 0x82,
    /**
     * In the pool.
     */
    ompt_state_idle = 0x100,
    /**
     * Works for the runtime.
     */
    ompt_state_overhead = 0x101,
    /**
     * None: no thread of OpenMP's. An enumeration of the states starts here.
     */
    ompt_state_undefined = 0x102,
} ompt_state_t;

/**
 * The kind of a thread.
 */
typedef enum ompt_thread_t {
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
    /**
     * Not known.
     */
    ompt_thread_unknown = 4,
} ompt_thread_t;

/**
 * Which end of a stretch a callback tells of.
 */
typedef enum ompt_scope_endpoint_t {
    /**
     * The stretch begins.
     */
    ompt_scope_begin = 1,
    /**
     * It ends.
     */
    ompt_scope_end = 2,
    /**
     * 5.1: begin and end fall together.
     */
    ompt_scope_beginend = 3,
} ompt_scope_endpoint_t;

/**
 * What a thread was given to do (`ompt_callback_dispatch`).
 */
typedef enum ompt_dispatch_t {
    /**
     * An iteration of a loop; its number is the instance's value.
     */
    ompt_dispatch_iteration = 1,
    /**
     * A section; an address in its code is the instance's pointer.
     */
    ompt_dispatch_section = 2,
    /**
     * 5.2: a chunk of a work-sharing loop; the instance points to an `ompt_dispatch_chunk_t`.
     */
    ompt_dispatch_ws_loop_chunk = 3,
    /**
     * 5.2: a chunk of a taskloop.
     */
    ompt_dispatch_taskloop_chunk = 4,
    /**
     * 5.2: a chunk of a distribute region.
     */
    ompt_dispatch_distribute_chunk = 5,
} ompt_dispatch_t;

/**
 * The kind of a sync region.
 */
typedef enum ompt_sync_region_t {
    /**
     * A barrier of some kind; old since 5.1.
     */
    ompt_sync_region_barrier = 1,
    /**
     * An implicit barrier of some kind; old since 5.1.
     */
    ompt_sync_region_barrier_implicit = 2,
    /**
     * A barrier that the program asks for.
     */
    ompt_sync_region_barrier_explicit = 3,
    /**
     * A barrier that the runtime needs for itself.
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
 * The kind of a work-sharing region.
 */
typedef enum ompt_work_t {
    /**
     * A loop.
     */
    ompt_work_loop = 1,
    /**
     * Sections.
     */
    ompt_work_sections = 2,
    /**
     * A single, on the thread that executes it.
     */
    ompt_work_single_executor = 3,
    /**
     * A single, on a thread that doesn't.
     */
    ompt_work_single_other = 4,
    /**
     * Fortran's workshare.
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
     * 5.1: a scope.
     */
    ompt_work_scope = 8,
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
 * The kind of a mutex, and for locks how it is asked for.
 */
typedef enum ompt_mutex_t {
    /**
     * A lock.
     */
    ompt_mutex_lock = 1,
    /**
     * A lock that is tested.
     */
    ompt_mutex_test_lock = 2,
    /**
     * A nestable lock.
     */
    ompt_mutex_nest_lock = 3,
    /**
     * A nestable lock that is tested.
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
 * Why a thread leaves a task (`ompt_callback_task_schedule`).
 */
typedef enum ompt_task_status_t {
    /**
     * It is complete.
     */
    ompt_task_complete = 1,
    /**
     * It has met a taskyield.
     */
    ompt_task_yield = 2,
    /**
     * It was cancelled.
     */
    ompt_task_cancel = 3,
    /**
     * Its body is done, and its detach event is still to come.
     */
    ompt_task_detach = 4,
    /**
     * Its detach event came before its body was done.
     */
    ompt_task_early_fulfill = 5,
    /**
     * Its detach event came after its body was done.
     */
    ompt_task_late_fulfill = 6,
    /**
     * Another reason: it goes on later.
     */
    ompt_task_switch = 7,
    /**
     * 5.1: the taskwait with dependences that this task stands for is over.
     */
    ompt_taskwait_complete = 8,
} ompt_task_status_t;

/**
 * The kind of a dependence.
 */
typedef enum ompt_dependence_type_t {
    /**
     * `depend(in)`.
     */
    ompt_dependence_type_in = 1,
    /**
     * `depend(out)`.
     */
    ompt_dependence_type_out = 2,
    /**
     * `depend(inout)`.
     */
    ompt_dependence_type_inout = 3,
    /**
     * `depend(mutexinoutset)`.
     */
    ompt_dependence_type_mutexinoutset = 4,
    /**
     * `depend(source)` of a doacross loop.
     */
    ompt_dependence_type_source = 5,
    /**
     * `depend(sink)` of a doacross loop.
     */
    ompt_dependence_type_sink = 6,
    /**
     * 5.1: `depend(inoutset)`.
     */
    ompt_dependence_type_inoutset = 7,
    /**
     * 5.2: `depend(out: omp_all_memory)`.
     */
    ompt_dependence_type_out_all_memory = 34,
    /**
     * 5.2: `depend(inout: omp_all_memory)`.
     */
    ompt_dependence_type_inout_all_memory = 35,
} ompt_dependence_type_t;

/**
 * 5.1: how bad an error directive says that it is.
 */
typedef enum ompt_severity_t {
    /**
     * The program goes on.
     */
    ompt_warning = 1,
    /**
     * It ends.
     */
    ompt_fatal = 2,
} ompt_severity_t;

/**
 * What a task is.
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
     * 5.1: the task that a taskwait with dependences stands for.
     */
    ompt_task_taskwait = 0x10,
    /**
     * Executed at once.
     */
    ompt_task_undeferred = 0x8000000,
    /**
     * Untied.
     */
    ompt_task_untied = 0x10000000,
    /**
     * Final.
     */
    ompt_task_final = 0x20000000,
    /**
     * May be merged.
     */
    ompt_task_mergeable = 0x40000000,
    /**
     * Was merged: it has the data of the task that met its construct.
     */
    ompt_task_merged = 0x80000000,
} ompt_task_flag_t;

/**
 * What a parallel or teams region is, and who calls its code.
 */
__extension__ typedef enum ompt_parallel_flag_t {
    /**
     * The program calls the code of the region, at least on the thread that met the construct.
     */
    ompt_parallel_invoker_program = 0x1,
    /**
     * The runtime calls it.
     */
    ompt_parallel_invoker_runtime = 0x2,
    /**
     * A league of teams.
     */
    ompt_parallel_league = 0x40000000,
    /**
     * A team of threads.
     */
    ompt_parallel_team = 0x80000000,
} ompt_parallel_flag_t;

/**
 * Whose frame a pointer of `ompt_frame_t` is in, and what in the frame it points to: one of each.
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
     * The canonical frame address.
     */
    ompt_frame_cfa = 0x10,
    /**
     * The frame pointer.
     */
    ompt_frame_framepointer = 0x20,
    /**
     * Some address inside of the frame.
     */
    ompt_frame_stackaddress = 0x30,
} ompt_frame_flag_t;

/**
 * What is cancelled, and how far that has come.
 */
typedef enum ompt_cancel_flag_t {
    /**
     * A parallel region.
     */
    ompt_cancel_parallel = 0x1,
    /**
     * Sections.
     */
    ompt_cancel_sections = 0x2,
    /**
     * A loop.
     */
    ompt_cancel_loop = 0x4,
    /**
     * A taskgroup.
     */
    ompt_cancel_taskgroup = 0x8,
    /**
     * The calling thread asks for it.
     */
    ompt_cancel_activated = 0x10,
    /**
     * The calling thread sees that somebody asked for it.
     */
    ompt_cancel_detected = 0x20,
    /**
     * A task is dropped before it ran.
     */
    ompt_cancel_discarded_task = 0x40,
} ompt_cancel_flag_t;

/**
 * How data is mapped to a device.
 */
typedef enum ompt_target_map_flag_t {
    /**
     * `map(to)`.
     */
    ompt_target_map_flag_to = 0x1,
    /**
     * `map(from)`.
     */
    ompt_target_map_flag_from = 0x2,
    /**
     * `map(alloc)`.
     */
    ompt_target_map_flag_alloc = 0x4,
    /**
     * `map(release)`.
     */
    ompt_target_map_flag_release = 0x8,
    /**
     * `map(delete)`.
     */
    ompt_target_map_flag_delete = 0x10,
    /**
     * No clause of the program asks for it.
     */
    ompt_target_map_flag_implicit = 0x20,
} ompt_target_map_flag_t;

/**
 * What a device's own trace may hold.
 */
typedef enum ompt_native_mon_flag_t {
    /**
     * Copies that the program asks for.
     */
    ompt_native_data_motion_explicit = 0x1,
    /**
     * Copies that it doesn't ask for.
     */
    ompt_native_data_motion_implicit = 0x2,
    /**
     * Calls of kernels.
     */
    ompt_native_kernel_invocation = 0x4,
    /**
     * Kernels that run.
     */
    ompt_native_kernel_execution = 0x8,
    /**
     * The device's driver.
     */
    ompt_native_driver = 0x10,
    /**
     * The device's runtime.
     */
    ompt_native_runtime = 0x20,
    /**
     * Time that is lost.
     */
    ompt_native_overhead = 0x40,
    /**
     * Time without work.
     */
    ompt_native_idleness = 0x80,
} ompt_native_mon_flag_t;

/**
 * The kind of a target construct.
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
 * What is done with a device's memory.
 */
typedef enum ompt_target_data_op_t {
    /**
     * It is allocated.
     */
    ompt_target_data_alloc = 1,
    /**
     * It is written.
     */
    ompt_target_data_transfer_to_device = 2,
    /**
     * It is read.
     */
    ompt_target_data_transfer_from_device = 3,
    /**
     * It is freed.
     */
    ompt_target_data_delete = 4,
    /**
     * It is tied to memory of the host.
     */
    ompt_target_data_associate = 5,
    /**
     * The tie is cut.
     */
    ompt_target_data_disassociate = 6,
    /**
     * 5.1: it is allocated, in the background.
     */
    ompt_target_data_alloc_async = 17,
    /**
     * 5.1: it is written, in the background.
     */
    ompt_target_data_transfer_to_device_async = 18,
    /**
     * 5.1: it is read, in the background.
     */
    ompt_target_data_transfer_from_device_async = 19,
    /**
     * 5.1: it is freed, in the background.
     */
    ompt_target_data_delete_async = 20,
} ompt_target_data_op_t;

/**
 * Who wrote a record of a device's trace.
 */
typedef enum ompt_record_t {
    /**
     * OMPT: an `ompt_record_ompt_t`.
     */
    ompt_record_ompt = 1,
    /**
     * The device's own tracing.
     */
    ompt_record_native = 2,
    /**
     * Nobody: it can't be read.
     */
    ompt_record_invalid = 3,
} ompt_record_t;

/**
 * What a device's own record holds.
 */
typedef enum ompt_record_native_t {
    /**
     * A fact about the device.
     */
    ompt_record_native_info = 1,
    /**
     * An event.
     */
    ompt_record_native_event = 2,
} ompt_record_native_t;

/**
 * A word of the tool's that the runtime keeps with a thread, a parallel region or a task. It is `ompt_data_none` until
 * the tool writes it.
 */
typedef union ompt_data_t {
    /**
     * The word as a number.
     */
    uint64_t value;
    /**
     * The word as an address.
     */
    void *ptr;
} ompt_data_t;

/**
 * Names something for as long as the program runs; 0 is nothing.
 */
typedef uint64_t ompt_id_t;

/**
 * A point in a device's time.
 */
typedef uint64_t ompt_device_time_t;

/**
 * A place in a buffer of trace records.
 */
typedef uint64_t ompt_buffer_cursor_t;

/**
 * Names a part of a device.
 */
typedef uint64_t ompt_hwid_t;

/**
 * Says what a thread waits for; 0 is nothing.
 */
typedef uint64_t ompt_wait_id_t;

/**
 * A device that can be traced: what only the runtime looks into.
 */
typedef void ompt_device_t;

/**
 * Trace records.
 */
typedef void ompt_buffer_t;

/**
 * Where a task's frames begin and end on the stack.
 */
typedef struct ompt_frame_t {
    /**
     * The frame that called the task's code; null until then.
     */
    ompt_data_t exit_frame;
    /**
     * The frame of the call that took the task's code into the runtime; null while the code runs.
     */
    ompt_data_t enter_frame;
    /**
     * What `exit_frame` is: `ompt_frame_flag_t`, or-ed together.
     */
    int exit_frame_flags;
    /**
     * What `enter_frame` is.
     */
    int enter_frame_flags;
} ompt_frame_t;

/**
 * One dependence of a task.
 */
typedef struct ompt_dependence_t {
    /**
     * The address that tasks meet at; of a doacross loop, an iteration's number.
     */
    ompt_data_t variable;
    /**
     * Its kind.
     */
    ompt_dependence_type_t dependence_type;
} ompt_dependence_t;

/**
 * 5.2: a chunk of a loop, as `ompt_callback_dispatch` points to it.
 */
typedef struct ompt_dispatch_chunk_t {
    /**
     * The number of the first iteration.
     */
    uint64_t start;
    /**
     * How many there are.
     */
    uint64_t iterations;
} ompt_dispatch_chunk_t;

/**
 * An entry point whose signature has to be put on.
 */
typedef void (*ompt_interface_fn_t)(void);

/**
 * A callback whose signature was taken off.
 */
typedef void (*ompt_callback_t)(void);

/**
 * Finds an entry point by its name; null if there is none of that name.
 */
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *interface_function_name);

/**
 * The tool's: called before all other callbacks. 0 means that the tool doesn't want to stay.
 */
typedef int (*ompt_initialize_t)(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data);

/**
 * The tool's: called after all other callbacks.
 */
typedef void (*ompt_finalize_t)(ompt_data_t *tool_data);

/**
 * What `ompt_start_tool` returns a pointer to. It lives until `finalize` has been called.
 */
typedef struct ompt_start_tool_result_t {
    /**
     * Called next.
     */
    ompt_initialize_t initialize;
    /**
     * Called last.
     */
    ompt_finalize_t finalize;
    /**
     * A word of the tool's; both get its address.
     */
    ompt_data_t tool_data;
} ompt_start_tool_result_t;

/**
 * A thread begins.
 */
typedef void (*ompt_callback_thread_begin_t)(ompt_thread_t thread_type, ompt_data_t *thread_data);

/**
 * A thread ends.
 */
typedef void (*ompt_callback_thread_end_t)(ompt_data_t *thread_data);

/**
 * A parallel or teams region begins; `flags` are `ompt_parallel_flag_t`.
 */
typedef void (*ompt_callback_parallel_begin_t)(ompt_data_t *encountering_task_data,
                                               const ompt_frame_t *encountering_task_frame,
                                               ompt_data_t *parallel_data,
                                               unsigned int requested_parallelism,
                                               int flags,
                                               const void *codeptr_ra);

/**
 * The region ends.
 */
typedef void (*ompt_callback_parallel_end_t)(ompt_data_t *parallel_data,
                                             ompt_data_t *encountering_task_data,
                                             int flags,
                                             const void *codeptr_ra);

/**
 * A work-sharing region begins or ends; `count` says how much there is to do.
 */
typedef void (*ompt_callback_work_t)(ompt_work_t work_type,
                                     ompt_scope_endpoint_t endpoint,
                                     ompt_data_t *parallel_data,
                                     ompt_data_t *task_data,
                                     uint64_t count,
                                     const void *codeptr_ra);

/**
 * A thread was given a piece of work.
 */
typedef void (*ompt_callback_dispatch_t)(ompt_data_t *parallel_data,
                                         ompt_data_t *task_data,
                                         ompt_dispatch_t kind,
                                         ompt_data_t instance);

/**
 * A task is created; `flags` are `ompt_task_flag_t`.
 */
typedef void (*ompt_callback_task_create_t)(ompt_data_t *encountering_task_data,
                                            const ompt_frame_t *encountering_task_frame,
                                            ompt_data_t *new_task_data,
                                            int flags,
                                            int has_dependences,
                                            const void *codeptr_ra);

/**
 * The dependences of a new task, or of an iteration of a doacross loop.
 */
typedef void (*ompt_callback_dependences_t)(ompt_data_t *task_data,
                                            const ompt_dependence_t *deps,
                                            int ndeps);

/**
 * The second task can't start before the first one is complete.
 */
typedef void (*ompt_callback_task_dependence_t)(ompt_data_t *src_task_data, ompt_data_t *sink_task_data);

/**
 * A thread leaves one task for another; the second one is null where none follows.
 */
typedef void (*ompt_callback_task_schedule_t)(ompt_data_t *prior_task_data,
                                              ompt_task_status_t prior_task_status,
                                              ompt_data_t *next_task_data);

/**
 * An implicit or initial task begins or ends; at the end `parallel_data` may be null.
 */
typedef void (*ompt_callback_implicit_task_t)(ompt_scope_endpoint_t endpoint,
                                              ompt_data_t *parallel_data,
                                              ompt_data_t *task_data,
                                              unsigned int actual_parallelism,
                                              unsigned int index,
                                              int flags);

/**
 * 5.1: a masked region begins or ends.
 */
typedef void (*ompt_callback_masked_t)(ompt_scope_endpoint_t endpoint,
                                       ompt_data_t *parallel_data,
                                       ompt_data_t *task_data,
                                       const void *codeptr_ra);

/**
 * 5.0's name of the same.
 */
typedef ompt_callback_masked_t ompt_callback_master_t;

/**
 * A sync region, or a wait in one, begins or ends.
 */
typedef void (*ompt_callback_sync_region_t)(ompt_sync_region_t kind,
                                            ompt_scope_endpoint_t endpoint,
                                            ompt_data_t *parallel_data,
                                            ompt_data_t *task_data,
                                            const void *codeptr_ra);

/**
 * A thread wants a mutex, or a lock is initialized. `hint` is the program's, `impl` one of `ompt_mutex_impl_*`.
 */
typedef void (*ompt_callback_mutex_acquire_t)(ompt_mutex_t kind,
                                              unsigned int hint,
                                              unsigned int impl,
                                              ompt_wait_id_t wait_id,
                                              const void *codeptr_ra);

/**
 * A mutex was acquired or released, or a lock is destroyed.
 */
typedef void (*ompt_callback_mutex_t)(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr_ra);

/**
 * The owner of a nestable lock has set it once more (begin), or unset it and still owns it (end).
 */
typedef void (*ompt_callback_nest_lock_t)(ompt_scope_endpoint_t endpoint,
                                          ompt_wait_id_t wait_id,
                                          const void *codeptr_ra);

/**
 * A flush was executed.
 */
typedef void (*ompt_callback_flush_t)(ompt_data_t *thread_data, const void *codeptr_ra);

/**
 * A region is cancelled; `flags` are `ompt_cancel_flag_t`.
 */
typedef void (*ompt_callback_cancel_t)(ompt_data_t *task_data, int flags, const void *codeptr_ra);

/**
 * The program has called `omp_control_tool`, which returns what the callback returns.
 */
typedef int (*ompt_callback_control_tool_t)(uint64_t command, uint64_t modifier, void *arg, const void *codeptr_ra);

/**
 * 5.1: the program has executed an error directive.
 */
typedef void (*ompt_callback_error_t)(ompt_severity_t severity,
                                      const char *message,
                                      size_t length,
                                      const void *codeptr_ra);

/**
 * The state that comes after `current_state`, and its name; returns 0 after the last one.
 */
typedef int (*ompt_enumerate_states_t)(int current_state, int *next_state, const char **next_state_name);

/**
 * The mutex implementation that comes after `current_impl`, and its name; returns 0 after the last one.
 */
typedef int (*ompt_enumerate_mutex_impls_t)(int current_impl, int *next_impl, const char **next_impl_name);

/**
 * Registers a callback; null takes it back.
 */
typedef ompt_set_result_t (*ompt_set_callback_t)(ompt_callbacks_t event, ompt_callback_t callback);

/**
 * The callback that is registered; returns 0 if there is none.
 */
typedef int (*ompt_get_callback_t)(ompt_callbacks_t event, ompt_callback_t *callback);

/**
 * The calling thread's word; null if it is no thread of OpenMP's. Async-signal-safe.
 */
typedef ompt_data_t *(*ompt_get_thread_data_t)(void);

/**
 * How many processors there are for the program. Async-signal-safe.
 */
typedef int (*ompt_get_num_procs_t)(void);

/**
 * How many places there are. Async-signal-safe.
 */
typedef int (*ompt_get_num_places_t)(void);

/**
 * How many processors a place has, and which if they fit. Async-signal-safe.
 */
typedef int (*ompt_get_place_proc_ids_t)(int place_num, int ids_size, int *ids);

/**
 * The place that the calling thread is bound to, or -1. Async-signal-safe.
 */
typedef int (*ompt_get_place_num_t)(void);

/**
 * How many places the innermost implicit task's partition has, and which if they fit. Async-signal-safe.
 */
typedef int (*ompt_get_partition_place_nums_t)(int place_nums_size, int *place_nums);

/**
 * The processor that the calling thread runs on, or a negative number. Async-signal-safe.
 */
typedef int (*ompt_get_proc_id_t)(void);

/**
 * The calling thread's state, and what it waits for. Async-signal-safe.
 */
typedef int (*ompt_get_state_t)(ompt_wait_id_t *wait_id);

/**
 * A parallel region around the caller, 0 the innermost: 2 if all is known, 1 if there is one of which nothing is known
 * now, 0 if there is none. Async-signal-safe.
 */
typedef int (*ompt_get_parallel_info_t)(int ancestor_level, ompt_data_t **parallel_data, int *team_size);

/**
 * A task on the calling thread's stack, 0 the one that runs; answers as `ompt_get_parallel_info_t`. Async-signal-safe.
 */
typedef int (*ompt_get_task_info_t)(int ancestor_level,
                                    int *flags,
                                    ompt_data_t **task_data,
                                    ompt_frame_t **task_frame,
                                    ompt_data_t **parallel_data,
                                    int *thread_num);

/**
 * The memory that holds the running task's data, block for block; returns 0 after the last one. Async-signal-safe.
 */
typedef int (*ompt_get_task_memory_t)(void **addr, size_t *size, int block);

/**
 * The target region that the calling thread executes; returns 0 if there is none. Async-signal-safe.
 */
typedef int (*ompt_get_target_info_t)(uint64_t *device_num, ompt_id_t *target_id, ompt_id_t *host_op_id);

/**
 * How many devices there are. Async-signal-safe.
 */
typedef int (*ompt_get_num_devices_t)(void);

/**
 * A number that was never given out before. Async-signal-safe.
 */
typedef uint64_t (*ompt_get_unique_id_t)(void);

/**
 * The tool has had enough: its finalizer is called, and no callback after it.
 */
typedef void (*ompt_finalize_tool_t)(void);

/**
 * A device is ready; `lookup` finds the entry points that trace it, and is null if it can't be traced.
 */
typedef void (*ompt_callback_device_initialize_t)(int device_num,
                                                  const char *type,
                                                  ompt_device_t *device,
                                                  ompt_function_lookup_t lookup,
                                                  const char *documentation);

/**
 * A device is given up.
 */
typedef void (*ompt_callback_device_finalize_t)(int device_num);

/**
 * Code was loaded to a device.
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
 * Code is unloaded from a device.
 */
typedef void (*ompt_callback_device_unload_t)(int device_num, uint64_t module_id);

/**
 * The tool's: gives a buffer for trace records.
 */
typedef void (*ompt_callback_buffer_request_t)(int device_num, ompt_buffer_t **buffer, size_t *bytes);

/**
 * The tool's: takes records, and the buffer back if `buffer_owned` is not 0.
 */
typedef void (*ompt_callback_buffer_complete_t)(int device_num,
                                                ompt_buffer_t *buffer,
                                                size_t bytes,
                                                ompt_buffer_cursor_t begin,
                                                int buffer_owned);

/**
 * Something is done with a device's memory.
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
 * Something is done with a device's memory.
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
 * A target construct begins or ends.
 */
typedef void (*ompt_callback_target_emi_t)(ompt_target_t kind,
                                           ompt_scope_endpoint_t endpoint,
                                           int device_num,
                                           ompt_data_t *task_data,
                                           ompt_data_t *target_task_data,
                                           ompt_data_t *target_data,
                                           const void *codeptr_ra);

/**
 * A target construct begins or ends.
 */
typedef void (*ompt_callback_target_t)(ompt_target_t kind,
                                       ompt_scope_endpoint_t endpoint,
                                       int device_num,
                                       ompt_data_t *task_data,
                                       ompt_id_t target_id,
                                       const void *codeptr_ra);

/**
 * Data is mapped; `mapping_flags` are `ompt_target_map_flag_t`.
 */
typedef void (*ompt_callback_target_map_emi_t)(ompt_data_t *target_data,
                                               unsigned int nitems,
                                               void **host_addr,
                                               void **device_addr,
                                               size_t *bytes,
                                               unsigned int *mapping_flags,
                                               const void *codeptr_ra);

/**
 * Data is mapped.
 */
typedef void (*ompt_callback_target_map_t)(ompt_id_t target_id,
                                           unsigned int nitems,
                                           void **host_addr,
                                           void **device_addr,
                                           size_t *bytes,
                                           unsigned int *mapping_flags,
                                           const void *codeptr_ra);

/**
 * A kernel is handed to a device.
 */
typedef void (*ompt_callback_target_submit_emi_t)(ompt_scope_endpoint_t endpoint,
                                                  ompt_data_t *target_data,
                                                  ompt_id_t *host_op_id,
                                                  unsigned int requested_num_teams);

/**
 * A kernel is handed to a device.
 */
typedef void (*ompt_callback_target_submit_t)(ompt_id_t target_id,
                                              ompt_id_t host_op_id,
                                              unsigned int requested_num_teams);

/**
 * A thread begins.
 */
typedef struct ompt_record_thread_begin_t {
    /**
     * Its kind.
     */
    ompt_thread_t thread_type;
} ompt_record_thread_begin_t;

/**
 * A parallel or teams region begins.
 */
typedef struct ompt_record_parallel_begin_t {
    /**
     * Who met the construct.
     */
    ompt_id_t encountering_task_id;
    /**
     * The region.
     */
    ompt_id_t parallel_id;
    /**
     * How many threads or teams are asked for.
     */
    unsigned int requested_parallelism;
    /**
     * `ompt_parallel_flag_t`.
     */
    int flags;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_parallel_begin_t;

/**
 * The region ends.
 */
typedef struct ompt_record_parallel_end_t {
    /**
     * The region.
     */
    ompt_id_t parallel_id;
    /**
     * Who met the construct.
     */
    ompt_id_t encountering_task_id;
    /**
     * `ompt_parallel_flag_t`.
     */
    int flags;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_parallel_end_t;

/**
 * A work-sharing region begins or ends.
 */
typedef struct ompt_record_work_t {
    /**
     * Its kind.
     */
    ompt_work_t work_type;
    /**
     * Which end.
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * The parallel region.
     */
    ompt_id_t parallel_id;
    /**
     * Whose part it is.
     */
    ompt_id_t task_id;
    /**
     * How much there is to do.
     */
    uint64_t count;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_work_t;

/**
 * A piece of work.
 */
typedef struct ompt_record_dispatch_t {
    /**
     * The parallel region.
     */
    ompt_id_t parallel_id;
    /**
     * Who got it.
     */
    ompt_id_t task_id;
    /**
     * Its kind.
     */
    ompt_dispatch_t kind;
    /**
     * Which piece.
     */
    ompt_data_t instance;
} ompt_record_dispatch_t;

/**
 * A task is created.
 */
typedef struct ompt_record_task_create_t {
    /**
     * Who met the construct.
     */
    ompt_id_t encountering_task_id;
    /**
     * The new task.
     */
    ompt_id_t new_task_id;
    /**
     * `ompt_task_flag_t`.
     */
    int flags;
    /**
     * Whether it has dependences.
     */
    int has_dependences;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_task_create_t;

/**
 * A task's dependences.
 */
typedef struct ompt_record_dependences_t {
    /**
     * The task.
     */
    ompt_id_t task_id;
    /**
     * One of them.
     */
    ompt_dependence_t dep;
    /**
     * How many there are.
     */
    int ndeps;
} ompt_record_dependences_t;

/**
 * One task waits for another.
 */
typedef struct ompt_record_task_dependence_t {
    /**
     * The first task.
     */
    ompt_id_t src_task_id;
    /**
     * The one that waits for it.
     */
    ompt_id_t sink_task_id;
} ompt_record_task_dependence_t;

/**
 * A thread leaves one task for another.
 */
typedef struct ompt_record_task_schedule_t {
    /**
     * The one that it leaves.
     */
    ompt_id_t prior_task_id;
    /**
     * Why.
     */
    ompt_task_status_t prior_task_status;
    /**
     * The other one.
     */
    ompt_id_t next_task_id;
} ompt_record_task_schedule_t;

/**
 * An implicit or initial task begins or ends.
 */
typedef struct ompt_record_implicit_task_t {
    /**
     * Which end.
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * The parallel region.
     */
    ompt_id_t parallel_id;
    /**
     * The task.
     */
    ompt_id_t task_id;
    /**
     * How many threads or teams there are.
     */
    unsigned int actual_parallelism;
    /**
     * Which of them this is.
     */
    unsigned int index;
    /**
     * `ompt_task_flag_t`.
     */
    int flags;
} ompt_record_implicit_task_t;

/**
 * 5.1: a masked region begins or ends.
 */
typedef struct ompt_record_masked_t {
    /**
     * Which end.
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * The parallel region.
     */
    ompt_id_t parallel_id;
    /**
     * Who executes it.
     */
    ompt_id_t task_id;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_masked_t;

/**
 * 5.0's name of the same.
 */
typedef ompt_record_masked_t ompt_record_master_t;

/**
 * A sync region begins or ends.
 */
typedef struct ompt_record_sync_region_t {
    /**
     * Its kind.
     */
    ompt_sync_region_t kind;
    /**
     * Which end.
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * The parallel region.
     */
    ompt_id_t parallel_id;
    /**
     * Who is in it.
     */
    ompt_id_t task_id;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_sync_region_t;

/**
 * A mutex is wanted.
 */
typedef struct ompt_record_mutex_acquire_t {
    /**
     * Its kind.
     */
    ompt_mutex_t kind;
    /**
     * The program's hint.
     */
    unsigned int hint;
    /**
     * How it is made.
     */
    unsigned int impl;
    /**
     * Which one.
     */
    ompt_wait_id_t wait_id;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_mutex_acquire_t;

/**
 * A mutex was acquired or released.
 */
typedef struct ompt_record_mutex_t {
    /**
     * Its kind.
     */
    ompt_mutex_t kind;
    /**
     * Which one.
     */
    ompt_wait_id_t wait_id;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_mutex_t;

/**
 * The owner of a nestable lock sets it once more, or unsets it.
 */
typedef struct ompt_record_nest_lock_t {
    /**
     * Set or unset.
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * Which one.
     */
    ompt_wait_id_t wait_id;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_nest_lock_t;

/**
 * A flush.
 */
typedef struct ompt_record_flush_t {
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_flush_t;

/**
 * A region is cancelled.
 */
typedef struct ompt_record_cancel_t {
    /**
     * By whom.
     */
    ompt_id_t task_id;
    /**
     * `ompt_cancel_flag_t`.
     */
    int flags;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_cancel_t;

/**
 * A call of `omp_control_tool`.
 */
typedef struct ompt_record_control_tool_t {
    /**
     * What is wanted.
     */
    uint64_t command;
    /**
     * How.
     */
    uint64_t modifier;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_control_tool_t;

/**
 * 5.1: an error directive.
 */
typedef struct ompt_record_error_t {
    /**
     * How bad it is.
     */
    ompt_severity_t severity;
    /**
     * What it says.
     */
    const char *message;
    /**
     * How long that is.
     */
    size_t length;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_error_t;

/**
 * Something was done with a device's memory.
 */
typedef struct ompt_record_target_data_op_t {
    /**
     * The operation.
     */
    ompt_id_t host_op_id;
    /**
     * Its kind.
     */
    ompt_target_data_op_t optype;
    /**
     * From where.
     */
    void *src_addr;
    /**
     * On which device.
     */
    int src_device_num;
    /**
     * To where.
     */
    void *dest_addr;
    /**
     * On which device.
     */
    int dest_device_num;
    /**
     * How much.
     */
    size_t bytes;
    /**
     * When it was done.
     */
    ompt_device_time_t end_time;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_target_data_op_t;

/**
 * A target construct begins or ends.
 */
typedef struct ompt_record_target_t {
    /**
     * Its kind.
     */
    ompt_target_t kind;
    /**
     * Which end.
     */
    ompt_scope_endpoint_t endpoint;
    /**
     * The device.
     */
    int device_num;
    /**
     * Who met the construct.
     */
    ompt_id_t task_id;
    /**
     * The region.
     */
    ompt_id_t target_id;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_target_t;

/**
 * Data was mapped.
 */
typedef struct ompt_record_target_map_t {
    /**
     * The region.
     */
    ompt_id_t target_id;
    /**
     * How many pieces.
     */
    unsigned int nitems;
    /**
     * Where each is on the host.
     */
    void **host_addr;
    /**
     * Where each is on the device.
     */
    void **device_addr;
    /**
     * How large each is.
     */
    size_t *bytes;
    /**
     * `ompt_target_map_flag_t` of each.
     */
    unsigned int *mapping_flags;
    /**
     * Where the call returns to.
     */
    const void *codeptr_ra;
} ompt_record_target_map_t;

/**
 * A kernel has run.
 */
typedef struct ompt_record_target_kernel_t {
    /**
     * The operation.
     */
    ompt_id_t host_op_id;
    /**
     * How many teams were asked for.
     */
    unsigned int requested_num_teams;
    /**
     * How many there were.
     */
    unsigned int granted_num_teams;
    /**
     * When it was done.
     */
    ompt_device_time_t end_time;
} ompt_record_target_kernel_t;

/**
 * What every record of a device's own tracing has.
 */
typedef struct ompt_record_abstract_t {
    /**
     * What it holds.
     */
    ompt_record_native_t rclass;
    /**
     * Its kind, in words.
     */
    const char *type;
    /**
     * When it began.
     */
    ompt_device_time_t start_time;
    /**
     * When it ended.
     */
    ompt_device_time_t end_time;
    /**
     * Where on the device.
     */
    ompt_hwid_t hwid;
} ompt_record_abstract_t;

/**
 * What happened: the member that belongs to the record's `type`.
 */
typedef union ompt_record_any_t {
    /**
     * A thread begins.
     */
    ompt_record_thread_begin_t thread_begin;
    /**
     * A parallel or teams region begins.
     */
    ompt_record_parallel_begin_t parallel_begin;
    /**
     * The region ends.
     */
    ompt_record_parallel_end_t parallel_end;
    /**
     * A work-sharing region begins or ends.
     */
    ompt_record_work_t work;
    /**
     * A piece of work.
     */
    ompt_record_dispatch_t dispatch;
    /**
     * A task is created.
     */
    ompt_record_task_create_t task_create;
    /**
     * A task's dependences.
     */
    ompt_record_dependences_t dependences;
    /**
     * One task waits for another.
     */
    ompt_record_task_dependence_t task_dependence;
    /**
     * A thread leaves one task for another.
     */
    ompt_record_task_schedule_t task_schedule;
    /**
     * An implicit or initial task begins or ends.
     */
    ompt_record_implicit_task_t implicit_task;
    /**
     * 5.1: a masked region begins or ends.
     */
    ompt_record_masked_t masked;
    /**
     * 5.0's name of the same.
     */
    ompt_record_master_t master;
    /**
     * A sync region begins or ends.
     */
    ompt_record_sync_region_t sync_region;
    /**
     * A mutex is wanted.
     */
    ompt_record_mutex_acquire_t mutex_acquire;
    /**
     * A mutex was acquired or released.
     */
    ompt_record_mutex_t mutex;
    /**
     * The owner of a nestable lock sets it once more, or unsets it.
     */
    ompt_record_nest_lock_t nest_lock;
    /**
     * A flush.
     */
    ompt_record_flush_t flush;
    /**
     * A region is cancelled.
     */
    ompt_record_cancel_t cancel;
    /**
     * A target construct begins or ends.
     */
    ompt_record_target_t target;
    /**
     * Something was done with a device's memory.
     */
    ompt_record_target_data_op_t target_data_op;
    /**
     * Data was mapped.
     */
    ompt_record_target_map_t target_map;
    /**
     * A kernel has run.
     */
    ompt_record_target_kernel_t target_kernel;
    /**
     * A call of `omp_control_tool`.
     */
    ompt_record_control_tool_t control_tool;
} ompt_record_any_t;

/**
 * One record of a device's trace.
 */
typedef struct ompt_record_ompt_t {
    /**
     * The callback that would have told it.
     */
    ompt_callbacks_t type;
    /**
     * When.
     */
    ompt_device_time_t time;
    /**
     * On which thread of the device.
     */
    ompt_id_t thread_id;
    /**
     * In which target region.
     */
    ompt_id_t target_id;
    /**
     * What.
     */
    ompt_record_any_t record;
} ompt_record_ompt_t;

/**
 * How many processors the device has.
 */
typedef int (*ompt_get_device_num_procs_t)(ompt_device_t *device);

/**
 * The time on the device.
 */
typedef ompt_device_time_t (*ompt_get_device_time_t)(ompt_device_t *device);

/**
 * A time of the device's as `omp_get_wtime` would have told it.
 */
typedef double (*ompt_translate_time_t)(ompt_device_t *device, ompt_device_time_t time);

/**
 * Turns the recording of a kind of event on or off.
 */
typedef ompt_set_result_t (*ompt_set_trace_ompt_t)(ompt_device_t *device, unsigned int enable, unsigned int etype);

/**
 * Turns the device's own tracing on or off; `flags` are `ompt_native_mon_flag_t`.
 */
typedef ompt_set_result_t (*ompt_set_trace_native_t)(ompt_device_t *device, int enable, int flags);

/**
 * Starts the trace.
 */
typedef int (*ompt_start_trace_t)(ompt_device_t *device,
                                  ompt_callback_buffer_request_t request,
                                  ompt_callback_buffer_complete_t complete);

/**
 * Lets the trace pause, or go on.
 */
typedef int (*ompt_pause_trace_t)(ompt_device_t *device, int begin_pause);

/**
 * Hands out all records.
 */
typedef int (*ompt_flush_trace_t)(ompt_device_t *device);

/**
 * Ends the trace.
 */
typedef int (*ompt_stop_trace_t)(ompt_device_t *device);

/**
 * Goes on to the next record of a buffer.
 */
typedef int (*ompt_advance_buffer_cursor_t)(ompt_device_t *device,
                                            ompt_buffer_t *buffer,
                                            size_t size,
                                            ompt_buffer_cursor_t current,
                                            ompt_buffer_cursor_t *next);

/**
 * Who wrote a record.
 */
typedef ompt_record_t (*ompt_get_record_type_t)(ompt_buffer_t *buffer, ompt_buffer_cursor_t current);

/**
 * A record of OMPT's.
 */
typedef ompt_record_ompt_t *(*ompt_get_record_ompt_t)(ompt_buffer_t *buffer, ompt_buffer_cursor_t current);

/**
 * A record of the device's own.
 */
typedef void *(*ompt_get_record_native_t)(ompt_buffer_t *buffer, ompt_buffer_cursor_t current, ompt_id_t *host_op_id);

/**
 * What every record of the device's own has; null if this one hasn't.
 */
typedef ompt_record_abstract_t *(*ompt_get_record_abstract_t)(void *native_record);



/** What a data word is until the tool writes it; to initialize one with. */
#define ompt_data_none {0}

/**
 * The tool's: called by the OpenMP runtime when it starts. It returns NULL if the tool doesn't want to watch this
 * program.
 */
__attribute__((visibility("default")))
ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version);

#ifdef __cplusplus
}
#endif

#endif /* __OMPT__ */
