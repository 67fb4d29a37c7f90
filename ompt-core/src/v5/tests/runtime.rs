//! The runtime: it raises every event, and has regions of two threads.

use super::tool::Tool;
use crate::event::EventSet;
use crate::host::{self, Host};
use crate::region::{Encounter, Form, Region};
use crate::thread::{self, Thread};
use crate::tls::{self, Call};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

struct Played;

impl Host for Played {
    fn capabilities(&self) -> EventSet {
        EventSet::from_bits(u64::MAX)
    }

    fn track(&self) {}

    fn tracks_tasks(&self) -> bool {
        true
    }

    fn tells_implicit_tasks(&self) -> bool {
        true
    }

    fn in_parallel(&self) -> bool {
        false
    }
}

/// One test at a time, with a runtime of its own as far as it can tell, on a thread that was never seen.
pub(in crate::v5) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    static INSTALLED: Once = Once::new();
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    INSTALLED.call_once(|| assert!(host::install(&Played)));
    crate::v5::session::forget();
    Tool::forget();
    guard
}

/// Addresses that calls return to; the tool sees them as they are.
pub(super) const CALL: usize = 0x1000;
pub(super) const BARRIER: usize = 0x2000;
/// What regions execute.
pub(super) const FUNCTION: usize = 0x5000;

/// The program makes a call of its runtime that returns there.
pub(super) fn call(return_address: usize) -> Call {
    let call = Call { return_address, frame: 0x7000 };
    tls::set_call(call);
    call
}

/// The calling thread meets a parallel construct, executes it as its primary thread, and ends it.
pub(super) fn region(thread: &'static Thread, body: impl FnOnce(&'static Region)) {
    let encounter = Encounter { call: call(CALL), function: FUNCTION, requested: 2 };
    let region = thread.new_region(Form::Call, encounter).unwrap();
    thread.begin_region(region);
    thread.start_implicit_task(region);
    deeper(|| {
        start(thread, region, 0);
        body(region);
        thread.begin_last_barrier();
    });
    thread.end_region(region);
}

/// Frames of what happens in a region lie below the one that the region was met in.
#[inline(never)]
pub(super) fn deeper(act: impl FnOnce()) {
    std::hint::black_box([0_u64; 32]);
    act();
}

/// The calling thread starts to execute the region with this number.
fn start(thread: &'static Thread, region: &'static Region, number: u32) {
    thread.take_place(region, number, 2, 0x6000);
    thread.start_work(0x6000);
}

/// A worker executes its part of the region, to the end, and ends.
pub(super) fn work(region: &'static Region, body: impl FnOnce() + Send) {
    on_a_thread(|| {
        let thread = thread::here_as_worker().unwrap();
        thread.enter_as_worker(region, usize::MAX);
        start(thread, region, 1);
        deeper(body);
        thread.begin_last_barrier();
        thread.return_to_pool();
        thread.retire();
    });
}

/// A thread of the program's own, which ends when this is done.
pub(super) fn initial(body: impl FnOnce(&'static Thread) + Send) {
    on_a_thread(|| {
        let thread = thread::here().unwrap();
        body(thread);
        thread.retire();
    });
}

pub(super) fn on_a_thread(act: impl FnOnce() + Send) {
    let done = std::thread::scope(|scope| scope.spawn(act).join());
    if let Err(panic) = done {
        std::panic::resume_unwind(panic);
    }
}
