//! Registry of threads: a thread gets its record when it is first seen, and loses it at its end, or in a forked child.

use super::{Thread, ids};
use crate::adapter;
use crate::callback_pin::CallbackPin;
use crate::identity::Kind;
use crate::interface::Interface;
use crate::packed_state::PackedState;
use crate::state::State;
use crate::tls;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};
use system::memory::{Link, Record, Records, page};
use system::threads::{self, Ends, Owned};

/// All records ever created; a record is reused when its thread has ended.
static ALL: Records<Thread> = Records::none();
static ENDS: Ends<Thread> = Ends::unwatched();
/// The initial thread's thread pointer.
static INITIAL: AtomicUsize = AtomicUsize::new(0);

/// A record's entry in the registry.
pub(super) struct Entry {
    /// True while the record belongs to a thread.
    used: AtomicBool,
    next: Link<Thread>,
    next_free: AtomicU64,
}

system::zeroed!(Entry { used, next, next_free });

/// The calling thread's record, created when the thread is first seen. `None` if the system refuses memory: the thread
/// is then not reported.
#[inline(always)]
pub fn here() -> Option<&'static Thread> {
    match tls::get() {
        Some(thread) => Some(thread),
        None => first_sight(if is_initial() { Kind::Initial } else { Kind::Other }),
    }
}

/// Like [`here`]; if the thread is new, it is one of its runtime's workers.
#[inline(always)]
pub fn here_as_worker() -> Option<&'static Thread> {
    match tls::get() {
        Some(thread) => Some(thread),
        None => first_sight(Kind::Worker),
    }
}

#[cold]
fn first_sight(kind: Kind) -> Option<&'static Thread> {
    let thread = ALL.take(page::<Thread>)?;
    let now = match adapter::unseen_state() {
        // The thread is in a region that was never seen: its runtime has to be queried.
        State::WorkParallel => PackedState::UNSEEN,
        // The worker is starting.
        State::WorkSerial if kind == Kind::Worker => PackedState::new(0, State::Overhead),
        state => PackedState::new(0, state),
    };
    thread.identity.renew(kind, ids::take());
    thread.activity.set_now(now);
    thread.own_task.renew_initial();
    thread.current.renew(&thread.own_task, adapter::derives_implicit_tasks().then_some(&thread.own_task.task));
    thread.open_spans.renew();
    thread.binding.renew();
    thread.reporting.renew();
    thread.adapter.renew();
    thread.announced.renew();
    thread.callback.renew();
    ENDS.watch(thread);
    tls::set_ended_as_worker(false);
    tls::set(Some(thread));
    thread.announce();
    if kind == Kind::Worker {
        thread.team().go_idle();
    }
    Some(thread)
}

/// True if the pin of another thread shows that the thread is inside a callback of the interface.
pub(crate) fn another_calls_back(interface: Interface) -> bool {
    let me = tls::get();
    let others =
        // Acquire: pairs with the store in `Records::take`; publishes that the record has an owner.
        ALL.all().filter(|thread| thread.entry.used.load(Acquire) && !me.is_some_and(|me| std::ptr::eq(me, *thread)));
    others.map(|thread| thread.callback.pin(interface)).any(CallbackPin::is_set)
}

impl Owned for Thread {
    fn thread_ends(&'static self) {
        leave(self);
    }
}

impl Record for Thread {
    fn used(&self) -> &AtomicBool {
        &self.entry.used
    }

    fn next(&self) -> &Link<Self> {
        &self.entry.next
    }

    fn next_free(&self) -> &AtomicU64 {
        &self.entry.next_free
    }
}

/// True if the calling thread is the initial one. Async-signal-safe: two loads.
pub(crate) fn is_initial() -> bool {
    system::arch::thread_pointer() == INITIAL.load(Relaxed)
}

/// Prepares for ends of threads, and records the initial thread. Called once while the library is being loaded.
pub fn set_up() {
    ENDS.set_up();
    if threads::is_first() {
        INITIAL.store(system::arch::thread_pointer(), Relaxed);
    }
}

/// Reports the end of the calling thread. Called by a thread that ends, outside of all code of its runtime and of the
/// program, while its thread-local objects still exist. A thread that doesn't call it reports its end when they have
/// been destroyed.
pub fn end() {
    if let Some(thread) = tls::get() {
        ENDS.forgo();
        leave(thread);
    }
}

/// Takes the record away from the calling thread.
fn leave(thread: &'static Thread) {
    thread.finish();
    tls::set_ended_as_worker(thread.identity.is_worker());
    tls::set(None);
    ids::give_back(thread.id());
    ALL.give_back(thread);
}

/// Takes the records away from all threads except the calling one, the only and initial thread of a forked child.
pub fn after_fork() {
    let me = tls::get();
    INITIAL.store(system::arch::thread_pointer(), Relaxed);
    for thread in ALL.all() {
        if me.is_some_and(|me| std::ptr::eq(me, thread)) {
            thread.identity.set_kind(Kind::Initial);
            thread.mutexes.survive();
        } else {
            thread.mutexes.forget();
            // Another thread may already have the number of one that has ended.
            if thread.entry.used.load(Relaxed) {
                ids::give_back(thread.id());
            }
        }
    }
    ALL.give_back_others(me);
}
