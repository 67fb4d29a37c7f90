//! What a tool may ask about the calling thread, at any time. Async-signal-safe: loads, and the runtime's own word for
//! threads that were never seen.

use crate::host;
use crate::region::Region;
use crate::state::State;
use crate::thread::{Thread, is_initial};
use crate::tls;

/// What a thread does, where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Its state.
    pub state: State,
    /// What it waits for; without meaning in states that don't wait.
    pub wait_id: u64,
    /// The id of the region that it executes, or 0.
    pub region: u64,
}

/// What the calling thread does, if its own record says all of it: a few loads. Else ask [`now`].
#[inline(always)]
pub fn plain_now() -> Option<Moment> {
    let thread = tls::get()?;
    let now = thread.now();
    Thread::is_plain(now).then(|| Moment { state: Thread::state_in(now), wait_id: thread.wait_id(), region: now >> 8 })
}

/// What the calling thread does.
#[inline(never)]
pub fn now() -> Moment {
    if let Some(moment) = plain_now() {
        return moment;
    }
    let unseen = match tls::ended_as_worker() {
        true => State::Idle,
        false if host::in_parallel() => State::WorkParallel,
        false => State::WorkSerial,
    };
    let Some(thread) = tls::get() else { return Moment { state: unseen, wait_id: 0, region: 0 } };
    let (now, wait_id) = (thread.now(), thread.wait_id());
    let region = now >> 8;
    if !Thread::is_leaving(now) {
        Moment { state: unseen, wait_id, region }
    } else if thread.region().is_some_and(|record| record.is_open(region)) {
        Moment { state: State::WaitBarrierImplicitParallel, wait_id, region }
    } else {
        Moment { state: State::Idle, wait_id, region: 0 }
    }
}

/// The id of the region around the current one, or 0; `None` on a thread that is not its region's primary thread (and not
/// the initial thread outside of all regions).
pub fn parent_region() -> Option<u64> {
    let Some(thread) = tls::get() else { return is_initial().then_some(0) };
    match now().region {
        0 => thread.is_initial().then_some(0),
        id => own(thread, id).filter(|r| r.is_primary(thread)).map(Region::parent),
    }
}

/// The record of a region that the thread is in. A handler may come while the stack of regions changes: the id decides.
fn own(thread: &Thread, id: u64) -> Option<&'static Region> {
    std::iter::successors(thread.region(), |region| region.enclosing()).find(|region| region.id() == id)
}
