//! The session of `ora stat` in this process: events, fork, end of a thread, exit.

use std::cell::RefMut;
use std::ffi::{c_int, c_void};
use std::sync::Once;
use std::sync::atomic::Ordering::Relaxed;

use attach_inside::current::Current;
use attach_inside::progress::START_IMPOSSIBLE;
use ora_client::{Callback, Client};
use system::arch::stack_pointer;
use system::memory::reserve_pages;

use super::before::Before;
use super::member::{FREE, Local, THREAD_END, give_back, local};
use super::surroundings;
use super::timeline::{Happening, Timeline};
use super::usage::{self, Exit};
use crate::hooks::{ThreadEnd, at_exit, at_fork};
use crate::member::MEMBER;
use crate::objects::OBJECTS;
use crate::processor;
use crate::thread_clock;
use stat_layout::clock::monotonic_ns;
use stat_layout::stat::activity::Activity;
use stat_layout::stat::layout::Area;
use stat_layout::stat::watching::Kind;
use stat_layout::ticks::Source;

/// FORK, JOIN, both ends of IDLE, IBAR, EBAR, LKWT, CTWT, ODWT, ATWT and SUSPEND_TASK, and of a task's body: BEGIN_EXEC and
/// BEGIN_FINISH.
const EVENTS: [i32; 20] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 21, 22, 28, 29, 33, 34];

struct Session {
    area: &'static Area,
    client: Client,
    /// The program's start; a forked child's is later.
    begun_ns: u64,
}

static SESSION: Current<Session> = Current::none();

/// Notification of forks, which is kept for all sessions.
static FORKS: Once = Once::new();

/// Starts with this process, before `main`.
pub(crate) fn attach(area: &'static Area) {
    let begun_ns = monotonic_ns();
    if !MEMBER.begin(&area.process_table, begun_ns) {
        return;
    }
    thread_clock::begin(Source::from_raw(area.process_table.header.clock.load(Relaxed)));
    surroundings::begin();
    usage::begin();
    if let Some(mut local) = local() {
        local.born(begun_ns, Before::a_program(MEMBER.is_root()));
    }
    if let Some(client) = Client::find() {
        OBJECTS.find_embedding();
        open_session(area, client, begun_ns);
    }
    if MEMBER.is_root() {
        MEMBER.claim(&area.process_table);
    }
    at_exit(on_exit);
}

/// Starts in a process that is already running, in which no session is open. Returns the answer to START.
pub(crate) fn start(area: &'static Area) -> i32 {
    let begun_ns = monotonic_ns();
    let Some(client) = Client::find() else { return START_IMPOSSIBLE };
    if !MEMBER.begin(&area.process_table, begun_ns) {
        return START_IMPOSSIBLE;
    }
    FREE.clear();
    OBJECTS.clear();
    OBJECTS.find_embedding();
    thread_clock::begin(Source::from_raw(area.process_table.header.clock.load(Relaxed)));
    surroundings::begin();
    usage::begin();
    if THREAD_END.get().is_none() {
        at_exit(on_exit);
    }
    let answer = open_session(area, client, begun_ns);
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

/// Ends the session of a process that continues: no callback is running any more, and the figures are those of this
/// moment.
pub(crate) fn stop() {
    let Some(session) = SESSION.get() else { return };
    session.session.client.stop();
    session.session.client.wait_for_callbacks();
    on_exit();
    SESSION.close();
}

fn open_session(area: &'static Area, client: Client, begun_ns: u64) -> i32 {
    THREAD_END.get_or_init(|| ThreadEnd::new(on_thread_end));
    reserve_pages();
    if SESSION.open(Session { area, client, begun_ns }).is_none() {
        return START_IMPOSSIBLE;
    }
    let answer = client.start();
    MEMBER.session.store(answer.unsigned_abs() + 1, Relaxed);
    if answer == 0 {
        MEMBER.refused.store(client.register(EVENTS, callback), Relaxed);
        FORKS.call_once(|| at_fork(after_fork));
    }
    answer
}

/// The session, and the calling thread's record in it; `None` without a session, or if the record is in use.
#[inline(always)]
fn here() -> Option<(&'static Session, RefMut<'static, Local>)> {
    let current = SESSION.get()?;
    let mut local = local()?;
    if local.session() != current.number {
        local.renew(current.number);
    }
    Some((&current.session, local))
}

/// A callback for each frequent event, which then needn't check which event it is.
fn callback(event: i32) -> Callback {
    match event {
        1 => on_fork,
        2 => on_join,
        5 => on_arrival,
        6 => on_departure,
        28 => on_begin_task_wait,
        29 => on_end_task_wait,
        33 => on_begin_task,
        34 => on_end_task,
        _ => on_any,
    }
}

#[inline(never)]
extern "C" fn on<const EVENT: c_int>(_: c_int) {
    on_event(EVENT, stack_pointer());
}

extern "C" fn on_any(event: c_int) {
    on_event(event, stack_pointer());
}

/// FORK. A region that the thread executes alone takes a short path here, at its last barrier and at its end.
extern "C" fn on_fork(_: c_int) {
    let base = stack_pointer();
    if !alone(|local, session| local.forks_alone(&session.client, base)) {
        fork(base);
    }
}

/// Handles any FORK, below that callback's frame.
#[inline(never)]
fn fork(base: usize) {
    on_event(1, base);
}

extern "C" fn on_join(_: c_int) {
    if !alone(|local, session| local.joins_alone(session.area, &session.client)) {
        join();
    }
}

/// Handles any JOIN, preceded by the end of the region's last barrier if that event was declined.
#[inline(never)]
fn join() {
    let base = stack_pointer();
    if alone(|local, session| local.owes_departure(&session.client)) {
        on_event(6, base);
    }
    on_event(2, base);
}

extern "C" fn on_arrival(_: c_int) {
    if !alone(|local, session| local.arrives_alone(&session.client)) {
        on::<5>(5);
    }
}

extern "C" fn on_departure(_: c_int) {
    if !alone(|local, session| local.departs_alone(session.area, &session.client)) {
        on::<6>(6);
    }
}

#[inline(always)]
fn alone(then: impl FnOnce(&mut Local, &Session) -> bool) -> bool {
    let Some((session, mut local)) = here() else { return false };
    then(&mut local, session)
}

/// A task that is run in a region's work is work: the clock need not be read.
extern "C" fn on_begin_task(_: c_int) {
    if !at_work(Timeline::begin_task_at_work) {
        on::<33>(33);
    }
}

extern "C" fn on_end_task(_: c_int) {
    if !at_work(Timeline::end_task_at_work) {
        on::<34>(34);
    }
}

extern "C" fn on_begin_task_wait(_: c_int) {
    if !at_once(Happening::Begin(Activity::TaskWait)) {
        on::<28>(28);
    }
}

extern "C" fn on_end_task_wait(_: c_int) {
    if !at_once(Happening::End(Activity::TaskWait)) {
        on::<29>(29);
    }
}

#[inline(always)]
fn at_once(what: Happening) -> bool {
    let Some((session, mut local)) = here() else { return false };
    local.happens_at_once(&session.client, what)
}

#[inline(always)]
fn at_work(then: impl FnOnce(&mut Timeline) -> bool) -> bool {
    let Some((session, mut local)) = here() else { return false };
    local.task_at_work(&session.client, then)
}

/// An event. `base` is in the frame of the callback.
#[inline(always)]
fn on_event(event: c_int, base: usize) {
    let Some((session, mut local)) = here() else { return };
    let first_ns = local.begin_first();
    let is_known = match event {
        2 => local.joins_at_once(),
        6 => local.is_alone_at_barrier(session.area),
        _ => false,
    };
    let at_ns = if is_known { local.charged_until_ns() } else { local.now_ns() };
    if MEMBER.mute.load(Relaxed) {
        return session.client.stop();
    }
    let join = if event == 2 { local.join() } else { None };
    let what = if join.is_some() { join } else { happening(event, &local, &session.client) };
    if let Some(what) = what
        && (local.has_entered() || enter(session, &mut local, at_ns))
    {
        local.happens(session.area, what, at_ns, base);
        // FORK to the end of EBAR.
        let kind = if matches!(event, 1..=8) { Kind::Team } else { Kind::Other };
        if first_ns.is_none() {
            local.count(kind, at_ns, &session.client);
        }
    }
    if let Some(begun_ns) = first_ns {
        local.end_first(begun_ns);
    }
}

#[cold]
#[inline(never)]
fn enter(session: &'static Session, local: &mut Local, at_ns: u64) -> bool {
    let has_entered = local.enter(session.area, at_ns, || watch_end(1));
    if has_entered {
        local.read_words(session.client.words(), session.client.callback_words());
        local.try_requests(&session.client);
    }
    has_entered
}

#[inline(always)]
fn happening(event: c_int, local: &Local, client: &Client) -> Option<Happening> {
    use Activity::*;
    let wait =
        |begin, activity| Some(if event == begin { Happening::Begin(activity) } else { Happening::End(activity) });
    match event {
        1 => Some(Happening::Fork(local.region(client))),
        2 => Some(Happening::Join(local.region(client))),
        3 => Some(Happening::BeginIdle),
        4 => Some(Happening::EndIdle(local.region(client))),
        5 | 6 => wait(5, ImplicitBarrier),
        7 | 8 => wait(7, ExplicitBarrier),
        9 | 10 => wait(9, Lock),
        11 | 12 => wait(11, Critical),
        13 | 14 => wait(13, Ordered),
        21 | 22 => wait(21, Atomic),
        28 | 29 => wait(28, TaskWait),
        33 => Some(Happening::BeginTask),
        34 => Some(Happening::EndTask),
        _ => None,
    }
}

fn watch_end(round: usize) {
    if let Some(Some(thread_end)) = THREAD_END.get() {
        thread_end.set(round);
    }
}

/// Called in turn with the destructors of others, in rounds: some of those may still raise events, so the slot is given
/// away only in the second round.
extern "C" fn on_thread_end(round: *mut c_void) {
    let is_first = round.addr() == 1;
    if let Some((_, mut local)) = here() {
        let begun_cpu_ns = local.begin_once();
        local.close();
        local.end_once(begun_cpu_ns);
        if !is_first {
            local.leave();
        }
    }
    if is_first {
        watch_end(2);
    } else {
        give_back();
    }
}

/// In a forked child. Other handlers may not have run yet and locks may be held: no request is made here.
extern "C" fn after_fork() {
    let Some(current) = SESSION.get() else { return };
    let at_ns = monotonic_ns();
    FREE.clear();
    surroundings::begin();
    usage::begin();
    MEMBER.begin_again(&current.session.area.process_table, at_ns);
    OBJECTS.clear();
    if let Some((_, mut local)) = here() {
        local.born(at_ns, Before::a_child());
    }
}

extern "C" fn on_exit() {
    let Some(Session { area, begun_ns, .. }) = SESSION.get().map(|current| &current.session) else { return };
    let begun_cpu_ns = processor::cpu_ns();
    let exit = finish_threads(area, *begun_ns);
    MEMBER.exit(&area.process_table, exit.at_ns);
    if let Some((_, local)) = here() {
        local.count_once(processor::cpu_ns().saturating_sub(begun_cpu_ns));
    }
}

/// The process ends without exit handlers. Async-signal-safe.
pub(crate) fn on_quick_exit() {
    let Some(Session { area, begun_ns, .. }) = SESSION.get().map(|current| &current.session) else { return };
    if MEMBER.is_here(&area.process_table) {
        let exit = finish_threads(area, *begun_ns);
        MEMBER.end(&area.process_table, exit.at_ns);
    }
}

/// Counts the times of the threads that live at the process's end.
fn finish_threads(area: &Area, begun_ns: u64) -> Exit {
    let exit = Exit::now(begun_ns);
    if let Some(process) = MEMBER.number() {
        area.threads_of(process).filter(|slot| slot.end_ns.load(Relaxed) == 0).for_each(|slot| exit.finish(slot));
        if let Some(surroundings) = area.surroundings(process) {
            surroundings::exit(surroundings);
        }
    }
    exit
}
