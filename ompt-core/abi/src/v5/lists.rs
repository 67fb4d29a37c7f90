//! Lists of all callbacks and states, and conversion from C's numbers. Not part of the header.

use super::*;

impl ompt_callbacks_t {
    /// Every callback; that of number `n` is at index `n - 1`.
    pub const ALL: [Self; 37] = [
        Self::ompt_callback_thread_begin,
        Self::ompt_callback_thread_end,
        Self::ompt_callback_parallel_begin,
        Self::ompt_callback_parallel_end,
        Self::ompt_callback_task_create,
        Self::ompt_callback_task_schedule,
        Self::ompt_callback_implicit_task,
        Self::ompt_callback_target,
        Self::ompt_callback_target_data_op,
        Self::ompt_callback_target_submit,
        Self::ompt_callback_control_tool,
        Self::ompt_callback_device_initialize,
        Self::ompt_callback_device_finalize,
        Self::ompt_callback_device_load,
        Self::ompt_callback_device_unload,
        Self::ompt_callback_sync_region_wait,
        Self::ompt_callback_mutex_released,
        Self::ompt_callback_dependences,
        Self::ompt_callback_task_dependence,
        Self::ompt_callback_work,
        Self::ompt_callback_masked,
        Self::ompt_callback_target_map,
        Self::ompt_callback_sync_region,
        Self::ompt_callback_lock_init,
        Self::ompt_callback_lock_destroy,
        Self::ompt_callback_mutex_acquire,
        Self::ompt_callback_mutex_acquired,
        Self::ompt_callback_nest_lock,
        Self::ompt_callback_flush,
        Self::ompt_callback_cancel,
        Self::ompt_callback_reduction,
        Self::ompt_callback_dispatch,
        Self::ompt_callback_target_emi,
        Self::ompt_callback_target_data_op_emi,
        Self::ompt_callback_target_submit_emi,
        Self::ompt_callback_target_map_emi,
        Self::ompt_callback_error,
    ];

    /// The callback of this number; `None` for any other number, which is an answer and no error.
    pub fn from_raw(raw: u32) -> Option<Self> {
        let index = raw.checked_sub(1)?;
        Self::ALL.get(usize::try_from(index).ok()?).copied()
    }
}

impl ompt_state_t {
    /// Every state, in the order of their numbers.
    pub const ALL: [Self; 25] = [
        Self::ompt_state_work_serial,
        Self::ompt_state_work_parallel,
        Self::ompt_state_work_reduction,
        Self::ompt_state_work_free_agent,
        Self::ompt_state_work_induction,
        Self::ompt_state_wait_barrier,
        Self::ompt_state_wait_barrier_implicit_parallel,
        Self::ompt_state_wait_barrier_implicit_workshare,
        Self::ompt_state_wait_barrier_implicit,
        Self::ompt_state_wait_barrier_explicit,
        Self::ompt_state_wait_barrier_implementation,
        Self::ompt_state_wait_barrier_teams,
        Self::ompt_state_wait_taskwait,
        Self::ompt_state_wait_taskgroup,
        Self::ompt_state_wait_mutex,
        Self::ompt_state_wait_lock,
        Self::ompt_state_wait_critical,
        Self::ompt_state_wait_atomic,
        Self::ompt_state_wait_ordered,
        Self::ompt_state_wait_target,
        Self::ompt_state_wait_target_map,
        Self::ompt_state_wait_target_update,
        Self::ompt_state_idle,
        Self::ompt_state_overhead,
        Self::ompt_state_undefined,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_finds_its_callback_and_no_other_number_does() {
        for callback in ompt_callbacks_t::ALL {
            assert_eq!(ompt_callbacks_t::from_raw(callback as u32), Some(callback));
        }
        for none in [0, 38, u32::MAX] {
            assert_eq!(ompt_callbacks_t::from_raw(none), None);
        }
    }

    #[test]
    fn the_states_are_listed_once_each_in_their_order() {
        assert!(ompt_state_t::ALL.is_sorted_by_key(|state| *state as u32));
        let numbers: std::collections::BTreeSet<u32> = ompt_state_t::ALL.iter().map(|state| *state as u32).collect();
        assert_eq!(numbers.len(), ompt_state_t::ALL.len());
    }
}
