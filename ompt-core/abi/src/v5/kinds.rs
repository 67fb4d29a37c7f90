//! Enums that callbacks on the host pass (OpenMP 5.0, 4.4.4).

/// Kind of a thread (OpenMP 5.0, 4.4.4.10).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_thread_t {
    /// A thread that executes an initial task.
    ompt_thread_initial = 1,
    /// A thread of the runtime's pool.
    ompt_thread_worker = 2,
    /// A thread of the runtime that executes no code of the program.
    ompt_thread_other = 3,
    /// A thread of unknown kind.
    ompt_thread_unknown = 4,
}

/// Endpoint of a region or wait that a callback reports (OpenMP 5.0, 4.4.4.11).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_scope_endpoint_t {
    /// The region or wait begins.
    ompt_scope_begin = 1,
    /// The region or wait ends.
    ompt_scope_end = 2,
    /// 5.1: begin and end coincide.
    ompt_scope_beginend = 3,
}

/// Kind of a share that `ompt_callback_dispatch` reports, and the meaning of its `instance` (OpenMP 5.0, 4.4.4.12).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_dispatch_t {
    /// An iteration of a loop; `instance.value` is its number.
    ompt_dispatch_iteration = 1,
    /// A section; `instance.ptr` is an address in its code.
    ompt_dispatch_section = 2,
    /// 5.2: a chunk of a work-sharing loop; `instance.ptr` points to an `ompt_dispatch_chunk_t`.
    ompt_dispatch_ws_loop_chunk = 3,
    /// 5.2: a chunk of a taskloop; `instance.ptr` points to an `ompt_dispatch_chunk_t`.
    ompt_dispatch_taskloop_chunk = 4,
    /// 5.2: a chunk of a distribute region; `instance.ptr` points to an `ompt_dispatch_chunk_t`.
    ompt_dispatch_distribute_chunk = 5,
}

/// Kind of a synchronization region (OpenMP 5.0, 4.4.4.13).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_sync_region_t {
    /// A barrier of unknown kind; deprecated by 5.1.
    ompt_sync_region_barrier = 1,
    /// An implicit barrier of unknown kind; deprecated by 5.1.
    ompt_sync_region_barrier_implicit = 2,
    /// An explicit barrier.
    ompt_sync_region_barrier_explicit = 3,
    /// A barrier that the implementation needs.
    ompt_sync_region_barrier_implementation = 4,
    /// A taskwait.
    ompt_sync_region_taskwait = 5,
    /// The end of a taskgroup.
    ompt_sync_region_taskgroup = 6,
    /// The combination of a reduction's results.
    ompt_sync_region_reduction = 7,
    /// 5.1: the barrier that ends a work-sharing region.
    ompt_sync_region_barrier_implicit_workshare = 8,
    /// 5.1: the barrier that ends a parallel region.
    ompt_sync_region_barrier_implicit_parallel = 9,
    /// 5.1: the barrier that ends a teams region.
    ompt_sync_region_barrier_teams = 10,
}

/// Kind of a work-sharing region (OpenMP 5.0, 4.4.4.15).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_work_t {
    /// A loop, of any schedule.
    ompt_work_loop = 1,
    /// A sections region.
    ompt_work_sections = 2,
    /// A single region, on the thread that executes it.
    ompt_work_single_executor = 3,
    /// A single region, on a thread that doesn't execute it.
    ompt_work_single_other = 4,
    /// A workshare region (Fortran).
    ompt_work_workshare = 5,
    /// A distribute region.
    ompt_work_distribute = 6,
    /// A taskloop.
    ompt_work_taskloop = 7,
    /// 5.1: a scope region.
    ompt_work_scope = 8,
    /// 6.0: a workdistribute region (Fortran).
    ompt_work_workdistribute = 9,
    /// 5.2: a loop with a static schedule.
    ompt_work_loop_static = 10,
    /// 5.2: a loop with a dynamic schedule.
    ompt_work_loop_dynamic = 11,
    /// 5.2: a loop with a guided schedule.
    ompt_work_loop_guided = 12,
    /// 5.2: a loop with another schedule.
    ompt_work_loop_other = 13,
}

/// Kind of a mutex, and for locks the way in which it is requested (OpenMP 5.0, 4.4.4.16).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_mutex_t {
    /// A lock.
    ompt_mutex_lock = 1,
    /// A lock that is tested (`omp_test_lock`).
    ompt_mutex_test_lock = 2,
    /// A nestable lock.
    ompt_mutex_nest_lock = 3,
    /// A nestable lock that is tested (`omp_test_nest_lock`).
    ompt_mutex_test_nest_lock = 4,
    /// A critical section.
    ompt_mutex_critical = 5,
    /// An atomic update.
    ompt_mutex_atomic = 6,
    /// An ordered region.
    ompt_mutex_ordered = 7,
}

/// Reason for which a thread leaves a task, in `ompt_callback_task_schedule` (OpenMP 5.0, 4.4.4.19).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_task_status_t {
    /// The task is complete.
    ompt_task_complete = 1,
    /// The task encountered a taskyield construct.
    ompt_task_yield = 2,
    /// The task ended because it was cancelled.
    ompt_task_cancel = 3,
    /// The task's code is complete, but its detach event is not fulfilled.
    ompt_task_detach = 4,
    /// The task's detach event was fulfilled before its code was complete.
    ompt_task_early_fulfill = 5,
    /// The task's detach event was fulfilled after its code was complete.
    ompt_task_late_fulfill = 6,
    /// The task is suspended for another reason.
    ompt_task_switch = 7,
    /// 5.1: the taskwait with dependences that is reported as this task is over.
    ompt_taskwait_complete = 8,
}

/// Kind of a dependence (OpenMP 5.0, 4.4.4.23).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_dependence_type_t {
    /// A dependence of `depend(in)`.
    ompt_dependence_type_in = 1,
    /// A dependence of `depend(out)`.
    ompt_dependence_type_out = 2,
    /// A dependence of `depend(inout)`.
    ompt_dependence_type_inout = 3,
    /// A dependence of `depend(mutexinoutset)`.
    ompt_dependence_type_mutexinoutset = 4,
    /// A dependence of `depend(source)` of a doacross loop.
    ompt_dependence_type_source = 5,
    /// A dependence of `depend(sink)` of a doacross loop.
    ompt_dependence_type_sink = 6,
    /// 5.1: a dependence of `depend(inoutset)`.
    ompt_dependence_type_inoutset = 7,
    /// 5.2: a dependence of `depend(out: omp_all_memory)`.
    ompt_dependence_type_out_all_memory = 34,
    /// 5.2: a dependence of `depend(inout: omp_all_memory)`.
    ompt_dependence_type_inout_all_memory = 35,
}

/// Severity of an error directive (OpenMP 5.1).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_severity_t {
    /// A warning: the program continues.
    ompt_warning = 1,
    /// A fatal error: the program ends.
    ompt_fatal = 2,
}
