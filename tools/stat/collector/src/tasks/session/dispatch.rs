//! Dispatches an event to the record of the thread that it occurred on. The record is created at the first event.

use std::sync::atomic::Ordering::Relaxed;

use super::{POOL, SESSION, Session};
use crate::member::MEMBER;
use crate::tasks::alone;
use crate::tasks::nesting::Nesting;
use crate::tasks::pool::Pool;
use crate::tasks::thread::{self, Thread};
use attach_inside::current::Numbered;
use stat_layout::process_table::add;

/// Calls `then` for a thread that has been involved with tasks; ignores others.
pub(super) fn in_a_task(then: impl FnOnce(&mut Nesting)) {
    let _ = at_once(|thread| {
        thread.settle();
        then(&mut thread.nesting);
        true
    });
}

/// Handles an event that needs neither the time nor the pool, if `then` accepts it. Returns false, with nothing done,
/// if it is like any other.
#[inline(always)]
pub(super) fn at_once(then: impl FnOnce(&mut Thread) -> bool) -> bool {
    let Some(thread) = thread::take() else { return false };
    let done = then(thread);
    thread::put_back(thread);
    done
}

/// Handles an event at the current time.
#[inline(always)]
pub(super) fn on_event(then: impl FnOnce(&Session, &Pool, &mut Thread, u64) -> bool) {
    on_event_at(|session, _| session.clock.now(), then);
}

/// Handles an event at the time that `when` returns: creates the thread's record if there is none yet, counts the event, and calls
/// `then`, which returns whether the thread executes or creates a task from then on.
#[inline(always)]
pub(super) fn on_event_at(
    when: impl FnOnce(&Session, &mut Thread) -> u64,
    then: impl FnOnce(&Session, &Pool, &mut Thread, u64) -> bool,
) {
    let Some(Numbered { session, .. }) = SESSION.get() else { return };
    let Some(thread) = thread::take().or_else(|| thread::take_first(|| enter(session))) else { return };
    let at = when(session, thread);
    thread.settle();
    add(&thread.sums.slot().events, 1);
    if let Some(pool) = thread.pool {
        let is_busy = then(session, pool, thread, at);
        alone::note(thread.sums.slot(), is_busy, at);
    }
    thread::put_back(thread);
}

fn enter(session: &'static Session) -> Option<&'static mut Thread> {
    if MEMBER.mute.load(Relaxed) {
        session.client.stop();
        return None;
    }
    let Some(pool) = POOL.get_or_init(Pool::new) else {
        session.area.process_table.count_without_memory();
        return None;
    };
    let thread = Thread::enter(session.area, session.instances, pool, session.client, session.clock)?;
    if let Some(thread_end) = session.thread_end {
        thread_end.set(1);
    }
    Some(thread)
}
