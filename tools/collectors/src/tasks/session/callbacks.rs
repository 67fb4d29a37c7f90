//! Callbacks of the events: each one updates the record of the thread that it runs on.

use std::ffi::c_int;

use client::{Callback, CallbackWords};
use system::arch::stack_pointer;

use super::dispatch::{at_once, in_a_task, on_event, on_event_at};
use super::overhead::leave;
use super::{SESSION, Session};
use crate::roll::add;
use crate::tasks::alone;
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
    let at = now();
    let base = stack_pointer();
    if !at_once(|thread| begins_plain_create(thread, base, at)) {
        begin_any_create(base, at);
    }
}

/// The begin of a creation as most are, whose callback is not measured. `base` is in the callback's frame.
#[inline(always)]
fn begins_plain_create(thread: &mut Thread, base: usize, at: u64) -> bool {
    let [creation, ..] = &thread.costs;
    let Some(origin) = thread.last_origin(base).filter(|_| !creation.is_next()) else { return false };
    let Thread { nesting, books, costs: [creation, ..], words, .. } = thread;
    if !nesting.begin_plain_create(books, at, origin, || words.and_then(CallbackWords::creator)) {
        return false;
    }
    let took = creation.unmeasured();
    nesting.skip(took);
    let slot = books.slot();
    add(&slot.events, 1);
    add(&slot.own, took);
    alone::note(slot, true, at);
    true
}

/// The begin of any creation, below that callback's frame.
#[inline(never)]
fn begin_any_create(base: usize, at: u64) {
    on_event_at(
        |_, _| at,
        |session, _, thread, at| {
            let origin = thread.origin(base);
            let id = || session.client.task();
            if !thread.nesting.begin_plain_create(&thread.books, at, origin, || Some(id())) {
                thread.nesting.begin_create(&thread.books, at, id);
                thread.nesting.creating(origin.meaning.place, origin.meaning.taskloop);
            }
            leave::<0>(session, thread, at);
            true
        },
    );
}

extern "C" fn end_create_at_once(_: c_int) {
    if !at_once(becomes_task) {
        end_create::<true>();
    }
}

/// The end of a creation that is not measured: the task has begun, or will with the next event.
#[inline(always)]
fn becomes_task(thread: &mut Thread) -> bool {
    let Thread { nesting, way, costs: [creation, ..], books, words, .. } = thread;
    let slot = books.slot();
    // Between the creation and the body lie only the way through library and runtime adapter, and this callback.
    let way = || {
        let took = (!way.is_next()).then(|| way.unmeasured());
        took.inspect(|took| add(&slot.own, took.saturating_sub(creation.typical())))
    };
    let begun = nesting.become_task(books, way);
    if begun == Some(true)
        && let Some(words) = words
    {
        words.decline_next();
    }
    begun.is_some()
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
        thread.nesting.is_busy()
    });
}

extern "C" fn begin_execution(_: c_int) {
    if !at_once(begins) {
        begin_measured();
    }
}

/// A task begins whose creation was not measured, but the way from there to its body is.
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

/// The end of a task whose creation was not measured, in a callback that is not measured either.
#[inline(always)]
fn ends_task(thread: &mut Thread, at: u64) -> bool {
    let Thread { nesting, books, costs: [.., finish], .. } = thread;
    if finish.is_next() || !nesting.end_task(books, at) {
        return false;
    }
    let took = finish.unmeasured();
    nesting.skip(took);
    let slot = books.slot();
    add(&slot.events, 1);
    add(&slot.own, took);
    alone::note(slot, nesting.is_busy(), at);
    true
}

/// The end of any task.
#[inline(never)]
fn end_any_finish(at: u64) {
    on_event_at(
        // Where nothing lies between the two events, they are at the same time.
        |session, thread| {
            if session.sees_cleanup && thread.ends_at_once { thread.nesting.charged_until() } else { at }
        },
        |session, pool, thread, at| {
            if !thread.nesting.end_task(&thread.books, at) {
                thread.nesting.end_finish(&mut thread.books, pool, at);
            }
            leave::<3>(session, thread, at);
            thread.nesting.is_busy()
        },
    );
}

/// The begin of a task that was created to run at once. Between the end of its creation and this there is nothing but our callback
/// there, and the way through library and runtime adapter. That takes about the same each time: it is measured where the callback here is.
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
    if !at_once(begins_empty_wait) {
        begin_wait();
    }
}

/// A wait for nothing begins. Unless it is measured, its end is counted here, too.
#[inline(always)]
fn begins_empty_wait(thread: &mut Thread) -> bool {
    let Thread { nesting, books, empty_wait, wait_begun, words, .. } = thread;
    let Some(words) = words.filter(|_| books.trusts_stack) else { return false };
    if !nesting.begin_empty_wait() {
        return false;
    }
    add(&books.slot().events, 1);
    if empty_wait.is_next() {
        *wait_begun = now();
    } else if nesting.end_empty_wait() {
        nesting.skip(empty_wait.unmeasured());
        words.decline_next();
    }
    true
}

#[inline(never)]
fn begin_wait() {
    on_event(|_, _, thread, at| {
        thread.nesting.begin_suspension(at);
        thread.nesting.is_busy()
    });
}

extern "C" fn end_suspend(_: c_int) {
    if !at_once(ends_empty_wait) {
        end_wait();
    }
}

/// The time now.
#[inline(always)]
fn now() -> u64 {
    SESSION.get().map_or(0, |session| session.clock.now())
}

/// A wait for nothing ends that is measured.
fn ends_empty_wait(thread: &mut Thread) -> bool {
    let is_empty = thread.nesting.end_empty_wait();
    if is_empty {
        add(&thread.books.slot().events, 1);
        if thread.wait_begun != 0 {
            let took = thread.empty_wait.measured(now().saturating_sub(thread.wait_begun));
            thread.nesting.skip(took);
        }
    }
    is_empty
}

#[inline(never)]
fn end_wait() {
    on_event(|_, _, thread, at| {
        thread.nesting.end_suspension(&thread.books, at);
        thread.nesting.is_busy()
    });
}
