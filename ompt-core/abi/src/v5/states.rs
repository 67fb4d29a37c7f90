//! States that `ompt_get_state` returns.

/// State of a thread (OpenMP 5.0, 4.4.4.26). The states `ompt_state_wait_mutex` to `ompt_state_wait_ordered` come with
/// a wait id.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_state_t {
    /// Executes code outside of all parallel regions.
    ompt_state_work_serial = 0x000,
    /// Executes code in a parallel region.
    ompt_state_work_parallel = 0x001,
    /// Combines results of a reduction.
    ompt_state_work_reduction = 0x002,
    /// 6.0: executes a task of a team that it isn't assigned to.
    ompt_state_work_free_agent = 0x003,
    /// 6.0: combines values of an induction.
    ompt_state_work_induction = 0x004,
    /// Waits in a barrier of unknown kind; deprecated by 5.1.
    ompt_state_wait_barrier = 0x010,
    /// Waits in the barrier that ends a parallel region.
    ompt_state_wait_barrier_implicit_parallel = 0x011,
    /// Waits in the barrier that ends a work-sharing region.
    ompt_state_wait_barrier_implicit_workshare = 0x012,
    /// Waits in an implicit barrier of unknown kind; deprecated by 5.1.
    ompt_state_wait_barrier_implicit = 0x013,
    /// Waits in an explicit barrier.
    ompt_state_wait_barrier_explicit = 0x014,
    /// Waits in a barrier that the implementation needs.
    ompt_state_wait_barrier_implementation = 0x015,
    /// 5.1: waits in the barrier that ends a teams region.
    ompt_state_wait_barrier_teams = 0x016,
    /// Waits in a taskwait.
    ompt_state_wait_taskwait = 0x020,
    /// Waits at the end of a taskgroup.
    ompt_state_wait_taskgroup = 0x021,
    /// Waits for a mutex of unknown kind.
    ompt_state_wait_mutex = 0x040,
    /// Waits for a lock, nestable or not.
    ompt_state_wait_lock = 0x041,
    /// Waits for a critical section.
    ompt_state_wait_critical = 0x042,
    /// Waits for an atomic update.
    ompt_state_wait_atomic = 0x043,
    /// Waits for its turn in an ordered region.
    ompt_state_wait_ordered = 0x044,
    /// Waits for a target region.
    ompt_state_wait_target = 0x080,
    /// Waits for the mapping of data to a device.
    ompt_state_wait_target_map = 0x081,
    /// Waits for a target update.
    ompt_state_wait_target_update = 0x082,
    /// Waits in the thread pool.
    ompt_state_idle = 0x100,
    /// Executes code of the runtime.
    ompt_state_overhead = 0x101,
    /// No state: the thread is not an OpenMP thread. An enumeration of the states starts here.
    ompt_state_undefined = 0x102,
}
