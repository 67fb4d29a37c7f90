//! Translation between the core's states and events and those of the Sun Collector API.

use crate::codes::{EventNumber, ThreadState};
use ompt_core::event::{Event, EventSet};
use ompt_core::state::State;

/// The collector's state for a core state.
#[inline]
pub const fn state(state: State) -> ThreadState {
    use ThreadState::*;
    match state {
        State::WorkSerial | State::Undefined => THR_SERIAL_STATE,
        State::WorkParallel | State::WaitTarget => THR_WORK_STATE,
        State::WorkReduction => THR_REDUC_STATE,
        State::Idle => THR_IDLE_STATE,
        State::Overhead => THR_OVHD_STATE,
        State::WaitBarrierImplicitParallel
        | State::WaitBarrierImplicitWorkshare
        | State::WaitBarrierImplementation
        | State::WaitBarrierTeams => THR_IBAR_STATE,
        State::WaitBarrier | State::WaitBarrierExplicit => THR_EBAR_STATE,
        State::WaitTaskwait | State::WaitTaskgroup => THR_TASK_SUSPEND_STATE,
        State::WaitLock | State::WaitNestLock => THR_LKWT_STATE,
        State::WaitCritical => THR_CTWT_STATE,
        State::WaitAtomic => THR_ATWT_STATE,
        State::WaitOrdered => THR_ODWT_STATE,
        State::TaskCreate => THR_TASK_CREATE_STATE,
        State::TaskSchedule => THR_TASK_SCHEDULE_STATE,
        State::TaskSteal => THR_TASK_STEAL_STATE,
        State::TaskFinish => THR_TASK_FINISH_STATE,
    }
}

/// The collector's number for the core state with this number; 0 if that is a state with a wait id, or not a state.
#[inline(always)]
#[allow(clippy::indexing_slicing)] // a byte is in bounds
pub(crate) fn state_without_wait(number: u8) -> i32 {
    static TABLE: [u8; 256] = {
        let mut table = [0; 256];
        let mut rest: &[State] = &State::ALL;
        while let [first, tail @ ..] = rest {
            let reported = state(*first);
            table[*first as usize] = if reported.waits() { 0 } else { reported as u8 };
            rest = tail;
        }
        table
    };
    i32::from(TABLE[usize::from(number)])
}

/// The event number of a core event; `None` if this interface doesn't have it.
#[inline]
pub const fn number(event: Event) -> Option<EventNumber> {
    use EventNumber::*;
    Some(match event {
        Event::ParallelBegin => OMP_EVENT_FORK,
        Event::ParallelEnd => OMP_EVENT_JOIN,
        Event::IdleBegin => OMP_EVENT_THR_BEGIN_IDLE,
        Event::IdleEnd => OMP_EVENT_THR_END_IDLE,
        Event::RegionBarrierWaitBegin | Event::WorkBarrierWaitBegin => OMP_EVENT_THR_BEGIN_IBAR,
        Event::RegionBarrierWaitEnd | Event::WorkBarrierWaitEnd => OMP_EVENT_THR_END_IBAR,
        Event::ExplicitBarrierWaitBegin => OMP_EVENT_THR_BEGIN_EBAR,
        Event::ExplicitBarrierWaitEnd => OMP_EVENT_THR_END_EBAR,
        Event::LockWaitBegin => OMP_EVENT_THR_BEGIN_LKWT,
        Event::LockWaitEnd => OMP_EVENT_THR_END_LKWT,
        Event::CriticalWaitBegin => OMP_EVENT_THR_BEGIN_CTWT,
        Event::CriticalWaitEnd => OMP_EVENT_THR_END_CTWT,
        Event::OrderedWaitBegin => OMP_EVENT_THR_BEGIN_ODWT,
        Event::OrderedWaitEnd => OMP_EVENT_THR_END_ODWT,
        Event::AtomicWaitBegin => OMP_EVENT_THR_BEGIN_ATWT,
        Event::AtomicWaitEnd => OMP_EVENT_THR_END_ATWT,
        Event::MaskedBegin => OMP_EVENT_THR_BEGIN_MASTER,
        Event::MaskedEnd => OMP_EVENT_THR_END_MASTER,
        Event::SingleBegin => OMP_EVENT_THR_BEGIN_SINGLE,
        Event::SingleEnd => OMP_EVENT_THR_END_SINGLE,
        Event::OrderedBegin => OMP_EVENT_THR_BEGIN_ORDERED,
        Event::OrderedEnd => OMP_EVENT_THR_END_ORDERED,
        Event::TaskCreateBegin => OMP_EVENT_THR_BEGIN_CREATE_TASK,
        Event::TaskCreateEndImmediate => OMP_EVENT_THR_END_CREATE_TASK_IMM,
        Event::TaskCreateEndDeferred => OMP_EVENT_THR_END_CREATE_TASK_DEL,
        Event::TaskScheduleBegin => OMP_EVENT_THR_BEGIN_SCHD_TASK,
        Event::TaskScheduleEnd => OMP_EVENT_THR_END_SCHD_TASK,
        Event::TaskWaitBegin | Event::DependWaitBegin => OMP_EVENT_THR_BEGIN_SUSPEND_TASK,
        Event::TaskWaitEnd | Event::DependWaitEnd => OMP_EVENT_THR_END_SUSPEND_TASK,
        Event::TaskStealBegin => OMP_EVENT_THR_BEGIN_STEAL_TASK,
        Event::TaskStealEnd => OMP_EVENT_THR_END_STEAL_TASK,
        Event::TaskFetched => OMP_EVENT_THR_FETCHED_TASK,
        Event::TaskBegin => OMP_EVENT_THR_BEGIN_EXEC_TASK,
        Event::TaskFinishBegin => OMP_EVENT_THR_BEGIN_FINISH_TASK,
        Event::TaskFinishEnd => OMP_EVENT_THR_END_FINISH_TASK,
        _ => return None,
    })
}

/// The event number of a core event as an integer; 0 if there is none.
pub(crate) const fn raw_number(event: Event) -> i32 {
    match number(event) {
        Some(number) => number as i32,
        None => 0,
    }
}

/// The core events that make up an event number; none for the markers.
///
/// ```
/// use ompt_core::event::{Event, EventSet};
/// use ora::codes::EventNumber;
/// use ora::translate::events;
///
/// assert_eq!(events(EventNumber::OMP_EVENT_FORK), EventSet::of(&[Event::ParallelBegin]));
/// // One event of a collector, two of the core.
/// let ibar = EventSet::of(&[Event::RegionBarrierWaitBegin, Event::WorkBarrierWaitBegin]);
/// assert_eq!(events(EventNumber::OMP_EVENT_THR_BEGIN_IBAR), ibar);
/// ```
pub const fn events(wanted: EventNumber) -> EventSet {
    let mut rest: &[Event] = &ALL;
    let mut set = EventSet::NONE;
    while let [event, tail @ ..] = rest {
        if let Some(number) = number(*event)
            && number as i32 == wanted as i32
        {
            set = set.union(EventSet::of(&[*event]));
        }
        rest = tail;
    }
    set
}

/// The events that have a number.
const ALL: [Event; 39] = {
    use Event::*;
    [
        ParallelBegin,
        ParallelEnd,
        IdleBegin,
        IdleEnd,
        RegionBarrierWaitBegin,
        RegionBarrierWaitEnd,
        WorkBarrierWaitBegin,
        WorkBarrierWaitEnd,
        ExplicitBarrierWaitBegin,
        ExplicitBarrierWaitEnd,
        LockWaitBegin,
        LockWaitEnd,
        CriticalWaitBegin,
        CriticalWaitEnd,
        OrderedWaitBegin,
        OrderedWaitEnd,
        AtomicWaitBegin,
        AtomicWaitEnd,
        MaskedBegin,
        MaskedEnd,
        SingleBegin,
        SingleEnd,
        OrderedBegin,
        OrderedEnd,
        TaskCreateBegin,
        TaskCreateEndImmediate,
        TaskCreateEndDeferred,
        TaskScheduleBegin,
        TaskScheduleEnd,
        TaskWaitBegin,
        TaskWaitEnd,
        TaskStealBegin,
        TaskStealEnd,
        TaskFetched,
        TaskBegin,
        TaskFinishBegin,
        TaskFinishEnd,
        DependWaitBegin,
        DependWaitEnd,
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_number_has_a_core_event() {
        for raw in 1..36 {
            let event = EventNumber::from_raw(raw).unwrap();
            assert_ne!(events(event), EventSet::NONE, "{event:?}");
        }
        assert_eq!(events(EventNumber::OMP_EVENT_LAST), EventSet::NONE);
    }

    #[test]
    fn states_that_wait_are_the_same_on_both_sides() {
        for core in State::ALL {
            let reported = state(core);
            // Waits for tasks and devices have no wait id in this interface.
            let exception = matches!(core, State::WaitTaskwait | State::WaitTaskgroup | State::WaitTarget);
            assert_eq!(reported.waits(), core.waits() && !exception, "{core:?} is reported as {reported:?}");
            assert!((1..17).contains(&(reported as i32)));
        }
    }
}
