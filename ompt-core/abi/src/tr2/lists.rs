//! Lists of all events and states, and conversion from C's numbers. Not part of the header.

use super::*;

impl ompt_event_t {
    /// Every event; that of number `n` is at index `n - 1`.
    pub const ALL: [Self; 61] = [
        Self::ompt_event_parallel_begin,
        Self::ompt_event_parallel_end,
        Self::ompt_event_task_begin,
        Self::ompt_event_task_end,
        Self::ompt_event_thread_begin,
        Self::ompt_event_thread_end,
        Self::ompt_event_control,
        Self::ompt_event_runtime_shutdown,
        Self::ompt_event_idle_begin,
        Self::ompt_event_idle_end,
        Self::ompt_event_wait_barrier_begin,
        Self::ompt_event_wait_barrier_end,
        Self::ompt_event_wait_taskwait_begin,
        Self::ompt_event_wait_taskwait_end,
        Self::ompt_event_wait_taskgroup_begin,
        Self::ompt_event_wait_taskgroup_end,
        Self::ompt_event_release_lock,
        Self::ompt_event_release_nest_lock_last,
        Self::ompt_event_release_critical,
        Self::ompt_event_release_atomic,
        Self::ompt_event_release_ordered,
        Self::ompt_event_implicit_task_begin,
        Self::ompt_event_implicit_task_end,
        Self::ompt_event_initial_task_begin,
        Self::ompt_event_initial_task_end,
        Self::ompt_event_task_switch,
        Self::ompt_event_loop_begin,
        Self::ompt_event_loop_end,
        Self::ompt_event_sections_begin,
        Self::ompt_event_sections_end,
        Self::ompt_event_single_in_block_begin,
        Self::ompt_event_single_in_block_end,
        Self::ompt_event_single_others_begin,
        Self::ompt_event_single_others_end,
        Self::ompt_event_workshare_begin,
        Self::ompt_event_workshare_end,
        Self::ompt_event_master_begin,
        Self::ompt_event_master_end,
        Self::ompt_event_barrier_begin,
        Self::ompt_event_barrier_end,
        Self::ompt_event_taskwait_begin,
        Self::ompt_event_taskwait_end,
        Self::ompt_event_taskgroup_begin,
        Self::ompt_event_taskgroup_end,
        Self::ompt_event_release_nest_lock_prev,
        Self::ompt_event_wait_lock,
        Self::ompt_event_wait_nest_lock,
        Self::ompt_event_wait_critical,
        Self::ompt_event_wait_atomic,
        Self::ompt_event_wait_ordered,
        Self::ompt_event_acquired_lock,
        Self::ompt_event_acquired_nest_lock_first,
        Self::ompt_event_acquired_nest_lock_next,
        Self::ompt_event_acquired_critical,
        Self::ompt_event_acquired_atomic,
        Self::ompt_event_acquired_ordered,
        Self::ompt_event_init_lock,
        Self::ompt_event_init_nest_lock,
        Self::ompt_event_destroy_lock,
        Self::ompt_event_destroy_nest_lock,
        Self::ompt_event_flush,
    ];

    /// The event of this number; `None` for any other number, which is an answer and no error.
    pub fn from_raw(raw: u32) -> Option<Self> {
        let index = raw.checked_sub(1)?;
        Self::ALL.get(usize::try_from(index).ok()?).copied()
    }
}

impl ompt_state_t {
    /// Every state, in the order of their numbers.
    pub const ALL: [Self; 17] = [
        Self::ompt_state_work_serial,
        Self::ompt_state_work_parallel,
        Self::ompt_state_work_reduction,
        Self::ompt_state_idle,
        Self::ompt_state_overhead,
        Self::ompt_state_wait_barrier,
        Self::ompt_state_wait_barrier_implicit,
        Self::ompt_state_wait_barrier_explicit,
        Self::ompt_state_wait_taskwait,
        Self::ompt_state_wait_taskgroup,
        Self::ompt_state_wait_lock,
        Self::ompt_state_wait_nest_lock,
        Self::ompt_state_wait_critical,
        Self::ompt_state_wait_atomic,
        Self::ompt_state_wait_ordered,
        Self::ompt_state_undefined,
        Self::ompt_state_first,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_finds_its_event_and_no_other_number_does() {
        for event in ompt_event_t::ALL {
            assert_eq!(ompt_event_t::from_raw(event as u32), Some(event));
        }
        for none in [0, 62, u32::MAX] {
            assert_eq!(ompt_event_t::from_raw(none), None);
        }
    }

    #[test]
    fn the_states_are_listed_once_each_in_their_order() {
        assert!(ompt_state_t::ALL.is_sorted_by_key(|state| *state as u32));
        let numbers: std::collections::BTreeSet<u32> = ompt_state_t::ALL.iter().map(|state| *state as u32).collect();
        assert_eq!(numbers.len(), ompt_state_t::ALL.len());
    }
}
