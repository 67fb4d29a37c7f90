//! The session of `ora tasks` in this process: start, fork, end of a thread, exit.

use std::ffi::c_void;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Once, OnceLock};

use attach_inside::current::{Current, Numbered};
use attach_inside::progress::START_IMPOSSIBLE;
use ora_client::Client;

use super::call_site::ENTRIES;
use super::pool::Pool;
use super::thread;
use crate::hooks::{ThreadEnd, at_exit, at_fork};
use crate::member::MEMBER;
use crate::objects::OBJECTS;
use crate::symbols;
use callbacks::{BEGIN_FINISH, EVENTS, callback};
use stat_layout::clock::monotonic_ns;
use stat_layout::tasks::layout::{TaskInstance, TasksArea};
use stat_layout::ticks::Source;

mod callbacks;
mod dispatch;
mod overhead;

struct Session {
    area: &'static TasksArea,
    instances: &'static [TaskInstance],
    client: Client,
    clock: Source,
    /// The start of a task's end was registered for: a runtime that embeds the library shows how long that takes. On the
    /// known runtimes both events are raised at the end of the task's body.
    sees_cleanup: bool,
    thread_end: Option<ThreadEnd>,
}

static SESSION: Current<Session> = Current::none();

/// The tasks of the process that wait. Created at the first task: most processes have none.
static POOL: OnceLock<Option<Pool>> = OnceLock::new();
/// Notification of the ends of threads, which is kept for all sessions.
static THREAD_END: OnceLock<Option<ThreadEnd>> = OnceLock::new();
/// Notification of forks, which is also kept.
static FORKS: Once = Once::new();

/// Starts with this process, before `main`.
pub(crate) fn attach(area: &'static TasksArea, instances: &'static [TaskInstance]) {
    if !MEMBER.begin(&area.process_table, monotonic_ns()) {
        return;
    }
    if let Some(client) = Client::find() {
        open(area, instances, client);
    }
    if MEMBER.is_root() {
        MEMBER.claim(&area.process_table);
    }
    at_exit(on_exit);
}

/// Starts in a process that is already running, in which no session is open. Returns the answer to START.
pub(crate) fn start(area: &'static TasksArea, instances: &'static [TaskInstance]) -> i32 {
    let Some(client) = Client::find() else { return START_IMPOSSIBLE };
    if !MEMBER.begin(&area.process_table, monotonic_ns()) {
        return START_IMPOSSIBLE;
    }
    OBJECTS.clear();
    thread::begin_session();
    if let Some(Some(pool)) = POOL.get() {
        pool.clear();
    }
    if THREAD_END.get().is_none() {
        at_exit(on_exit);
    }
    let answer = open(area, instances, client);
    MEMBER.claim(&area.process_table);
    answer
}

/// True if a session is open.
pub(crate) fn is_open() -> bool {
    SESSION.get().is_some()
}

/// Closes the session in a forked child: it belongs to the parent, and an event may not have closed it.
pub(crate) fn leave_parents() {
    if let Some(current) = SESSION.get() {
        current.session.client.stop();
        SESSION.close();
    }
}

/// Ends the session of a process that continues: no callback is running any more.
pub(crate) fn stop() {
    let Some(current) = SESSION.get() else { return };
    current.session.client.stop();
    current.session.client.wait_for_callbacks();
    on_exit();
    SESSION.close();
}

fn open(area: &'static TasksArea, instances: &'static [TaskInstance], client: Client) -> i32 {
    let clock = Source::from_raw(area.process_table.header.clock.load(Relaxed));
    let thread_end = *THREAD_END.get_or_init(|| ThreadEnd::new(on_thread_end));
    let sees_cleanup = OBJECTS.find_embedding() || !symbols::has_known_runtime();
    let session = Session { area, instances, client, clock, sees_cleanup, thread_end };
    if SESSION.open(session).is_none() {
        return START_IMPOSSIBLE;
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
        FORKS.call_once(|| at_fork(after_fork));
    }
    answer
}

/// Called in turn with the destructors of others, in rounds: some of those may still raise events, so the slot is given
/// away only in the second round.
extern "C" fn on_thread_end(round: *mut c_void) {
    let Some(Numbered { session, .. }) = SESSION.get() else { return };
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
    let Some(Numbered { session, .. }) = SESSION.get() else { return };
    MEMBER.begin_again(&session.area.process_table, monotonic_ns());
    thread::forget_all();
    OBJECTS.clear();
    if let Some(Some(pool)) = POOL.get() {
        pool.clear();
    }
}

extern "C" fn on_exit() {
    if let Some(Numbered { session, .. }) = SESSION.get() {
        MEMBER.exit(&session.area.process_table, monotonic_ns());
    }
}

/// The process ends without exit handlers. Async-signal-safe.
pub(crate) fn on_quick_exit() {
    let Some(Numbered { session, .. }) = SESSION.get() else { return };
    if MEMBER.is_here(&session.area.process_table) {
        MEMBER.end(&session.area.process_table, monotonic_ns());
    }
}
