//! Dispatch of an event to the record of the thread that it occurred on, which is made at the first one.

use std::sync::atomic::Ordering::Relaxed;

use super::{POOL, SESSION, Session};
use crate::member::MEMBER;
use crate::tasks::alone;
use crate::tasks::nesting::Nesting;
use crate::tasks::pool::Pool;
use crate::tasks::thread::{self, Thread};
use attach_inside::current::Numbered;
use stat_layout::roll::add;

/// For a thread that has had to do with tasks: others are left alone.
pub(super) fn in_a_task(then: impl FnOnce(&mut Nesting)) {
    let _ = at_once(|thread| {
        thread.settle();
        then(&mut thread.nesting);
        true
    });
}

/// An event that takes neither time nor the pool, if `then` says so. False, and nothing done: it is as any other.
#[inline(always)]
pub(super) fn at_once(then: impl FnOnce(&mut Thread) -> bool) -> bool {
    let Some(thread) = thread::take() else { return false };
    let done = then(thread);
    thread::put_back(thread);
    done
}

/// An event at this moment.
#[inline(always)]
pub(super) fn on_event(then: impl FnOnce(&Session, &Pool, &mut Thread, u64) -> bool) {
    on_event_at(|session, _| session.clock.now(), then);
}

/// An event at the time that `when` gives: makes the thread's record if there is none yet, counts the event, and calls `then`, which
/// says if the thread executes or creates a task from then on.
#[inline(always)]
pub(super) fn on_event_at(
    when: impl FnOnce(&Session, &mut Thread) -> u64,
    then: impl FnOnce(&Session, &Pool, &mut Thread, u64) -> bool,
) {
    let Some(Numbered { session, .. }) = SESSION.get() else { return };
    let Some(thread) = thread::take().or_else(|| thread::take_first(|| enter(session))) else { return };
    let at = when(session, thread);
    thread.settle();
    add(&thread.books.slot().events, 1);
    if let Some(pool) = thread.pool {
        let is_busy = then(session, pool, thread, at);
        alone::note(thread.books.slot(), is_busy, at);
    }
    thread::put_back(thread);
}

fn enter(session: &'static Session) -> Option<&'static mut Thread> {
    if MEMBER.mute.load(Relaxed) {
        session.client.stop();
        return None;
    }
    let Some(pool) = POOL.get_or_init(Pool::new) else {
        session.area.roll.count_without_memory();
        return None;
    };
    let thread = Thread::enter(session.area, session.instances, pool, session.client, session.clock)?;
    if let Some(thread_end) = session.thread_end {
        thread_end.set(1);
    }
    Some(thread)
}
