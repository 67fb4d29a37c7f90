//! Helper threads: a call runs on another thread while the calling thread waits, so that all steps are ordered.
#![allow(unsafe_code)] // lends a closure to another thread, for as long as the lender waits

use crate::calls::THREAD;
use crate::model::{FRESH, OTHER, WORKER, with};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};
use std::thread::{self, Thread};

/// Call that a thread runs for another one. It is in the lender's frame.
struct Job {
    call: *mut (dyn FnMut() + 'static),
    lender: Thread,
    done: AtomicBool,
    failed: AtomicBool,
}

/// Mailbox of a thread: its next job, or null.
#[derive(Default)]
struct Mailbox(AtomicPtr<Job>);

/// A thread and its mailbox. A job costs two wake-ups and no other system calls: with all threads on one core
/// ([`stay_on_one_core`](crate::setup::stay_on_one_core)) that takes a few microseconds.
struct Helper {
    thread: Thread,
    mailbox: &'static Mailbox,
}

static HELPERS: OnceLock<[Helper; 2]> = OnceLock::new();

fn helpers() -> &'static [Helper; 2] {
    HELPERS.get_or_init(|| [WORKER, OTHER].map(spawn))
}

fn spawn(helper: usize) -> Helper {
    let mailbox: &'static Mailbox = Box::leak(Box::default());
    let handle = thread::spawn(move || {
        THREAD.set(helper);
        loop {
            let job = mailbox.0.swap(ptr::null_mut(), Acquire); // pairs with the store in `lend`
            // SAFETY: null, or the job of a lender that is waiting.
            match unsafe { job.as_ref() } {
                Some(job) => run(job),
                None => thread::park(),
            }
        }
    });
    Helper { thread: handle.thread().clone(), mailbox }
}

/// Runs a job, and wakes the lender, even if the job fails.
fn run(job: &Job) {
    struct Finished<'a>(&'a Job);
    impl Drop for Finished<'_> {
        fn drop(&mut self) {
            self.0.failed.store(thread::panicking(), Relaxed);
            let lender = self.0.lender.clone();
            // Pairs with the lender's load. The job may be gone after this store.
            self.0.done.store(true, Release);
            lender.unpark();
        }
    }
    let finished = Finished(job);
    // SAFETY: the lender is waiting, so the call that it lent still exists, and no other thread uses it.
    let call = unsafe { &mut *finished.0.call };
    call();
}

/// Runs a call on the helper's thread, and waits for it.
///
/// # Panics
/// If the call panics there.
#[allow(clippy::needless_lifetimes)] // the lifetime is what it is about
pub(crate) fn lend<'a>(helper: usize, job: &'a mut (dyn FnMut() + Send + 'a)) {
    let [worker, other] = helpers();
    let there = if helper == WORKER { worker } else { other };
    let before = take_turn(helper);
    let call: *mut (dyn FnMut() + Send + 'a) = job;
    // SAFETY: only the lifetime changes; the thread no longer uses the call when this function returns.
    let call: *mut (dyn FnMut() + 'static) = unsafe { std::mem::transmute(call) };
    let mut job = Job { call, lender: thread::current(), done: AtomicBool::new(false), failed: AtomicBool::new(false) };
    // Pairs with the thread's swap.
    there.mailbox.0.store(&raw mut job, Release);
    there.thread.unpark();
    // Pairs with the thread's last store.
    while !job.done.load(Acquire) {
        thread::park();
    }
    assert!(!job.failed.load(Relaxed), "the thread goes on");
    give_back(before);
}

/// Runs a call on a new thread, and waits for that thread's end. `last` runs after the job, before the thread ends.
///
/// # Panics
/// If the call panics there.
pub(crate) fn on_a_fresh_thread(job: &mut (dyn FnMut() + Send)) {
    let before = take_turn(FRESH);
    thread::scope(|scope| {
        let run = || {
            THREAD.set(FRESH);
            job();
        };
        scope.spawn(run).join().expect("the thread goes on");
    });
    give_back(before);
}

fn take_turn(helper: usize) -> usize {
    with(|model| {
        model.thread().busy = true;
        std::mem::replace(&mut model.current, helper)
    })
}

fn give_back(before: usize) {
    with(|model| {
        model.current = before;
        model.thread().busy = false;
    });
}
