//! Events of mutexes: acquisition, release, and the initialization and destruction of locks (TR2, 3.2.1 "Lock Release"
//! and after, 3.2.2).

use super::Here;
use crate::detail::{Detail, Mutex};
use crate::tr2::call;
use crate::tr2::types::ompt_event_t::{self, *};

#[inline(always)]
pub(super) fn acquired(here: Here, detail: &Detail<'_>) {
    let Detail::Mutex { kind, .. } = detail else { return };
    let event = match kind {
        Mutex::Lock | Mutex::TestLock => ompt_event_acquired_lock,
        Mutex::NestLock | Mutex::TestNestLock => ompt_event_acquired_nest_lock_first,
        Mutex::Critical => ompt_event_acquired_critical,
        Mutex::Atomic => ompt_event_acquired_atomic,
        Mutex::Ordered => ompt_event_acquired_ordered,
    };
    report(here, event, detail);
}

#[inline(always)]
pub(super) fn released(here: Here, detail: &Detail<'_>) {
    let Detail::Mutex { kind, .. } = detail else { return };
    let event = match kind {
        Mutex::Lock | Mutex::TestLock => ompt_event_release_lock,
        Mutex::NestLock | Mutex::TestNestLock => ompt_event_release_nest_lock_last,
        Mutex::Critical => ompt_event_release_critical,
        Mutex::Atomic => ompt_event_release_atomic,
        Mutex::Ordered => ompt_event_release_ordered,
    };
    report(here, event, detail);
}

/// Reports that a lock, nestable or not, was initialized or is about to be destroyed.
#[inline(always)]
pub(super) fn life(here: Here, (lock, nest_lock): (ompt_event_t, ompt_event_t), detail: &Detail<'_>) {
    let Detail::Mutex { kind, .. } = detail else { return };
    let nests = matches!(kind, Mutex::NestLock | Mutex::TestNestLock);
    report(here, if nests { nest_lock } else { lock }, detail);
}

#[inline(always)]
pub(super) fn report(here: Here, event: ompt_event_t, detail: &Detail<'_>) {
    if let Detail::Mutex { wait_id, .. } = detail {
        call::wait(event, here.epoch, *wait_id);
    }
}
