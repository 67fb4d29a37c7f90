//! Threads that do something while another one waits for it: all steps have one order.
#![allow(unsafe_code)] // lends a closure to another thread, for as long as the lender waits

use crate::calls::ACTOR;
use crate::stage::{FRESH, OTHER, WORKER, with};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// What a thread is lent.
struct Errand(*mut (dyn FnMut() + 'static));

// SAFETY: `lend` takes `Send` closures only.
unsafe impl Send for Errand {}

struct Thread {
    errands: SyncSender<Errand>,
    done: std::sync::Mutex<Receiver<()>>,
}

static THREADS: OnceLock<[Thread; 2]> = OnceLock::new();

fn threads() -> &'static [Thread; 2] {
    THREADS.get_or_init(|| [WORKER, OTHER].map(spawn))
}

fn spawn(actor: usize) -> Thread {
    let (errands, inbox) = sync_channel::<Errand>(0);
    let (outbox, done) = sync_channel(0);
    thread::spawn(move || {
        ACTOR.set(actor);
        for errand in inbox {
            // SAFETY: the lender waits, so what it lent is still there and nobody else's.
            let errand = unsafe { &mut *errand.0 };
            errand();
            if outbox.send(()).is_err() {
                return;
            }
        }
    });
    Thread { errands, done: std::sync::Mutex::new(done) }
}

/// Runs this on the actor's thread, and waits for it.
///
/// # Panics
/// If the thread is gone: something failed there.
#[allow(clippy::needless_lifetimes)] // the lifetime is what it is about
pub(crate) fn lend<'a>(actor: usize, errand: &'a mut (dyn FnMut() + Send + 'a)) {
    let thread = if actor == WORKER { &threads()[0] } else { &threads()[1] };
    let before = take_turn(actor);
    let pointer: *mut (dyn FnMut() + Send + 'a) = errand;
    // SAFETY: only the lifetime changes; the thread is done with it when this function returns.
    let pointer: *mut (dyn FnMut() + 'static) = unsafe { std::mem::transmute(pointer) };
    thread.errands.send(Errand(pointer)).expect("the thread is there");
    let done = thread.done.lock().expect("nobody panics with it");
    done.recv().expect("the thread goes on");
    give_back(before);
}

/// Runs this on a thread that was just made, and waits for that thread's end. `last` runs when the errand is done, and the
/// thread's own end is still to come.
///
/// # Panics
/// If something failed there.
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
