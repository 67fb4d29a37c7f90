//! Overhead of the callbacks and of the path to them, which is kept out of the times of tasks.

use super::Session;
use crate::tasks::thread::Thread;
use stat_layout::process_table::add;

/// Ends the callback with this number.
#[inline(always)]
pub(super) fn leave<const CALLBACK: usize>(session: &Session, thread: &mut Thread, at: u64) {
    let Some(cost) = thread.costs.get_mut(CALLBACK) else { return };
    let is_measured = cost.is_next();
    let took = cost.since(at, || session.clock.now());
    let asks = CALLBACK == 3 && is_measured && cost.is_time_for_a_request();
    thread.nesting.skip(took);
    add(&thread.sums.slot().own, took);
    if asks {
        time_request(session, thread);
    }
}

/// Measures a request: the path of an event through the runtime adapter and the library can't be measured.
#[cold]
#[inline(never)]
fn time_request(session: &Session, thread: &mut Thread) {
    let begun = session.clock.now();
    session.client.task();
    let answered = session.clock.now();
    let done = session.clock.now();
    // Reading the clock takes as long as between the last two.
    let took = answered.saturating_sub(begun).saturating_sub(done.saturating_sub(answered));
    let [.., end] = &thread.costs;
    thread.sums.slot().request.put(took, end.is_new());
    thread.nesting.skip(done.saturating_sub(begun));
}
