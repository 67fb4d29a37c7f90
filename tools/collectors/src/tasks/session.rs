//! The session of `ora tasks` in this process: begin, fork, end of a thread, exit.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;

use client::Client;

use super::call_site::ENTRIES;
use super::layout::{Area, Instance};
use super::pool::Pool;
use super::thread;
use crate::attach::{self, ThreadEnd, at_exit, at_fork};
use crate::clock::monotonic_ns;
use crate::member::MEMBER;
use crate::objects::OBJECTS;
use crate::ticks::Source;
use callbacks::{BEGIN_FINISH, EVENTS, callback};

mod callbacks;
mod dispatch;
mod overhead;

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

/// Called in turn with the destructors of others, in rounds: some of those may still raise events, so the slot is given
/// away in the second round only.
extern "C" fn on_thread_end(round: *mut c_void) {
    let Some(session) = SESSION.get() else { return };
    if round.addr() == 1 {
        if let Some(thread_end) = session.thread_end {
            thread_end.set(2);
        }
    } else if let Some(thread) = thread::take_last() {
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
