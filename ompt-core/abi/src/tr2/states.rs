//! States that `ompt_get_state` returns.

/// State of a thread (TR2, section 2 and appendix A.1). The states of locks, critical sections, atomic updates and
/// ordered regions come with a wait id.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_state_t {
    /// Executes code outside of all parallel regions.
    ompt_state_work_serial = 0x00,
    /// Executes code in a parallel region.
    ompt_state_work_parallel = 0x01,
    /// Combines results of a reduction.
    ompt_state_work_reduction = 0x02,
    /// Waits in the thread pool.
    ompt_state_idle = 0x10,
    /// Executes code of the runtime.
    ompt_state_overhead = 0x20,
    /// Waits in a barrier of unknown kind.
    ompt_state_wait_barrier = 0x40,
    /// Waits in an implicit barrier.
    ompt_state_wait_barrier_implicit = 0x41,
    /// Waits in an explicit barrier.
    ompt_state_wait_barrier_explicit = 0x42,
    /// Waits in a taskwait.
    ompt_state_wait_taskwait = 0x50,
    /// Waits at the end of a taskgroup.
    ompt_state_wait_taskgroup = 0x51,
    /// Waits for a lock.
    ompt_state_wait_lock = 0x60,
    /// Waits for a nestable lock.
    ompt_state_wait_nest_lock = 0x61,
    /// Waits for a critical section.
    ompt_state_wait_critical = 0x62,
    /// Waits for an atomic update.
    ompt_state_wait_atomic = 0x63,
    /// Waits for its turn in an ordered region.
    ompt_state_wait_ordered = 0x64,
    /// No state: the thread is not an OpenMP thread.
    ompt_state_undefined = 0x70,
    /// No thread's state: the number at which an enumeration of the states starts.
    ompt_state_first = 0x71,
}
