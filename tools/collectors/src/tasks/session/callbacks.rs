//! Callbacks of the events: each one updates the record of the thread that it runs on.

use std::ffi::c_int;

use client::Callback;

use super::dispatch::{at_once, in_a_task, on_event, on_event_at};
use super::overhead::leave;
use super::{SESSION, Session};
use crate::roll::add;
use crate::tasks::nesting::Nesting;
use crate::tasks::thread::Thread;

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
    // Its address is in this frame.
    let mark = 0_u8;
    let base = &raw const mark as usize & !(align_of::<usize>() - 1);
    on_event(|session, _, thread, at| {
        thread.nesting.begin_create(&thread.books, at, || session.client.task());
        let origin = thread.origin(base);
        thread.nesting.creating(origin.place, origin.taskloop);
        leave::<0>(session, thread, at);
    });
}

extern "C" fn end_create_at_once(_: c_int) {
    if !at_once(|thread| thread.nesting.become_task(&mut thread.books)) {
        end_create::<true>();
    }
}

extern "C" fn end_create_deferred(_: c_int) {
    end_create::<false>();
}

#[inline(never)]
fn end_create<const AT_ONCE: bool>() {
    on_event(|session, pool, thread, at| {
        let ids = || session.client.task_and_parent();
        thread.nesting.end_create(&mut thread.books, pool, at, AT_ONCE, ids);
        leave::<1>(session, thread, at);
    });
}

extern "C" fn begin_execution(_: c_int) {
    if !at_once(begins) {
        begin_measured();
    }
}

/// A task begins whose creation was not measured. What lies between that and its body is the way through library and host, and our
/// callbacks.
#[inline(always)]
fn begins(thread: &mut Thread) -> bool {
    let Thread { nesting, way, costs: [creation, ..], books, .. } = thread;
    if !nesting.has_become_task() {
        return false;
    }
    nesting.begin_task(|created| {
        let took = way.since(created, now);
        add(&books.slot().own, took.saturating_sub(creation.typical()));
        took
    });
    true
}

#[inline(never)]
fn begin_measured() {
    on_event_at(
        |session, thread| {
            if thread.runs_next() { begins_at_once(session, thread) } else { session.clock.now() }
        },
        |session, pool, thread, at| {
            if !thread.nesting.begin_execution(&mut thread.books, pool, at, || session.client.task()) {
                let [_, parent] = session.client.task_and_parent();
                thread.nesting.born_of(&thread.books, parent);
            }
            leave::<2>(session, thread, at);
        },
    );
}

extern "C" fn begin_finish(_: c_int) {
    on_event(|_, _, thread, at| thread.nesting.begin_finish(at));
}

extern "C" fn end_finish(_: c_int) {
    on_event_at(
        // Where nothing lies between the two events, the clock need not be read for both.
        |session, thread| {
            if session.sees_cleanup && thread.ends_at_once {
                thread.nesting.charged_until()
            } else {
                session.clock.now()
            }
        },
        |session, pool, thread, at| {
            if !thread.nesting.end_task(&mut thread.books, at) {
                thread.nesting.end_finish(&mut thread.books, pool, at);
            }
            leave::<3>(session, thread, at);
        },
    );
}

/// The begin of a task that was created to run at once. Between the end of its creation and this there is nothing but our callback
/// there, and the way through library and host. That takes about the same each time: it is measured where the callback here is.
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
    let begin = |thread: &mut Thread| {
        let is_empty = thread.books.trusts_stack && thread.nesting.begin_empty_wait();
        if is_empty {
            add(&thread.books.slot().events, 1);
            if thread.empty_wait.is_next() {
                thread.wait_begun = now();
            }
        }
        is_empty
    };
    if !at_once(begin) {
        begin_wait();
    }
}

#[cold]
#[inline(never)]
fn now() -> u64 {
    SESSION.get().map_or(0, |session| session.clock.now())
}

#[inline(never)]
fn begin_wait() {
    on_event(|_, _, thread, at| thread.nesting.begin_suspension(at));
}

extern "C" fn end_suspend(_: c_int) {
    let end = |thread: &mut Thread| {
        let is_empty = thread.nesting.end_empty_wait();
        if is_empty {
            add(&thread.books.slot().events, 1);
            let cost = &mut thread.empty_wait;
            let took =
                if cost.is_next() { cost.measured(now().saturating_sub(thread.wait_begun)) } else { cost.unmeasured() };
            thread.nesting.skip(took);
        }
        is_empty
    };
    if !at_once(end) {
        end_wait();
    }
}

#[inline(never)]
fn end_wait() {
    on_event(|_, _, thread, at| thread.nesting.end_suspension(&thread.books, at));
}
