//! Callbacks of the events: each one updates the record of the thread that it runs on.

use std::ffi::c_int;

use ora_client::Callback;
use system::arch::stack_pointer;

use super::dispatch::{at_once, in_a_task, on_event, on_event_at};
use super::overhead::leave;
use super::{SESSION, Session};
use crate::tasks::alone;
use crate::tasks::nesting::{Begun, Nesting};
use crate::tasks::thread::Thread;
use stat_layout::process_table::add;

const FORK: i32 = 1;
const JOIN: i32 = 2;
const BEGIN_CREATE: i32 = 23;
const END_CREATE_AT_ONCE: i32 = 24;
const END_CREATE_DEFERRED: i32 = 25;
const BEGIN_SUSPEND: i32 = 28;
const END_SUSPEND: i32 = 29;
const BEGIN_EXECUTION: i32 = 33;
pub(super) const BEGIN_FINISH: i32 = 34;
const END_FINISH: i32 = 35;

/// The events that are registered for in every session.
pub(super) const EVENTS: [i32; 9] = [
    FORK,
    JOIN,
    BEGIN_CREATE,
    END_CREATE_AT_ONCE,
    END_CREATE_DEFERRED,
    BEGIN_SUSPEND,
    END_SUSPEND,
    BEGIN_EXECUTION,
    END_FINISH,
];

/// The callback of an event.
pub(super) fn callback(event: i32) -> Callback {
    match event {
        FORK => fork,
        JOIN => join,
        BEGIN_CREATE => begin_create,
        END_CREATE_AT_ONCE => end_create_at_once,
        END_CREATE_DEFERRED => end_create_deferred,
        BEGIN_SUSPEND => begin_suspend,
        END_SUSPEND => end_suspend,
        BEGIN_EXECUTION => begin_execution,
        BEGIN_FINISH => begin_finish,
        _ => end_finish,
    }
}

extern "C" fn fork(_: c_int) {
    in_a_task(Nesting::fork);
}

extern "C" fn join(_: c_int) {
    in_a_task(Nesting::join);
}

extern "C" fn begin_create(_: c_int) {
    let at = now();
    let base = stack_pointer();
    if !at_once(|thread| begins_plain_create(thread, base, at)) {
        begin_any_create(base, at);
    }
}

/// Handles the start of a creation of the usual kind. `base` is in the callback's frame.
#[inline(always)]
fn begins_plain_create(thread: &mut Thread, base: usize, at: u64) -> bool {
    let (Some(origin), Some(words)) = (thread.last_origin(base), thread.words) else { return false };
    if words.outer_call().is_some() {
        return false;
    }
    let Thread { nesting, sums, overhead, .. } = thread;
    let Begun::Declined { stamped } = nesting.begin_plain_create(sums, overhead, at, origin, || words.creator()) else {
        return false;
    };
    words.decline_begin(thread.stamp_clock.filter(|_| stamped));
    alone::note(thread.sums.slot(), true, at);
    true
}

/// Handles the start of any creation, below that callback's frame.
#[inline(never)]
fn begin_any_create(base: usize, at: u64) {
    on_event_at(
        |_, _| at,
        |session, _, thread, at| {
            let (origin, at) = thread.origin_and_time(base, at, session.clock);
            let id = || session.client.task();
            if let Some(words) = thread.words.filter(|_| thread.sums.trusts_stack) {
                words.count_waits();
            }
            let Thread { nesting, sums, overhead, .. } = thread;
            match nesting.begin_plain_create(sums, overhead, at, origin, || Some(id())) {
                Begun::Declined { stamped } => {
                    if let Some(words) = thread.words {
                        words.decline_begin(thread.stamp_clock.filter(|_| stamped));
                    }
                    return true;
                }
                Begun::Not => {
                    nesting.begin_create(sums, at, id);
                    nesting.creating(origin.meaning.place, origin.meaning.taskloop);
                }
                Begun::Whole => {}
            }
            leave::<0>(session, thread, at);
            true
        },
    );
}

extern "C" fn end_create_at_once(_: c_int) {
    end_create::<true>();
}

extern "C" fn end_create_deferred(_: c_int) {
    end_create::<false>();
}

#[inline(never)]
fn end_create<const AT_ONCE: bool>() {
    on_event_at(
        |session, thread| {
            thread.nesting.is_created(&thread.sums, &thread.overhead);
            session.clock.now()
        },
        |session, pool, thread, at| {
            let ids = || session.client.task_and_parent();
            thread.nesting.end_create(&mut thread.sums, pool, at, AT_ONCE, ids);
            leave::<1>(session, thread, at);
            thread.nesting.is_busy()
        },
    );
}

extern "C" fn begin_execution(_: c_int) {
    on_event_at(
        |session, thread| {
            // A task that waits would have said so: the thread runs another one while the creation waits for predecessors.
            thread.nesting.is_created(&thread.sums, &thread.overhead);
            if thread.runs_next() { begins_at_once(session, thread) } else { session.clock.now() }
        },
        |session, pool, thread, at| {
            if !thread.nesting.begin_execution(&mut thread.sums, pool, at, || session.client.task()) {
                let [_, parent] = session.client.task_and_parent();
                thread.nesting.born_of(&mut thread.sums, parent);
            }
            leave::<2>(session, thread, at);
            thread.nesting.is_busy()
        },
    );
}

extern "C" fn begin_finish(_: c_int) {
    on_event(|_, _, thread, at| {
        thread.nesting.begin_finish(at);
        thread.nesting.is_busy()
    });
}

extern "C" fn end_finish(_: c_int) {
    let at = now();
    if !at_once(|thread| ends_task(thread, at)) {
        end_any_finish(at);
    }
}

/// Handles the end of a declined task, in a callback that is not measured.
#[inline(always)]
fn ends_task(thread: &mut Thread, at: u64) -> bool {
    let Thread { nesting, sums, costs: [.., finish], overhead, .. } = thread;
    if finish.is_next() || !nesting.end_task(sums, overhead, at) {
        return false;
    }
    let took = finish.unmeasured();
    nesting.skip(took);
    let slot = sums.slot();
    // The paths to this callback and back.
    add(&slot.own, took + 2 * overhead.leave());
    alone::note(slot, nesting.is_busy(), at);
    true
}

/// Handles the end of any task.
#[inline(never)]
fn end_any_finish(at: u64) {
    on_event_at(
        // If nothing lies between the two events, they have the same time.
        |session, thread| {
            if session.sees_cleanup && thread.ends_at_once { thread.nesting.charged_until() } else { at }
        },
        |session, pool, thread, at| {
            if !thread.nesting.end_task(&mut thread.sums, &mut thread.overhead, at) {
                thread.nesting.end_finish(&mut thread.sums, pool, at);
            }
            leave::<3>(session, thread, at);
            thread.nesting.is_busy()
        },
    );
}

/// The start of an undeferred task that was created. Between the end of its creation and this there is only our callback there, and the
/// path through the library and the runtime adapter. That takes about the same time in each case: it is measured when the callback here
/// is.
#[inline(always)]
fn begins_at_once(session: &Session, thread: &mut Thread) -> u64 {
    let created = thread.nesting.next_created_at();
    let [_, creation, execution, _] = &thread.costs;
    let between = thread.between.get();
    if between > 0 && !execution.is_next() {
        return created + between;
    }
    let now = session.clock.now();
    if !execution.is_next() || creation.was_measured() {
        return now;
    }
    // Reading the clock is a part of it that the others don't have.
    let again = session.clock.now();
    let took = now.saturating_sub(created).saturating_sub(again.saturating_sub(now));
    thread.between.put(took, execution.is_new());
    again
}

extern "C" fn begin_suspend(_: c_int) {
    on_event(|_, _, thread, at| {
        thread.nesting.begin_suspension(at);
        thread.nesting.is_busy()
    });
}

extern "C" fn end_suspend(_: c_int) {
    on_event(|_, _, thread, at| {
        thread.nesting.end_suspension(&thread.sums, at);
        thread.nesting.is_busy()
    });
}

/// The current time.
#[inline(always)]
fn now() -> u64 {
    SESSION.get().map_or(0, |current| current.session.clock.now())
}
