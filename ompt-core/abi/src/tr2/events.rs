//! The numbers of the events.

/// What a tool can register a callback for (TR2, section 3 and appendix A.2). 1 to 8 every runtime must have.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_event_t {
    /// A task has met a parallel construct: `ompt_new_parallel_callback_t`.
    ompt_event_parallel_begin = 1,
    /// The region is over: `ompt_parallel_callback_t`.
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
    /// Blame shifting, up to `ompt_event_release_ordered`. A worker goes idle: `ompt_thread_callback_t`.
    ompt_event_idle_begin = 9,
    /// It has work again: `ompt_thread_callback_t`.
    ompt_event_idle_end = 10,
    /// A wait in a barrier begins: `ompt_parallel_callback_t`, as all waits for others.
    ompt_event_wait_barrier_begin = 11,
    /// It is over.
    ompt_event_wait_barrier_end = 12,
    /// A wait in a taskwait begins.
    ompt_event_wait_taskwait_begin = 13,
    /// It is over.
    ompt_event_wait_taskwait_end = 14,
    /// A wait at the end of a taskgroup begins.
    ompt_event_wait_taskgroup_begin = 15,
    /// It is over.
    ompt_event_wait_taskgroup_end = 16,
    /// A lock was released: `ompt_wait_callback_t`, as everything about mutexes.
    ompt_event_release_lock = 17,
    /// A nestable lock was released for good.
    ompt_event_release_nest_lock_last = 18,
    /// A critical section is left.
    ompt_event_release_critical = 19,
    /// An atomic update is done.
    ompt_event_release_atomic = 20,
    /// An ordered region is left.
    ompt_event_release_ordered = 21,
    /// What tracing tools need, from here on. An implicit task begins: `ompt_parallel_callback_t`.
    ompt_event_implicit_task_begin = 22,
    /// It is over: `ompt_parallel_callback_t`.
    ompt_event_implicit_task_end = 23,
    /// An initial task begins: `ompt_task_callback_t`.
    ompt_event_initial_task_begin = 24,
    /// It is over: `ompt_task_callback_t`.
    ompt_event_initial_task_end = 25,
    /// A thread leaves one task for another: `ompt_task_switch_callback_t`.
    ompt_event_task_switch = 26,
    /// A loop begins: `ompt_new_workshare_callback_t`, as all work-sharing regions.
    ompt_event_loop_begin = 27,
    /// It is done: `ompt_parallel_callback_t`, as everything up to `ompt_event_taskgroup_end` without a word.
    ompt_event_loop_end = 28,
    /// Sections begin: `ompt_new_workshare_callback_t`.
    ompt_event_sections_begin = 29,
    /// They are done.
    ompt_event_sections_end = 30,
    /// A single begins on the thread that executes it: `ompt_new_workshare_callback_t`.
    ompt_event_single_in_block_begin = 31,
    /// It is done.
    ompt_event_single_in_block_end = 32,
    /// A single begins on a thread that doesn't execute it.
    ompt_event_single_others_begin = 33,
    /// It is done.
    ompt_event_single_others_end = 34,
    /// Fortran's workshare begins: `ompt_new_workshare_callback_t`.
    ompt_event_workshare_begin = 35,
    /// It is done.
    ompt_event_workshare_end = 36,
    /// A master region begins.
    ompt_event_master_begin = 37,
    /// It is done.
    ompt_event_master_end = 38,
    /// A barrier begins.
    ompt_event_barrier_begin = 39,
    /// It is over.
    ompt_event_barrier_end = 40,
    /// A taskwait begins.
    ompt_event_taskwait_begin = 41,
    /// It is over.
    ompt_event_taskwait_end = 42,
    /// A taskgroup begins.
    ompt_event_taskgroup_begin = 43,
    /// It is over.
    ompt_event_taskgroup_end = 44,
    /// A nestable lock was unset, and is still owned: `ompt_wait_callback_t`, as all but the last.
    ompt_event_release_nest_lock_prev = 45,
    /// A wait for a lock begins.
    ompt_event_wait_lock = 46,
    /// A wait for a nestable lock begins.
    ompt_event_wait_nest_lock = 47,
    /// A wait for a critical section begins.
    ompt_event_wait_critical = 48,
    /// A wait for an atomic update begins.
    ompt_event_wait_atomic = 49,
    /// A wait for an ordered region begins.
    ompt_event_wait_ordered = 50,
    /// A lock was acquired.
    ompt_event_acquired_lock = 51,
    /// A nestable lock was acquired.
    ompt_event_acquired_nest_lock_first = 52,
    /// Its owner has set it once more.
    ompt_event_acquired_nest_lock_next = 53,
    /// A critical section is entered.
    ompt_event_acquired_critical = 54,
    /// An atomic update begins.
    ompt_event_acquired_atomic = 55,
    /// An ordered region is entered.
    ompt_event_acquired_ordered = 56,
    /// A lock was initialized.
    ompt_event_init_lock = 57,
    /// A nestable lock was initialized.
    ompt_event_init_nest_lock = 58,
    /// A lock will be destroyed.
    ompt_event_destroy_lock = 59,
    /// A nestable lock will be destroyed.
    ompt_event_destroy_nest_lock = 60,
    /// A flush was executed: `ompt_thread_callback_t`.
    ompt_event_flush = 61,
}
