//! Translation of the core's states to those of TR2 (section 2), and their enumeration (5.1).

use super::types::ompt_state_t;
use crate::state::State;
use std::ffi::CStr;

/// The TR2 state for a core state. A state that this interface doesn't have is reported as overhead.
pub(super) const fn state(state: State) -> ompt_state_t {
    use ompt_state_t::*;
    match state {
        State::WorkSerial => ompt_state_work_serial,
        State::WorkParallel => ompt_state_work_parallel,
        State::WorkReduction => ompt_state_work_reduction,
        State::Idle => ompt_state_idle,
        State::Overhead
        | State::WaitTarget
        | State::TaskCreate
        | State::TaskSchedule
        | State::TaskSteal
        | State::TaskFinish => ompt_state_overhead,
        State::WaitBarrier => ompt_state_wait_barrier,
        State::WaitBarrierImplicitParallel
        | State::WaitBarrierImplicitWorkshare
        | State::WaitBarrierImplementation
        | State::WaitBarrierTeams => ompt_state_wait_barrier_implicit,
        State::WaitBarrierExplicit => ompt_state_wait_barrier_explicit,
        State::WaitTaskwait => ompt_state_wait_taskwait,
        State::WaitTaskgroup => ompt_state_wait_taskgroup,
        State::WaitLock => ompt_state_wait_lock,
        State::WaitNestLock => ompt_state_wait_nest_lock,
        State::WaitCritical => ompt_state_wait_critical,
        State::WaitAtomic => ompt_state_wait_atomic,
        State::WaitOrdered => ompt_state_wait_ordered,
        State::Undefined => ompt_state_undefined,
    }
}

/// True if a tool may see this state with a wait id.
pub(super) const fn waits(state: State) -> bool {
    state.waits() && !matches!(state, State::WaitTarget)
}

/// The states in which a thread can be seen, by number, with their names.
const STATES: [(ompt_state_t, &CStr); 16] = {
    use ompt_state_t::*;
    [
        (ompt_state_work_serial, c"ompt_state_work_serial"),
        (ompt_state_work_parallel, c"ompt_state_work_parallel"),
        (ompt_state_work_reduction, c"ompt_state_work_reduction"),
        (ompt_state_idle, c"ompt_state_idle"),
        (ompt_state_overhead, c"ompt_state_overhead"),
        (ompt_state_wait_barrier, c"ompt_state_wait_barrier"),
        (ompt_state_wait_barrier_implicit, c"ompt_state_wait_barrier_implicit"),
        (ompt_state_wait_barrier_explicit, c"ompt_state_wait_barrier_explicit"),
        (ompt_state_wait_taskwait, c"ompt_state_wait_taskwait"),
        (ompt_state_wait_taskgroup, c"ompt_state_wait_taskgroup"),
        (ompt_state_wait_lock, c"ompt_state_wait_lock"),
        (ompt_state_wait_nest_lock, c"ompt_state_wait_nest_lock"),
        (ompt_state_wait_critical, c"ompt_state_wait_critical"),
        (ompt_state_wait_atomic, c"ompt_state_wait_atomic"),
        (ompt_state_wait_ordered, c"ompt_state_wait_ordered"),
        (ompt_state_undefined, c"ompt_state_undefined"),
    ]
};

/// The state after the one of this number, with its name; `None` after the last one, and after a number that is not a
/// state.
pub(super) fn after(current: i32) -> Option<(ompt_state_t, &'static CStr)> {
    if current == ompt_state_t::ompt_state_first as i32 {
        return STATES.first().copied();
    }
    let mut rest = STATES.iter().skip_while(|(state, _)| *state as i32 != current);
    rest.next()?;
    rest.next().copied()
}

#[cfg(test)]
#[allow(clippy::disallowed_macros)] // no program's thread runs this
mod tests {
    use super::*;

    #[test]
    fn every_state_of_the_core_is_one_that_the_enumeration_names() {
        for core in State::ALL {
            assert!(STATES.iter().any(|(reported, _)| *reported == state(core)), "{core:?}");
        }
        for (reported, _) in STATES {
            assert!(State::ALL.iter().any(|core| state(*core) == reported), "{reported:?} is nobody's");
        }
    }

    #[test]
    fn a_state_that_waits_is_reported_as_one_that_waits_and_no_other_is() {
        for core in State::ALL {
            let reported = state(core) as u32;
            assert_eq!(waits(core), (0x40..0x70).contains(&reported), "{core:?}");
        }
    }

    #[test]
    fn the_enumeration_goes_through_all_states_by_number_and_ends() {
        let mut current = ompt_state_t::ompt_state_first as i32;
        let mut seen = [None; 20];
        for place in &mut seen {
            let Some((next, name)) = after(current) else { break };
            assert_eq!(name.to_str().unwrap(), format!("{next:?}"));
            current = next as i32;
            *place = Some(next);
        }
        let reported = ompt_state_t::ALL.into_iter().filter(|state| *state != ompt_state_t::ompt_state_first);
        assert!(seen.into_iter().flatten().eq(reported));
        assert!(after(ompt_state_t::ompt_state_undefined as i32).is_none());
        assert!(after(3).is_none() && after(-1).is_none());
    }
}
