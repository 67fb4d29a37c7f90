//! What `ompt_get_state` answers.

/// What a thread does (TR2, section 2 and appendix A.1). With the states of locks, critical sections, atomic updates and
/// ordered regions goes a wait id.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_state_t {
    /// Executes code outside of all parallel regions.
    ompt_state_work_serial = 0x00,
    /// Executes code in a parallel region.
    ompt_state_work_parallel = 0x01,
    /// Combines results of a reduction.
    ompt_state_work_reduction = 0x02,
    /// In the pool.
    ompt_state_idle = 0x10,
    /// Works for the runtime.
    ompt_state_overhead = 0x20,
    /// Waits in a barrier of some kind.
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
    /// None: no thread of OpenMP's.
    ompt_state_undefined = 0x70,
    /// No thread's: an enumeration of the states starts here.
    ompt_state_first = 0x71,
}
