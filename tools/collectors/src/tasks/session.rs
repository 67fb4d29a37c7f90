//! The session of `ora tasks` in this process: events, fork, end of a thread, exit.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;

use client::{Callback, Client};

use super::alone;
use super::call_site::ENTRIES;
use super::layout::{Area, Instance};
use super::nesting::Nesting;
use super::pool::Pool;
use super::thread::{self, Place, Thread};
use crate::attach::{self, ThreadEnd, at_exit, at_fork};
use crate::clock::monotonic_ns;
use crate::member::MEMBER;
use crate::objects::OBJECTS;
use crate::roll::add;
use crate::ticks::Source;

const FORK: i32 = 1;
const JOIN: i32 = 2;
const BEGIN_CREATE: i32 = 23;
const END_CREATE_AT_ONCE: i32 = 24;
const END_CREATE_DEFERRED: i32 = 25;
const BEGIN_SUSPEND: i32 = 28;
const END_SUSPEND: i32 = 29;
const BEGIN_EXECUTION: i32 = 33;
const BEGIN_FINISH: i32 = 34;
const END_FINISH: i32 = 35;

const EVENTS: [i32; 9] = [
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

struct Session {
    area: &'static Area,
    instances: &'static [Instance],
    client: Client,
    clock: Source,
    /// The begin of a task's end is asked for: a runtime that embeds the library shows how long that takes. On the known ones
    /// both events are raised at the end of the task's body.
    sees_cleanup: bool,
    thread_end: Option<ThreadEnd>,
    /// Made at the first task: most processes have none.
    pool: OnceLock<Option<Pool>>,
}

static SESSION: OnceLock<Session> = OnceLock::new();

/// Begins with this process, before `main`.
pub(crate) fn attach(area: &'static Area, instances: &'static [Instance]) {
    if !MEMBER.begin(&area.roll, monotonic_ns()) {
        return;
    }
    if let Some(client) = Client::find() {
        open(area, instances, client);
    }
    if MEMBER.is_root() {
        MEMBER.claim(&area.roll);
    }
    at_exit(on_exit);
}

fn open(area: &'static Area, instances: &'static [Instance], client: Client) {
    let clock = Source::from_raw(area.roll.header.clock.load(Relaxed));
    let thread_end = ThreadEnd::new(on_thread_end);
    let sees_cleanup = OBJECTS.find_embedding() || !attach::has_known_runtime();
    let session = Session { area, instances, client, clock, sees_cleanup, thread_end, pool: OnceLock::new() };
    if SESSION.set(session).is_err() {
        return;
    }
    ENTRIES.find();
    let answer = client.start();
    MEMBER.session.store(answer.unsigned_abs() + 1, Relaxed);
    if answer == 0 {
        let mut refused = client.register(EVENTS, callback);
        if sees_cleanup {
            refused |= client.register([BEGIN_FINISH], callback);
        }
        MEMBER.refused.store(refused, Relaxed);
        at_fork(after_fork);
    }
}

fn callback(event: i32) -> Callback {
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

/// For a thread that has had to do with tasks: others are left alone.
fn in_a_task(then: impl FnOnce(&mut Nesting)) {
    let place = thread::here();
    match place.replace(Place::InUse) {
        Place::Has(thread) => {
            then(&mut thread.nesting);
            place.set(Place::Has(thread));
        }
        Place::InUse => {}
        other => place.set(other),
    }
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

/// When a task begins that was created to run at once. Between the end of its creation and this there is nothing but our callback
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

/// The callback with this number is done.
#[inline(always)]
fn leave<const CALLBACK: usize>(session: &Session, thread: &mut Thread, at: u64) {
    let Some(cost) = thread.costs.get_mut(CALLBACK) else { return };
    let took = cost.since(at, || session.clock.now());
    let slot = thread.books.slot();
    thread.nesting.skip(took);
    add(&slot.own, took);
    if CALLBACK == 3 && cost.is_time_for_a_request() {
        time_request(session, thread);
    }
}

/// Measures a request, as the way of an event through host and library can't be.
#[cold]
#[inline(never)]
fn time_request(session: &Session, thread: &mut Thread) {
    let begun = session.clock.now();
    session.client.task();
    let answered = session.clock.now();
    let done = session.clock.now();
    // Reading the clock takes as long as between the last two.
    let took = answered.saturating_sub(begun).saturating_sub(done.saturating_sub(answered));
    let [.., end] = &thread.costs;
    thread.books.slot().request.put(took, end.is_new());
    thread.nesting.skip(done.saturating_sub(begun));
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

/// An event that takes neither time nor the pool, if `then` says so. False, and nothing done: it is as any other.
#[inline(always)]
fn at_once(then: impl FnOnce(&mut Thread) -> bool) -> bool {
    let place = thread::here();
    match place.replace(Place::InUse) {
        Place::Has(thread) => {
            let done = then(thread);
            place.set(Place::Has(thread));
            done
        }
        other => {
            place.set(other);
            false
        }
    }
}

#[inline(always)]
fn on_event(then: impl FnOnce(&Session, &Pool, &mut Thread, u64)) {
    on_event_at(|session, _| session.clock.now(), then);
}

#[inline(always)]
fn on_event_at(when: impl FnOnce(&Session, &mut Thread) -> u64, then: impl FnOnce(&Session, &Pool, &mut Thread, u64)) {
    let Some(session) = SESSION.get() else { return };
    let place = thread::here();
    let thread = match place.replace(Place::InUse) {
        Place::Has(thread) => thread,
        other => match enter_from(session, other) {
            Ok(thread) => thread,
            Err(other) => return place.set(other),
        },
    };
    let at = when(session, thread);
    add(&thread.books.slot().events, 1);
    if let Some(pool) = thread.pool {
        then(session, pool, thread, at);
        alone::note(thread.books.slot(), thread.nesting.is_busy(), at);
    }
    place.set(Place::Has(thread));
}

/// The thread, if it has none yet; else what its place is to be.
#[cold]
#[inline(never)]
fn enter_from(session: &'static Session, place: Place) -> Result<&'static mut Thread, Place> {
    match place {
        Place::Unasked => enter(session).ok_or(Place::Out),
        other => Err(other),
    }
}

fn enter(session: &'static Session) -> Option<&'static mut Thread> {
    if MEMBER.mute.load(Relaxed) {
        session.client.stop();
        return None;
    }
    let Some(pool) = session.pool.get_or_init(Pool::new) else {
        session.area.roll.count_without_memory();
        return None;
    };
    let thread = Thread::enter(session.area, session.instances, pool)?;
    if let Some(thread_end) = session.thread_end {
        thread_end.set(1);
    }
    Some(thread)
}

/// Called in turn with the destructors of others, in rounds: some of those may still raise events, so the slot is given
/// away in the second round only.
extern "C" fn on_thread_end(round: *mut c_void) {
    let Some(session) = SESSION.get() else { return };
    if round.addr() == 1 {
        if let Some(thread_end) = session.thread_end {
            thread_end.set(2);
        }
    } else if let Place::Has(thread) = thread::here().replace(Place::Out) {
        thread.leave();
    }
}

/// In a forked child. Other handlers may not have run yet and locks may be held: no request is made here.
extern "C" fn after_fork() {
    let Some(session) = SESSION.get() else { return };
    MEMBER.begin_again(&session.area.roll, monotonic_ns());
    thread::forget_all();
    OBJECTS.clear();
    if let Some(Some(pool)) = session.pool.get() {
        pool.clear();
    }
}

extern "C" fn on_exit() {
    if let Some(session) = SESSION.get() {
        MEMBER.exit(&session.area.roll, monotonic_ns());
    }
}
