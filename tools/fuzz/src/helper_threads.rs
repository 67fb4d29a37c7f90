//! Helper threads: a call runs on another thread while the calling one waits, so that all steps have one order.
#![allow(unsafe_code)] // lends a closure to another thread, for as long as the lender waits

use crate::calls::ACTOR;
use crate::stage::{FRESH, OTHER, WORKER, with};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};
use std::thread::{self, Thread};

/// A call that a thread runs for another one. It lies in the lender's frame.
struct Errand {
    call: *mut (dyn FnMut() + 'static),
    lender: Thread,
    done: AtomicBool,
    failed: AtomicBool,
}

/// Mailbox of a thread: its next errand, or null.
#[derive(Default)]
struct Desk(AtomicPtr<Errand>);

/// A thread and its mailbox. An errand costs two wake-ups and no other system work: with everything on one core
/// ([`stay_on_one_core`](crate::setting::stay_on_one_core)) that takes a few microseconds.
struct Actor {
    thread: Thread,
    desk: &'static Desk,
}

static ACTORS: OnceLock<[Actor; 2]> = OnceLock::new();

fn actors() -> &'static [Actor; 2] {
    ACTORS.get_or_init(|| [WORKER, OTHER].map(spawn))
}

fn spawn(actor: usize) -> Actor {
    let desk: &'static Desk = Box::leak(Box::default());
    let handle = thread::spawn(move || {
        ACTOR.set(actor);
        loop {
            let errand = desk.0.swap(ptr::null_mut(), Acquire);
            // SAFETY: null, or the errand of a lender that waits.
            match unsafe { errand.as_ref() } {
                Some(errand) => run(errand),
                None => thread::park(),
            }
        }
    });
    Actor { thread: handle.thread().clone(), desk }
}

/// Runs an errand, and wakes the lender, even if the errand fails.
fn run(errand: &Errand) {
    struct Tell<'a>(&'a Errand);
    impl Drop for Tell<'_> {
        fn drop(&mut self) {
            self.0.failed.store(thread::panicking(), Relaxed);
            let lender = self.0.lender.clone();
            // Pairs with the lender's load. The errand is gone from here on.
            self.0.done.store(true, Release);
            lender.unpark();
        }
    }
    let tell = Tell(errand);
    // SAFETY: the lender waits, so the call that it lent is still there, and no other thread uses it.
    let call = unsafe { &mut *tell.0.call };
    call();
}

/// Runs a call on the actor's thread, and waits for it.
///
/// # Panics If the call panics there.
#[allow(clippy::needless_lifetimes)] // the lifetime is what it is about
pub(crate) fn lend<'a>(actor: usize, errand: &'a mut (dyn FnMut() + Send + 'a)) {
    let [worker, other] = actors();
    let there = if actor == WORKER { worker } else { other };
    let before = take_turn(actor);
    let call: *mut (dyn FnMut() + Send + 'a) = errand;
    // SAFETY: only the lifetime changes; the thread is done with it when this function returns.
    let call: *mut (dyn FnMut() + 'static) = unsafe { std::mem::transmute(call) };
    let mut errand =
        Errand { call, lender: thread::current(), done: AtomicBool::new(false), failed: AtomicBool::new(false) };
    // Pairs with the thread's swap.
    there.desk.0.store(&raw mut errand, Release);
    there.thread.unpark();
    // Pairs with the thread's last store.
    while !errand.done.load(Acquire) {
        thread::park();
    }
    assert!(!errand.failed.load(Relaxed), "the thread goes on");
    give_back(before);
}

/// Runs a call on a new thread, and waits for that thread's end. `last` runs when the errand is done, before the
/// thread's own end.
///
/// # Panics If the call panics there.
pub(crate) fn on_a_fresh_thread(errand: &mut (dyn FnMut() + Send)) {
    let before = take_turn(FRESH);
    thread::scope(|scope| {
        let run = || {
            ACTOR.set(FRESH);
            errand();
        };
        scope.spawn(run).join().expect("the thread goes on");
    });
    give_back(before);
}

fn take_turn(actor: usize) -> usize {
    with(|stage| {
        stage.actor().busy = true;
        std::mem::replace(&mut stage.current, actor)
    })
}

fn give_back(before: usize) {
    with(|stage| {
        stage.current = before;
        stage.actor().busy = false;
    });
}
