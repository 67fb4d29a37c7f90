//! Locks, critical sections, atomic updates and ordered regions (OpenMP 5.0, 4.5.2.16, 4.5.2.19 to 4.5.2.23).

use super::{BEGIN, END, LockDestroy, LockInit, MutexAcquire, MutexAcquired, MutexReleased, NestLock, note_call};
use crate::ompt::mutexes;
use crate::ompt::tools::reports_to_core;

pub(super) fn acquire(event: MutexAcquire<'_>) {
    let MutexAcquire { kind, hint, wait_id, code, .. } = event;
    if reports_to_core() {
        note_call(code);
        mutexes::acquire(kind, hint, wait_id);
    }
    event.invoke();
}

pub(super) fn acquired(event: MutexAcquired<'_>) {
    let MutexAcquired { kind, wait_id, code, .. } = event;
    if reports_to_core() {
        note_call(code);
        mutexes::acquired(kind, wait_id);
    }
    event.invoke();
}

pub(super) fn released(event: MutexReleased<'_>) {
    let MutexReleased { kind, wait_id, code, .. } = event;
    event.invoke();
    if reports_to_core() {
        note_call(code);
        mutexes::released(kind, wait_id);
    }
}

pub(super) fn nest_lock(event: NestLock<'_>) {
    let NestLock { endpoint, wait_id, code, .. } = event;
    if reports_to_core() && endpoint == BEGIN {
        note_call(code);
        mutexes::again(wait_id);
    }
    event.invoke();
    if reports_to_core() && endpoint == END {
        note_call(code);
        mutexes::still(wait_id);
    }
}

pub(super) fn init(event: LockInit<'_>) {
    let LockInit { kind, hint, wait_id, code, .. } = event;
    if reports_to_core() {
        note_call(code);
        mutexes::init(kind, hint, wait_id);
    }
    event.invoke();
}

pub(super) fn destroy(event: LockDestroy<'_>) {
    let LockDestroy { kind, wait_id, code, .. } = event;
    event.invoke();
    if reports_to_core() {
        note_call(code);
        mutexes::destroy(kind, wait_id);
    }
}
