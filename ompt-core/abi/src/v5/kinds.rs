//! The small enums that callbacks on the host pass (OpenMP 5.0, section 4.4.4).

/// The kind of a thread.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_thread_t {
    /// Executes an initial task.
    ompt_thread_initial = 1,
    /// From the runtime's pool.
    ompt_thread_worker = 2,
    /// The runtime's own, and none that executes the program's code.
    ompt_thread_other = 3,
    /// Not known.
    ompt_thread_unknown = 4,
}

/// Which end of a stretch a callback tells of.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_scope_endpoint_t {
    /// The stretch begins.
    ompt_scope_begin = 1,
    /// It ends.
    ompt_scope_end = 2,
    /// 5.1: begin and end fall together.
    ompt_scope_beginend = 3,
}

/// What a thread was given to do (`ompt_callback_dispatch`).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_dispatch_t {
    /// An iteration of a loop; its number is the instance's value.
    ompt_dispatch_iteration = 1,
    /// A section; an address in its code is the instance's pointer.
    ompt_dispatch_section = 2,
    /// 5.2: a chunk of a work-sharing loop; the instance points to an `ompt_dispatch_chunk_t`.
    ompt_dispatch_ws_loop_chunk = 3,
    /// 5.2: a chunk of a taskloop.
    ompt_dispatch_taskloop_chunk = 4,
    /// 5.2: a chunk of a distribute region.
    ompt_dispatch_distribute_chunk = 5,
}

/// The kind of a sync region.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_sync_region_t {
    /// A barrier of some kind; old since 5.1.
    ompt_sync_region_barrier = 1,
    /// An implicit barrier of some kind; old since 5.1.
    ompt_sync_region_barrier_implicit = 2,
    /// A barrier that the program asks for.
    ompt_sync_region_barrier_explicit = 3,
    /// A barrier that the runtime needs for itself.
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

/// The kind of a work-sharing region.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_work_t {
    /// A loop.
    ompt_work_loop = 1,
    /// Sections.
    ompt_work_sections = 2,
    /// A single, on the thread that executes it.
    ompt_work_single_executor = 3,
    /// A single, on a thread that doesn't.
    ompt_work_single_other = 4,
    /// Fortran's workshare.
    ompt_work_workshare = 5,
    /// A distribute region.
    ompt_work_distribute = 6,
    /// A taskloop.
    ompt_work_taskloop = 7,
    /// 5.1: a scope.
    ompt_work_scope = 8,
    /// 5.2: a loop with a static schedule.
    ompt_work_loop_static = 10,
    /// 5.2: a loop with a dynamic schedule.
    ompt_work_loop_dynamic = 11,
    /// 5.2: a loop with a guided schedule.
    ompt_work_loop_guided = 12,
    /// 5.2: a loop with another schedule.
    ompt_work_loop_other = 13,
}

/// The kind of a mutex, and for locks how it is asked for.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_mutex_t {
    /// A lock.
    ompt_mutex_lock = 1,
    /// A lock that is tested.
    ompt_mutex_test_lock = 2,
    /// A nestable lock.
    ompt_mutex_nest_lock = 3,
    /// A nestable lock that is tested.
    ompt_mutex_test_nest_lock = 4,
    /// A critical section.
    ompt_mutex_critical = 5,
    /// An atomic update.
    ompt_mutex_atomic = 6,
    /// An ordered region.
    ompt_mutex_ordered = 7,
}

/// Why a thread leaves a task (`ompt_callback_task_schedule`).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_task_status_t {
    /// It is complete.
    ompt_task_complete = 1,
    /// It has met a taskyield.
    ompt_task_yield = 2,
    /// It was cancelled.
    ompt_task_cancel = 3,
    /// Its body is done, and its detach event is still to come.
    ompt_task_detach = 4,
    /// Its detach event came before its body was done.
    ompt_task_early_fulfill = 5,
    /// Its detach event came after its body was done.
    ompt_task_late_fulfill = 6,
    /// Another reason: it goes on later.
    ompt_task_switch = 7,
    /// 5.1: the taskwait with dependences that this task stands for is over.
    ompt_taskwait_complete = 8,
}

/// The kind of a dependence.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_dependence_type_t {
    /// `depend(in)`.
    ompt_dependence_type_in = 1,
    /// `depend(out)`.
    ompt_dependence_type_out = 2,
    /// `depend(inout)`.
    ompt_dependence_type_inout = 3,
    /// `depend(mutexinoutset)`.
    ompt_dependence_type_mutexinoutset = 4,
    /// `depend(source)` of a doacross loop.
    ompt_dependence_type_source = 5,
    /// `depend(sink)` of a doacross loop.
    ompt_dependence_type_sink = 6,
    /// 5.1: `depend(inoutset)`.
    ompt_dependence_type_inoutset = 7,
    /// 5.2: `depend(out: omp_all_memory)`.
    ompt_dependence_type_out_all_memory = 34,
    /// 5.2: `depend(inout: omp_all_memory)`.
    ompt_dependence_type_inout_all_memory = 35,
}

/// 5.1: how bad an error directive says that it is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_severity_t {
    /// The program goes on.
    ompt_warning = 1,
    /// It ends.
    ompt_fatal = 2,
}
