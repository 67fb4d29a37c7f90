//! Detachable tasks: such a task is complete when its body is done and its event is fulfilled, in either order.
//! `omp_fulfill_event` gets libgomp's event handle; a hash table maps it to the task's record. For OMPT tools.

use super::instance::{PendingCall, Target};
use super::task_record::{Record, complete};
use ompt_core::detail::Status;
use ompt_core::thread::{Thread, here};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::*};
use system::memory::Link;

/// The largest number of incomplete detachable tasks. Further ones end, as far as tools are concerned, with their
/// bodies.
const CAPACITY: usize = 512;

/// States of a task: `OPEN` until the body is done or the event is fulfilled, then the state for whichever came first.
const OPEN: u8 = 0;
const FULFILLED: u8 = 1;
const DETACHED: u8 = 2;
/// States during a report: that of the fulfilled event comes before that of the completed body, or vice versa. The second thread waits,
/// since its report could otherwise overtake the first.
const FULFILLING: u8 = 3;
const DETACHING: u8 = 4;

struct Place {
    /// libgomp's handle; 0 if the entry is free.
    event: AtomicUsize,
    record: Link<Record>,
    state: AtomicU8,
}

static TASKS: [Place; CAPACITY] =
    [const { Place { event: AtomicUsize::new(0), record: Link::none(), state: AtomicU8::new(OPEN) } }; CAPACITY];

/// The entries in which an event may be, the most likely one first.
fn places(event: usize) -> impl Iterator<Item = &'static Place> {
    let first = (event >> 6).wrapping_mul(0x9e37_79b9) % CAPACITY;
    TASKS.iter().cycle().skip(first).take(CAPACITY)
}

fn find(event: usize) -> Option<&'static Place> {
    // Acquire: pairs with the compare-exchange in `note`, before which the task's record was written.
    places(event).find(|place| place.event.load(Acquire) == event)
}

/// Records that a detachable task was created.
pub(super) fn note(event: usize, record: &'static Record) {
    // AcqRel: pairs with the store in `forget`, after which the entry no longer belongs to its last task, and with the load in `find`.
    let free = |place: &&Place| place.event.compare_exchange(0, event, AcqRel, Relaxed).is_ok();
    if let Some(place) = places(event).find(free) {
        place.state.store(OPEN, Relaxed);
        // The link publishes the record, and the state that was stored before it.
        place.record.set(Some(record));
    }
}

/// Changes the state from `OPEN` to `state`, or waits until the other report is done: false if that came first. The wait is bounded: a tool
/// may have terminated that thread.
fn go_first(place: &Place, state: u8) -> bool {
    for _ in 0..1 << 20 {
        // Acquire on failure: pairs with the stores of `DETACHED` in `is_detached` and of `FULFILLED` in `report`: the first
        // report happens-before the second. Success publishes nothing of its own.
        match place.state.compare_exchange(OPEN, state, AcqRel, Acquire) {
            Ok(_) => return true,
            Err(FULFILLING | DETACHING) => std::thread::yield_now(),
            Err(_) => return false,
        }
    }
    false
}

/// Records that the body is done; true if the task is complete. If not, [`is_detached`] has to be called after the report to tools.
pub(super) fn body_is_done(event: usize) -> bool {
    let Some(place) = find(event) else { return true };
    if go_first(place, DETACHING) {
        return false;
    }
    forget(place);
    true
}

/// Ends the report that the body is done.
pub(super) fn is_detached(event: usize) {
    // Release: pairs with the failing compare-exchange in `go_first`, by which `report` comes second.
    find(event).inspect(|place| place.state.store(DETACHED, Release));
}

fn forget(place: &Place) {
    place.record.set(None);
    // Release: pairs with the compare-exchange in `note`: the next task's record comes after this null.
    place.event.store(0, Release);
}

/// `omp_fulfill_event`. Fortran's also takes the event by value.
#[inline(always)]
pub(super) fn fulfil<T: Target<Arguments = (usize,), Result = ()>>(call: PendingCall<'_, T>) {
    let (event,) = call.arguments();
    here().inspect(|thread| report(thread, event));
    call.go_on();
}

/// Reports the fulfilled event. Called before libgomp gets the event: the task's memory may be freed afterwards.
fn report(thread: &'static Thread, event: usize) {
    let Some(place) = find(event) else { return };
    // A task is not complete before its event is fulfilled (OpenMP 5.0, 2.10.1), which happens after this call.
    let Some(record) = place.record.get() else { return };
    let task = &record.task;
    if go_first(place, FULFILLING) {
        thread.tasks().fulfil(task, Status::EarlyFulfil);
        // Release: pairs with the failing compare-exchange in `go_first`, by which `body_is_done` comes second.
        place.state.store(FULFILLED, Release);
    } else {
        complete(record.end());
        thread.tasks().fulfil(task, Status::LateFulfil);
        forget(place);
    }
}
