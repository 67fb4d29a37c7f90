//! Events and states of each kind of wait and stretch.

use super::types::{StretchKind, WaitKind};
use ompt_core::event::Span;
use ompt_core::state::State;
use std::ffi::c_int;

/// Events and state of a wait; `None` if the kind does not exist.
pub(super) fn wait_of(kind: c_int) -> Option<(Span, State)> {
    use WaitKind::*;
    const KINDS: [(WaitKind, Span, State); 9] = [
        (ORA_EMBED_WAIT_WORK_BARRIER, Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare),
        (ORA_EMBED_WAIT_EXPLICIT_BARRIER, Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit),
        (ORA_EMBED_WAIT_LOCK, Span::LOCK_WAIT, State::WaitLock),
        (ORA_EMBED_WAIT_NEST_LOCK, Span::LOCK_WAIT, State::WaitNestLock),
        (ORA_EMBED_WAIT_CRITICAL, Span::CRITICAL_WAIT, State::WaitCritical),
        (ORA_EMBED_WAIT_ORDERED, Span::ORDERED_WAIT, State::WaitOrdered),
        (ORA_EMBED_WAIT_ATOMIC, Span::ATOMIC_WAIT, State::WaitAtomic),
        (ORA_EMBED_WAIT_CHILDREN, Span::TASK_WAIT, State::WaitTaskwait),
        (ORA_EMBED_WAIT_TASKGROUP, Span::TASK_WAIT, State::WaitTaskgroup),
    ];
    KINDS.into_iter().find(|(known, ..)| *known as c_int == kind).map(|(_, span, state)| (span, state))
}

/// Events and state of a stretch, which may have neither; `None` if the kind does not exist.
pub(super) fn stretch_of(kind: c_int) -> Option<(Option<Span>, Option<State>)> {
    use StretchKind::*;
    const KINDS: [(StretchKind, Option<Span>, Option<State>); 7] = [
        (ORA_EMBED_MASKED, Some(Span::MASKED), None),
        (ORA_EMBED_SINGLE, Some(Span::SINGLE), None),
        (ORA_EMBED_ORDERED, Some(Span::ORDERED), None),
        (ORA_EMBED_REDUCTION, None, Some(State::WorkReduction)),
        (ORA_EMBED_OVERHEAD, None, Some(State::Overhead)),
        (ORA_EMBED_TASK_SCHEDULE, Some(Span::TASK_SCHEDULE), Some(State::TaskSchedule)),
        (ORA_EMBED_TASK_STEAL, Some(Span::TASK_STEAL), Some(State::TaskSteal)),
    ];
    KINDS.into_iter().find(|(known, ..)| *known as c_int == kind).map(|(_, span, state)| (span, state))
}
