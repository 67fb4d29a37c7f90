//! Detachable tasks: such a task is complete when its body is done and its event is fulfilled, whichever comes last. Who
//! fulfils an event names it by libgomp's handle; which task that is stands here. For tools that want to know of calls.
#![allow(unsafe_code)] // calls libgomp; links to tasks in its memory

use super::bank::real;
use ompt_core::detail::Status;
use ompt_core::task::Task;
use ompt_core::thread::{Thread, here};
use std::ptr::{self, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering::*};

/// How many detachable tasks can be under way at once. Further ones end, for tools, with their bodies.
const PLACES: usize = 512;

/// Neither the body is done nor the event fulfilled; then one of them.
const OPEN: u8 = 0;
const FULFILLED: u8 = 1;
const DETACHED: u8 = 2;
/// The body isn't done, and tools are being told that the event is fulfilled: before they hear that the body is done.
const TOLD: u8 = 3;

struct Place {
    /// libgomp's handle; 0 where the place is free.
    event: AtomicUsize,
    task: AtomicPtr<Task>,
    state: AtomicU8,
}

static TASKS: [Place; PLACES] =
    [const { Place { event: AtomicUsize::new(0), task: AtomicPtr::new(null_mut()), state: AtomicU8::new(OPEN) } };
        PLACES];

/// The places where an event may stand, the likeliest first.
fn places(event: usize) -> impl Iterator<Item = &'static Place> {
    let first = (event >> 6).wrapping_mul(0x9e37_79b9) % PLACES;
    TASKS.iter().cycle().skip(first).take(PLACES)
}

fn find(event: usize) -> Option<&'static Place> {
    places(event).find(|place| place.event.load(Acquire) == event)
}

/// A detachable task was created.
pub(super) fn note(event: usize, task: &'static Task) {
    let free = |place: &&Place| place.event.compare_exchange(0, event, AcqRel, Relaxed).is_ok();
    if let Some(place) = places(event).find(free) {
        place.state.store(OPEN, Relaxed);
        place.task.store(ptr::from_ref(task).cast_mut(), Release);
    }
}

/// The body of a detachable task is done: whether the task is complete.
pub(super) fn body_is_done(event: usize) -> bool {
    let Some(place) = find(event) else { return true };
    while let Err(state) = place.state.compare_exchange(OPEN, DETACHED, AcqRel, Acquire) {
        if state != TOLD {
            forget(place);
            return true;
        }
        std::thread::yield_now();
    }
    false
}

fn forget(place: &Place) {
    place.task.store(null_mut(), Relaxed);
    place.event.store(0, Release);
}

/// `omp_fulfill_event`.
///
/// # Safety
/// As the routine asks for.
pub(super) unsafe extern "C-unwind" fn fulfil<const B: usize, const E: usize>(event: usize) {
    here().inspect(|thread| tell(thread, event));
    // SAFETY: takes the event and returns nothing.
    let real: unsafe extern "C-unwind" fn(usize) = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { real(event) };
}

/// The same in Fortran.
///
/// # Safety
/// As the routine asks for.
pub(super) unsafe extern "C-unwind" fn fulfil_at<const B: usize, const E: usize>(event: *const usize) {
    // SAFETY: the caller's event.
    here().inspect(|thread| tell(thread, unsafe { event.read() }));
    // SAFETY: takes the event's address and returns nothing.
    let real: unsafe extern "C-unwind" fn(*const usize) = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { real(event) };
}

/// Before the event is fulfilled: the task's memory may be gone afterwards.
fn tell(thread: &'static Thread, event: usize) {
    let Some(place) = find(event) else { return };
    // SAFETY: a task that is not complete keeps its memory, and it is not complete before its event is fulfilled.
    let Some(task) = (unsafe { place.task.load(Acquire).as_ref() }) else { return };
    if place.state.compare_exchange(OPEN, TOLD, AcqRel, Acquire).is_ok() {
        thread.fulfil_task(task, Status::EarlyFulfil);
        place.state.store(FULFILLED, Release);
    } else {
        thread.fulfil_task(task, Status::LateFulfil);
        forget(place);
    }
}
