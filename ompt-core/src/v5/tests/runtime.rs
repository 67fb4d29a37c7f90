//! The runtime: it raises every event, and has regions of two threads.

use super::tool::Tool;
use crate::adapter::{self, Adapter};
use crate::event::EventSet;
use crate::region::{Encounter, Form, Region};
use crate::thread::{self, Thread};
use crate::tls::{self, CallSite};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

struct TestAdapter;

impl Adapter for TestAdapter {
    fn capabilities(&self) -> EventSet {
        EventSet::from_bits(u64::MAX)
    }

    fn track(&self) {}

    fn tracks_tasks(&self) -> bool {
        true
    }

    fn derives_implicit_tasks(&self) -> bool {
        true
    }

    fn in_parallel(&self) -> bool {
        false
    }
}

/// Runs one test at a time, with a runtime that seems to be its own, on a thread that was never seen.
pub(in crate::v5) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    static INSTALLED: Once = Once::new();
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    INSTALLED.call_once(|| assert!(adapter::install(&TestAdapter)));
    crate::v5::session::forget();
    Tool::forget();
    Tool::knows_this_thread();
    guard
}

/// Return addresses of calls; the tool gets them unchanged.
pub(super) const CALL: usize = 0x1000;
pub(super) const BARRIER: usize = 0x2000;
/// The function that regions execute.
pub(super) const FUNCTION: usize = 0x5000;

/// Makes a call of the runtime, by the program, with that return address.
pub(super) fn call(return_address: usize) -> CallSite {
    let call = CallSite { return_address, frame: 0x7000 };
    tls::set_call(call);
    call
}

/// Encounters a parallel construct on the calling thread, executes it as the primary thread, and ends it.
pub(super) fn region(thread: &'static Thread, body: impl FnOnce(&'static Region)) {
    let encounter = Encounter { call: call(CALL), function: FUNCTION, requested: 2 };
    let region = thread.regions().encounter(Form::Call, encounter).unwrap();
    thread.regions().begin(region);
    thread.regions().start_implicit_task(region);
    deeper(|| {
        start(thread, region, 0);
        body(region);
        thread.team().begin_last_barrier();
    });
    thread.regions().end(region);
}

/// Runs `act` in a frame below the one in which the region was encountered.
#[inline(never)]
pub(super) fn deeper(act: impl FnOnce()) {
    std::hint::black_box([0_u64; 32]);
    act();
}

/// Starts to execute the region on the calling thread, with this number.
fn start(thread: &'static Thread, region: &'static Region, number: u32) {
    thread.team().take_place(region, number, 2, 0x6000);
    thread.team().start_work(0x6000);
}

/// Executes a worker's part of the region to its end, on a thread that ends afterwards.
pub(super) fn work(region: &'static Region, body: impl FnOnce() + Send) {
    on_a_thread(|| {
        let thread = thread::here_as_worker().unwrap();
        thread.team().enter(region, usize::MAX);
        start(thread, region, 1);
        deeper(body);
        thread.team().begin_last_barrier();
        thread.team().return_to_pool();
        thread.retire();
    });
}

/// Runs `body` on a thread of the program, which ends afterwards.
pub(super) fn initial(body: impl FnOnce(&'static Thread) + Send) {
    on_a_thread(|| {
        let thread = thread::here().unwrap();
        body(thread);
        thread.retire();
    });
}

pub(super) fn on_a_thread(act: impl FnOnce() + Send) {
    let act = || {
        Tool::knows_this_thread();
        act();
    };
    let done = std::thread::scope(|scope| scope.spawn(act).join());
    if let Err(panic) = done {
        std::panic::resume_unwind(panic);
    }
}
