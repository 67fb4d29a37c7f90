//! What a tool may ask about the calling thread, at any time. Async-signal-safe: loads, and the runtime's own word for
//! threads that were never seen.

use crate::host;
use crate::region::Region;
use crate::state::State;
use crate::thread::{Thread, is_initial};
use crate::tls;

/// The calling thread's state, and what it waits for (without meaning in states that don't wait).
#[inline]
pub fn state() -> (State, u64) {
    let Some(thread) = tls::get() else { return (unseen_state(), 0) };
    let now = thread.now();
    if Thread::is_leaving(now) {
        let state = if leaving(thread, now) { State::WaitBarrierImplicitParallel } else { State::Idle };
        return (state, thread.wait_id());
    }
    if Thread::is_unseen(now) {
        return (unseen_state(), 0);
    }
    (Thread::state_in(now), thread.wait_id())
}

/// The id of the region that the calling thread executes, or 0.
#[inline]
pub fn region() -> u64 {
    let Some(thread) = tls::get() else { return 0 };
    let now = thread.now();
    if Thread::is_leaving(now) && !leaving(thread, now) { 0 } else { now >> 8 }
}

/// The id of the region around the current one, or 0; `None` on a thread that is not its region's primary thread (and not
/// the initial thread outside of all regions).
#[inline]
pub fn parent_region() -> Option<u64> {
    let Some(thread) = tls::get() else { return is_initial().then_some(0) };
    match region() {
        0 => thread.is_initial().then_some(0),
        id => own(thread, id).filter(|r| r.is_primary(thread)).map(Region::parent),
    }
}

#[cold]
fn unseen_state() -> State {
    if host::in_parallel() { State::WorkParallel } else { State::WorkSerial }
}

/// Whether the last barrier of the region that a worker is leaving is still open.
fn leaving(thread: &Thread, now: u64) -> bool {
    thread.region().is_some_and(|region| region.is_open(now >> 8))
}

/// The record of a region that the thread is in. A handler may come while the stack of regions changes: the id decides.
fn own(thread: &Thread, id: u64) -> Option<&'static Region> {
    std::iter::successors(thread.region(), |region| region.enclosing()).find(|region| region.id() == id)
}
