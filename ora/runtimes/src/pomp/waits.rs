//! Waits of threads for each other: barriers, taskwait, critical and ordered regions; and atomic updates.
//!
//! OPARI removes the implicit barriers of a program and puts explicit ones in their places, between two calls that mark them as
//! implicit.
#![allow(unsafe_code)] // what the program passes

use super::call::Call;
use super::names::Entry;
use super::sites::{self, Site};
use super::{constructs, task_ids, task_records};
use ompt_core::detail::{Detail, Mutex};
use ompt_core::event::{Event, Span};
use ompt_core::state::State;
use ompt_core::task::Task;
use ompt_core::thread::{Thread, here};
use ompt_core::wait::Wait;
use std::ptr::from_ref;
use std::sync::atomic::Ordering::*;

/// The construct of a call that passes its description, as the argument of this number behind the handle.
///
/// # Safety
/// `call` is as [`Call`] says, and that argument is one of OPARI's strings, or null.
unsafe fn named(call: &Call, argument: usize) -> Option<&'static Site> {
    let string = call.rest.get(argument).copied().unwrap_or(0) as *const u8;
    // SAFETY: the handle is as `Call` says; the string by this function's `# Safety`.
    unsafe { sites::assign(call.handle, string) }
}

/// Writes the current task's value to the program's place for it, before a wait in which the thread may execute other tasks
/// (figure 5 of Lorenz et al.).
///
/// # Safety
/// The call's second argument is the program's place for that, as [`Call`] says.
unsafe fn save_task(call: &Call) {
    if call.mode.is_forwarded() {
        return;
    }
    let task = if call.mode.is_alone() { here().and_then(|thread| thread.current_task()) } else { None };
    // SAFETY: the second argument is a place for a task's value (by this function's `# Safety`): writable, 8 bytes, aligned.
    unsafe { (call.second() as *mut u64).write(saved(task, call)) };
}

/// The value that the program keeps for its thread's current task: the address of its record, where it is known.
#[inline(always)]
pub(super) fn saved(task: Option<&'static Task>, call: &Call) -> u64 {
    match task {
        Some(task) => from_ref(task) as u64,
        None if call.mode.is_counted() => task_ids::save(),
        None => 0,
    }
}

/// Restores the current task's id from the value that the program has kept.
#[inline(always)]
pub(super) fn restore_counted(call: &Call) {
    if call.mode.is_counted() {
        task_ids::restore(call.second() as u64);
    }
}

/// Restores the thread's current task, on whatever stack its runtime has put the others.
#[inline(always)]
pub(super) fn restore_task(thread: &'static Thread, call: &Call) {
    // Another library's value is foreign here.
    if let Some(record) = task_records::at(call.second() as u64)
        && !thread.current_task().is_some_and(|current| std::ptr::eq(current, &raw const record.task))
    {
        thread.switch_task(Some(&record.task));
    }
}

/// Begins a wait of the thread, up to [`end_wait`].
pub(super) fn begin_wait(thread: &'static Thread, frame: usize, span: Span, state: State, wait_id: u64) {
    let Some(record) = task_records::current(thread) else { return thread.announce_wait(frame, span, state, wait_id) };
    let wait = thread.begin_wait_at(frame, span, state, wait_id);
    record.wait.iter().zip(wait.into_words()).for_each(|(place, word)| place.store(word, Relaxed));
}

pub(super) fn end_wait(thread: &'static Thread) {
    let Some(record) = task_records::current(thread) else { return thread.end_announced() };
    let words = record.wait.each_ref().map(|place| place.load(Relaxed));
    let [first, ..] = &record.wait;
    first.store(0, Relaxed);
    Wait::from_words(words).into_iter().for_each(|wait| thread.end_wait(wait));
}

/// `POMP2_Barrier_enter`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn barrier_enter(entry: Entry, call: &Call) {
    // SAFETY: `POMP2_Barrier_enter(handle, old_task, string)` (`pomp2_lib.h`): the third argument is OPARI's string.
    unsafe { named(call, 1) };
    // SAFETY: `POMP2_Barrier_enter(handle, old_task, string)` (`pomp2_lib.h`): the second argument is the place.
    unsafe { save_task(call) };
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        thread.close_constructs();
        thread.announce_barrier(call.frame, Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit);
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Barrier_exit`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn barrier_exit(entry: Entry, call: &Call) {
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        restore_task(thread, call);
        thread.end_announced();
    }
    restore_counted(call);
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Implicit_barrier_enter`: announces that the barrier which follows is an implicit one, other than its runtime reports.
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn implicit_enter(entry: Entry, call: &Call) {
    // SAFETY: `POMP2_Implicit_barrier_enter(handle, old_task)` (`pomp2_lib.h`): the second argument is the place.
    unsafe { save_task(call) };
    if call.mode.is_watched()
        && let Some((thread, site)) = here().zip(sites::of(call.handle))
    {
        if call.mode.is_alone() {
            constructs::pass_single(thread);
        }
        if site.construct().is_parallel() {
            thread.announce_last_barrier();
        } else {
            thread.close_constructs();
            thread.announce_barrier(call.frame, Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare);
        }
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Implicit_barrier_exit`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn implicit_exit(entry: Entry, call: &Call) {
    if call.mode.is_watched()
        && let Some(thread) = here()
    {
        if call.mode.is_alone() {
            restore_task(thread, call);
        }
        thread.end_announced();
    }
    restore_counted(call);
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Taskwait_begin`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn taskwait_begin(entry: Entry, call: &Call) {
    // SAFETY: `POMP2_Taskwait_begin(handle, old_task, string)` (`pomp2_lib.h`): the third argument is OPARI's string.
    unsafe { named(call, 1) };
    // SAFETY: `POMP2_Taskwait_begin(handle, old_task, string)` (`pomp2_lib.h`): the second argument is the place.
    unsafe { save_task(call) };
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        begin_wait(thread, call.frame, Span::TASK_WAIT, State::WaitTaskwait, 0);
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Taskwait_end`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn taskwait_end(entry: Entry, call: &Call) {
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        restore_task(thread, call);
        end_wait(thread);
    }
    restore_counted(call);
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

fn detail(kind: Mutex, wait_id: u64) -> Detail<'static> {
    Detail::Mutex { kind, wait_id, hint: 0 }
}

/// The thread and the construct of a call, if the runtime has no adapter.
fn alone(call: &Call) -> Option<(&'static Thread, &'static Site)> {
    if call.mode.is_alone() { here().zip(sites::of(call.handle)) } else { None }
}

/// `POMP2_Critical_enter`: the thread waits if another thread is inside.
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn critical_enter(entry: Entry, call: &Call) {
    // SAFETY: `POMP2_Critical_enter(handle, string)` (`pomp2_lib.h`): the second argument is OPARI's string.
    unsafe { named(call, 0) };
    if let Some((thread, site)) = alone(call) {
        let wait_id = site.mutex();
        thread.raise_with(Event::MutexAcquire, &detail(Mutex::Critical, wait_id));
        if thread.mutexes().request(wait_id, false) {
            begin_wait(thread, call.frame, Span::CRITICAL_WAIT, State::WaitCritical, wait_id);
        }
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Critical_begin`: the thread is inside.
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn critical_begin(entry: Entry, call: &Call) {
    if let Some((thread, site)) = alone(call) {
        end_wait(thread);
        thread.mutexes().acquire(site.mutex());
        thread.raise_with(Event::MutexAcquired, &detail(Mutex::Critical, site.mutex()));
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Critical_exit`: the thread has left.
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn critical_exit(entry: Entry, call: &Call) {
    if let Some((thread, site)) = alone(call) {
        thread.mutexes().release(site.mutex());
        thread.raise_with(Event::MutexReleased, &detail(Mutex::Critical, site.mutex()));
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Ordered_enter`: the thread waits for its turn. Whether it already has it is not known.
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn ordered_enter(entry: Entry, call: &Call) {
    // SAFETY: `POMP2_Ordered_enter(handle, string)` (`pomp2_lib.h`): the second argument is OPARI's string.
    unsafe { named(call, 0) };
    if let Some((thread, site)) = alone(call) {
        let wait_id = from_ref(site) as u64;
        thread.raise_with(Event::MutexAcquire, &detail(Mutex::Ordered, wait_id));
        if thread.region().is_some() {
            begin_wait(thread, call.frame, Span::ORDERED_WAIT, State::WaitOrdered, wait_id);
        }
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Ordered_begin`: the thread has its turn.
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn ordered_begin(entry: Entry, call: &Call) {
    if let Some((thread, site)) = alone(call) {
        end_wait(thread);
        thread.raise_with(Event::MutexAcquired, &detail(Mutex::Ordered, from_ref(site) as u64));
        thread.open_ordered();
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Ordered_end`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn ordered_end(entry: Entry, call: &Call) {
    if let Some((thread, _)) = alone(call) {
        thread.close_ordered();
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Ordered_exit`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn ordered_exit(entry: Entry, call: &Call) {
    if let Some((thread, site)) = alone(call) {
        thread.raise_with(Event::MutexReleased, &detail(Mutex::Ordered, from_ref(site) as u64));
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Atomic_enter`: gcc does the update with an instruction, or, if there is none for it, under a lock of its runtime.
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn atomic_enter(entry: Entry, call: &Call) {
    // SAFETY: `POMP2_Atomic_enter(handle, string)` (`pomp2_lib.h`): the second argument is OPARI's string.
    unsafe { named(call, 0) };
    if call.mode.reports_inlined()
        && let Some((thread, site)) = here().zip(sites::of(call.handle))
    {
        thread.open_atomic(from_ref(site) as u64);
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Atomic_exit`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn atomic_exit(entry: Entry, call: &Call) {
    if call.mode.reports_inlined()
        && let Some((thread, site)) = here().zip(sites::of(call.handle))
    {
        thread.close_atomic(from_ref(site) as u64);
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}
