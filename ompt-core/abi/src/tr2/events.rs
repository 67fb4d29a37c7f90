//! Numbers of the events.

/// Events that a tool can register a callback for (TR2, section 3 and appendix A.2). Events 1 to 8 are mandatory for
/// every runtime. 9 to 21 are for blame shifting, 22 to 61 for tracing.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_event_t {
    /// A task has encountered a parallel construct: `ompt_new_parallel_callback_t`.
    ompt_event_parallel_begin = 1,
    /// A parallel region is over: `ompt_parallel_callback_t`.
    ompt_event_parallel_end = 2,
    /// A task is created: `ompt_new_task_callback_t`.
    ompt_event_task_begin = 3,
    /// A task is complete: `ompt_task_callback_t`.
    ompt_event_task_end = 4,
    /// A thread begins: `ompt_thread_type_callback_t`.
    ompt_event_thread_begin = 5,
    /// A thread ends: `ompt_thread_type_callback_t`.
    ompt_event_thread_end = 6,
    /// The program has called `ompt_control`: `ompt_control_callback_t`.
    ompt_event_control = 7,
    /// The runtime shuts down: `ompt_callback_t`.
    ompt_event_runtime_shutdown = 8,
    /// A worker goes idle: `ompt_thread_callback_t`.
    ompt_event_idle_begin = 9,
    /// A worker has work again: `ompt_thread_callback_t`.
    ompt_event_idle_end = 10,
    /// A wait in a barrier begins: `ompt_parallel_callback_t`.
    ompt_event_wait_barrier_begin = 11,
    /// A wait in a barrier ends: `ompt_parallel_callback_t`.
    ompt_event_wait_barrier_end = 12,
    /// A wait in a taskwait begins: `ompt_parallel_callback_t`.
    ompt_event_wait_taskwait_begin = 13,
    /// A wait in a taskwait ends: `ompt_parallel_callback_t`.
    ompt_event_wait_taskwait_end = 14,
    /// A wait at the end of a taskgroup begins: `ompt_parallel_callback_t`.
    ompt_event_wait_taskgroup_begin = 15,
    /// A wait at the end of a taskgroup ends: `ompt_parallel_callback_t`.
    ompt_event_wait_taskgroup_end = 16,
    /// A lock was released: `ompt_wait_callback_t`.
    ompt_event_release_lock = 17,
    /// A nestable lock was released for good: `ompt_wait_callback_t`.
    ompt_event_release_nest_lock_last = 18,
    /// A critical section was left: `ompt_wait_callback_t`.
    ompt_event_release_critical = 19,
    /// An atomic update is done: `ompt_wait_callback_t`.
    ompt_event_release_atomic = 20,
    /// An ordered region was left: `ompt_wait_callback_t`.
    ompt_event_release_ordered = 21,
    /// An implicit task begins: `ompt_parallel_callback_t`.
    ompt_event_implicit_task_begin = 22,
    /// An implicit task ends: `ompt_parallel_callback_t`.
    ompt_event_implicit_task_end = 23,
    /// An initial task begins: `ompt_task_callback_t`.
    ompt_event_initial_task_begin = 24,
    /// An initial task ends: `ompt_task_callback_t`.
    ompt_event_initial_task_end = 25,
    /// A thread switches from one task to another: `ompt_task_switch_callback_t`.
    ompt_event_task_switch = 26,
    /// A loop begins: `ompt_new_workshare_callback_t`.
    ompt_event_loop_begin = 27,
    /// A loop ends: `ompt_parallel_callback_t`.
    ompt_event_loop_end = 28,
    /// A sections region begins: `ompt_new_workshare_callback_t`.
    ompt_event_sections_begin = 29,
    /// A sections region ends: `ompt_parallel_callback_t`.
    ompt_event_sections_end = 30,
    /// A single region begins on the thread that executes it: `ompt_new_workshare_callback_t`.
    ompt_event_single_in_block_begin = 31,
    /// A single region ends on the thread that executes it: `ompt_parallel_callback_t`.
    ompt_event_single_in_block_end = 32,
    /// A single region begins on a thread that doesn't execute it: `ompt_parallel_callback_t`.
    ompt_event_single_others_begin = 33,
    /// A single region ends on a thread that doesn't execute it: `ompt_parallel_callback_t`.
    ompt_event_single_others_end = 34,
    /// A workshare region (Fortran) begins: `ompt_new_workshare_callback_t`.
    ompt_event_workshare_begin = 35,
    /// A workshare region (Fortran) ends: `ompt_parallel_callback_t`.
    ompt_event_workshare_end = 36,
    /// A master region begins: `ompt_parallel_callback_t`.
    ompt_event_master_begin = 37,
    /// A master region ends: `ompt_parallel_callback_t`.
    ompt_event_master_end = 38,
    /// A barrier begins: `ompt_parallel_callback_t`.
    ompt_event_barrier_begin = 39,
    /// A barrier ends: `ompt_parallel_callback_t`.
    ompt_event_barrier_end = 40,
    /// A taskwait begins: `ompt_parallel_callback_t`.
    ompt_event_taskwait_begin = 41,
    /// A taskwait ends: `ompt_parallel_callback_t`.
    ompt_event_taskwait_end = 42,
    /// A taskgroup begins: `ompt_parallel_callback_t`.
    ompt_event_taskgroup_begin = 43,
    /// A taskgroup ends: `ompt_parallel_callback_t`.
    ompt_event_taskgroup_end = 44,
    /// A nestable lock was unset, and is still owned: `ompt_wait_callback_t`.
    ompt_event_release_nest_lock_prev = 45,
    /// A wait for a lock begins: `ompt_wait_callback_t`.
    ompt_event_wait_lock = 46,
    /// A wait for a nestable lock begins: `ompt_wait_callback_t`.
    ompt_event_wait_nest_lock = 47,
    /// A wait for a critical section begins: `ompt_wait_callback_t`.
    ompt_event_wait_critical = 48,
    /// A wait for an atomic update begins: `ompt_wait_callback_t`.
    ompt_event_wait_atomic = 49,
    /// A wait for an ordered region begins: `ompt_wait_callback_t`.
    ompt_event_wait_ordered = 50,
    /// A lock was acquired: `ompt_wait_callback_t`.
    ompt_event_acquired_lock = 51,
    /// A nestable lock was acquired: `ompt_wait_callback_t`.
    ompt_event_acquired_nest_lock_first = 52,
    /// A nestable lock was set once more by its owner: `ompt_wait_callback_t`.
    ompt_event_acquired_nest_lock_next = 53,
    /// A critical section was entered: `ompt_wait_callback_t`.
    ompt_event_acquired_critical = 54,
    /// An atomic update begins: `ompt_wait_callback_t`.
    ompt_event_acquired_atomic = 55,
    /// An ordered region was entered: `ompt_wait_callback_t`.
    ompt_event_acquired_ordered = 56,
    /// A lock was initialized: `ompt_wait_callback_t`.
    ompt_event_init_lock = 57,
    /// A nestable lock was initialized: `ompt_wait_callback_t`.
    ompt_event_init_nest_lock = 58,
    /// A lock will be destroyed: `ompt_wait_callback_t`.
    ompt_event_destroy_lock = 59,
    /// A nestable lock will be destroyed: `ompt_wait_callback_t`.
    ompt_event_destroy_nest_lock = 60,
    /// A flush was executed: `ompt_thread_callback_t`.
    ompt_event_flush = 61,
}
