//! Translation of the core's states to those of OpenMP 5, and their enumeration (OpenMP 5.0, 4.6.1.1).

use super::types::ompt_state_t::{self, *};
use crate::state::State;
use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The OpenMP 5 state for a core state. Async-signal-safe: a table.
pub(super) const fn v5_state(state: State) -> ompt_state_t {
    match state {
        State::WorkSerial | State::Undefined => ompt_state_work_serial,
        State::WorkParallel => ompt_state_work_parallel,
        State::WorkReduction => ompt_state_work_reduction,
        State::WaitBarrier => ompt_state_wait_barrier,
        State::WaitBarrierImplicitParallel => ompt_state_wait_barrier_implicit_parallel,
        State::WaitBarrierImplicitWorkshare => ompt_state_wait_barrier_implicit_workshare,
        State::WaitBarrierImplementation => ompt_state_wait_barrier_implementation,
        State::WaitBarrierExplicit => ompt_state_wait_barrier_explicit,
        State::WaitBarrierTeams => ompt_state_wait_barrier_teams,
        State::WaitTaskwait => ompt_state_wait_taskwait,
        State::WaitTaskgroup => ompt_state_wait_taskgroup,
        State::WaitLock | State::WaitNestLock => ompt_state_wait_lock,
        State::WaitCritical => ompt_state_wait_critical,
        State::WaitAtomic => ompt_state_wait_atomic,
        State::WaitOrdered => ompt_state_wait_ordered,
        State::WaitTarget => ompt_state_wait_target,
        State::Idle => ompt_state_idle,
        State::Overhead | State::TaskCreate | State::TaskSchedule | State::TaskSteal | State::TaskFinish => {
            ompt_state_overhead
        }
    }
}

/// Number and name of the state after this one. The list starts after `ompt_state_undefined`: 0x102 in the headers, 0
/// in the text, which is also the number of a state. So 0 continues after that state if the previous call has returned
/// it, and starts the list otherwise. Threads that enumerate at the same time may get that state twice.
pub(super) fn after(current: c_int) -> Option<(c_int, &'static CStr)> {
    static ZERO_GIVEN: AtomicBool = AtomicBool::new(false);
    let zero_given = ZERO_GIVEN.swap(false, Relaxed);
    let starts = current == number(ompt_state_undefined) || current == 0 && !zero_given;
    let mut all = ompt_state_t::ALL.into_iter().filter(|state| is_reported(*state));
    if !starts {
        all.find(|state| number(*state) == current)?;
    }
    let next = all.next()?;
    ZERO_GIVEN.store(number(next) == 0, Relaxed);
    Some((number(next), name(next)))
}

fn number(state: ompt_state_t) -> c_int {
    (state as u32).cast_signed()
}

fn is_reported(state: ompt_state_t) -> bool {
    State::ALL.iter().any(|core| v5_state(*core) == state)
}

const fn name(state: ompt_state_t) -> &'static CStr {
    match state {
        ompt_state_work_serial => c"ompt_state_work_serial",
        ompt_state_work_parallel => c"ompt_state_work_parallel",
        ompt_state_work_reduction => c"ompt_state_work_reduction",
        ompt_state_work_free_agent => c"ompt_state_work_free_agent",
        ompt_state_work_induction => c"ompt_state_work_induction",
        ompt_state_wait_barrier => c"ompt_state_wait_barrier",
        ompt_state_wait_barrier_implicit_parallel => c"ompt_state_wait_barrier_implicit_parallel",
        ompt_state_wait_barrier_implicit_workshare => c"ompt_state_wait_barrier_implicit_workshare",
        ompt_state_wait_barrier_implicit => c"ompt_state_wait_barrier_implicit",
        ompt_state_wait_barrier_explicit => c"ompt_state_wait_barrier_explicit",
        ompt_state_wait_barrier_implementation => c"ompt_state_wait_barrier_implementation",
        ompt_state_wait_barrier_teams => c"ompt_state_wait_barrier_teams",
        ompt_state_wait_taskwait => c"ompt_state_wait_taskwait",
        ompt_state_wait_taskgroup => c"ompt_state_wait_taskgroup",
        ompt_state_wait_mutex => c"ompt_state_wait_mutex",
        ompt_state_wait_lock => c"ompt_state_wait_lock",
        ompt_state_wait_critical => c"ompt_state_wait_critical",
        ompt_state_wait_atomic => c"ompt_state_wait_atomic",
        ompt_state_wait_ordered => c"ompt_state_wait_ordered",
        ompt_state_wait_target => c"ompt_state_wait_target",
        ompt_state_wait_target_map => c"ompt_state_wait_target_map",
        ompt_state_wait_target_update => c"ompt_state_wait_target_update",
        ompt_state_idle => c"ompt_state_idle",
        ompt_state_overhead => c"ompt_state_overhead",
        ompt_state_undefined => c"ompt_state_undefined",
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_types, clippy::disallowed_macros)] // no program's thread runs this
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    /// All states from there on. There is only one list at a time: starting one ends another.
    fn listed(mut from: c_int) -> Vec<c_int> {
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock();
        std::iter::from_fn(|| after(from).map(|(next, _)| from = next).map(|()| from)).collect()
    }

    #[test]
    fn the_list_from_undefined_has_every_state_that_is_reported_once() {
        let reported: BTreeSet<c_int> = State::ALL.iter().map(|core| number(v5_state(*core))).collect();
        assert_eq!(listed(0x102), reported.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn the_list_from_either_number_for_undefined_has_every_state() {
        let all = listed(0x102);
        assert_eq!(all.first(), Some(&0));
        assert_eq!((listed(0), listed(0)), (all.clone(), all));
    }

    #[test]
    fn no_state_comes_after_the_last_one_or_after_a_number_that_is_none() {
        for current in [0x101, 0x13, 0x40, 0x7fff_ffff, -1] {
            assert!(listed(current).is_empty(), "{current:#x}");
        }
    }

    #[test]
    fn states_with_a_wait_id_are_the_same_on_both_sides() {
        let mutexes =
            [State::WaitLock, State::WaitNestLock, State::WaitCritical, State::WaitAtomic, State::WaitOrdered];
        for core in State::ALL {
            let reported = number(v5_state(core));
            assert_eq!(
                (0x40..0x80).contains(&reported),
                mutexes.contains(&core),
                "{core:?} is reported as {reported:#x}"
            );
            assert_eq!((0x10..0x100).contains(&reported), core.waits(), "{core:?} is reported as {reported:#x}");
        }
    }

    #[test]
    fn names_are_spelled_as_the_states() {
        for state in ompt_state_t::ALL {
            assert_eq!(name(state).to_str(), Ok(format!("{state:?}").as_str()));
        }
    }
}
