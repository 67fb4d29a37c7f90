//! Waits of threads for each other: barriers, taskwaits, critical and ordered regions; also atomic updates.
//!
//! OPARI replaces the implicit barriers of a program by explicit ones, between two calls that mark them as implicit.

use super::call::signature::{Handle, Named, NamedPlace, Place, Value};
use super::call::{Call, WithHandle, WithPlace};
use super::mode::Mode;
use super::sites::Site;
use super::task_ids::TaskPlace;
use super::{constructs, task_records};
use ompt_core::detail::{Detail, Mutex};
use ompt_core::event::{Event, Span};
use ompt_core::state::State;
use ompt_core::task::Task;
use ompt_core::thread::{Thread, here};
use ompt_core::wait::Wait;
use std::ptr::from_ref;
use std::sync::atomic::Ordering::*;

/// Writes the current task's value to the program's variable for it, before a wait in which the thread may execute other tasks (figure 5 of
/// Lorenz et al.).
fn save_task<S: WithPlace>(call: &Call<'_, S>) {
    if call.mode.is_forwarded() {
        return;
    }
    let task = if call.mode.is_alone() { here().and_then(|thread| thread.current.task()) } else { None };
    call.save(saved(task, call.mode));
}

/// The value that the program keeps for its thread's current task: the address of its record, if it has one.
#[inline(always)]
pub(super) fn saved(task: Option<&'static Task>, mode: Mode) -> u64 {
    match task {
        Some(task) => from_ref(task) as u64,
        None if mode.is_counted() => TaskPlace::of_call(mode).save(),
        None => 0,
    }
}

/// Restores the current task's id from the value that the program has kept.
#[inline(always)]
pub(super) fn restore_counted(call: &Call<'_, Value>) {
    if call.mode.is_counted() {
        TaskPlace::of_call(call.mode).restore(call.value());
    }
}

/// Restores the thread's current task, on whichever stack its runtime has put the others.
#[inline(always)]
pub(super) fn restore_task(thread: &'static Thread, call: &Call<'_, Value>) {
    // Another library's value is foreign here.
    if let Some(record) = task_records::at(call.value())
        && !thread.current.task().is_some_and(|current| std::ptr::eq(current, &raw const record.task))
    {
        thread.current.switch_task(Some(&record.task));
    }
}

/// Begins a wait of the thread, up to [`end_wait`].
pub(super) fn begin_wait(thread: &'static Thread, frame: usize, span: Span, state: State, wait_id: u64) {
    let Some(record) = task_records::current(thread) else {
        return thread.instrumented().announce_wait(frame, span, state, wait_id);
    };
    let wait = thread.waits().begin_at(frame, span, state, wait_id);
    record.wait.iter().zip(wait.into_words()).for_each(|(place, word)| place.store(word, Relaxed));
}

pub(super) fn end_wait(thread: &'static Thread) {
    let Some(record) = task_records::current(thread) else { return thread.instrumented().end_announced() };
    let words = record.wait.each_ref().map(|place| place.load(Relaxed));
    let [first, ..] = &record.wait;
    first.store(0, Relaxed);
    Wait::from_words(words).into_iter().for_each(|wait| thread.waits().end(wait));
}

/// `POMP2_Barrier_enter`
#[inline(always)]
pub(super) fn barrier_enter(call: Call<'_, NamedPlace>) {
    call.named();
    save_task(&call);
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        thread.constructs().close_constructs();
        thread.instrumented().announce_barrier(call.frame, Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit);
    }
    call.forward();
}

/// `POMP2_Barrier_exit`
#[inline(always)]
pub(super) fn barrier_exit(call: Call<'_, Value>) {
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        restore_task(thread, &call);
        thread.instrumented().end_announced();
    }
    restore_counted(&call);
    call.forward();
}

/// `POMP2_Implicit_barrier_enter`: announces that the barrier which follows is an implicit one, unlike what its runtime reports.
#[inline(always)]
pub(super) fn implicit_enter(call: Call<'_, Place>) {
    save_task(&call);
    if call.mode.is_watched()
        && let Some((thread, site)) = here().zip(call.site())
    {
        if call.mode.is_alone() {
            constructs::pass_single(thread);
        }
        if site.construct().is_parallel() {
            thread.instrumented().announce_last_barrier();
        } else {
            thread.constructs().close_constructs();
            thread.instrumented().announce_barrier(call.frame, Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare);
        }
    }
    call.forward();
}

/// `POMP2_Implicit_barrier_exit`
#[inline(always)]
pub(super) fn implicit_exit(call: Call<'_, Value>) {
    if call.mode.is_watched()
        && let Some(thread) = here()
    {
        if call.mode.is_alone() {
            restore_task(thread, &call);
        }
        thread.instrumented().end_announced();
    }
    restore_counted(&call);
    call.forward();
}

/// `POMP2_Taskwait_begin`
#[inline(always)]
pub(super) fn taskwait_begin(call: Call<'_, NamedPlace>) {
    call.named();
    save_task(&call);
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        begin_wait(thread, call.frame, Span::TASK_WAIT, State::WaitTaskwait, 0);
    }
    call.forward();
}

/// `POMP2_Taskwait_end`
#[inline(always)]
pub(super) fn taskwait_end(call: Call<'_, Value>) {
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        restore_task(thread, &call);
        end_wait(thread);
    }
    restore_counted(&call);
    call.forward();
}

fn detail(kind: Mutex, wait_id: u64) -> Detail<'static> {
    Detail::Mutex { kind, wait_id, hint: 0 }
}

/// The thread and the construct of a call, if the runtime lacks an adapter.
fn alone<S: WithHandle>(call: &Call<'_, S>) -> Option<(&'static Thread, &'static Site)> {
    if call.mode.is_alone() { here().zip(call.site()) } else { None }
}

/// `POMP2_Critical_enter`: the thread waits if another thread is inside.
#[inline(always)]
pub(super) fn critical_enter(call: Call<'_, Named>) {
    call.named();
    if let Some((thread, site)) = alone(&call) {
        let wait_id = site.mutex();
        thread.raise_with(Event::MutexAcquire, &detail(Mutex::Critical, wait_id));
        if thread.mutexes.request(wait_id, false) {
            begin_wait(thread, call.frame, Span::CRITICAL_WAIT, State::WaitCritical, wait_id);
        }
    }
    call.forward();
}

/// `POMP2_Critical_begin`: the thread is inside.
#[inline(always)]
pub(super) fn critical_begin(call: Call<'_, Handle>) {
    if let Some((thread, site)) = alone(&call) {
        end_wait(thread);
        thread.mutexes.acquire(site.mutex());
        thread.raise_with(Event::MutexAcquired, &detail(Mutex::Critical, site.mutex()));
    }
    call.forward();
}

/// `POMP2_Critical_exit`: the thread has left.
#[inline(always)]
pub(super) fn critical_exit(call: Call<'_, Handle>) {
    if let Some((thread, site)) = alone(&call) {
        thread.mutexes.release(site.mutex());
        thread.raise_with(Event::MutexReleased, &detail(Mutex::Critical, site.mutex()));
    }
    call.forward();
}

/// `POMP2_Ordered_enter`: the thread waits for its turn. It is not known whether it already has its turn.
#[inline(always)]
pub(super) fn ordered_enter(call: Call<'_, Named>) {
    call.named();
    if let Some((thread, site)) = alone(&call) {
        let wait_id = from_ref(site) as u64;
        thread.raise_with(Event::MutexAcquire, &detail(Mutex::Ordered, wait_id));
        if thread.current.region().is_some() {
            begin_wait(thread, call.frame, Span::ORDERED_WAIT, State::WaitOrdered, wait_id);
        }
    }
    call.forward();
}

/// `POMP2_Ordered_begin`: the thread has its turn.
#[inline(always)]
pub(super) fn ordered_begin(call: Call<'_, Handle>) {
    if let Some((thread, site)) = alone(&call) {
        end_wait(thread);
        thread.raise_with(Event::MutexAcquired, &detail(Mutex::Ordered, from_ref(site) as u64));
        thread.constructs().open_ordered();
    }
    call.forward();
}

/// `POMP2_Ordered_end`
#[inline(always)]
pub(super) fn ordered_end(call: Call<'_, Handle>) {
    if let Some((thread, _)) = alone(&call) {
        thread.constructs().close_ordered();
    }
    call.forward();
}

/// `POMP2_Ordered_exit`
#[inline(always)]
pub(super) fn ordered_exit(call: Call<'_, Handle>) {
    if let Some((thread, site)) = alone(&call) {
        thread.raise_with(Event::MutexReleased, &detail(Mutex::Ordered, from_ref(site) as u64));
    }
    call.forward();
}

/// `POMP2_Atomic_enter`: gcc does the update with an instruction, or, if there is none for it, under a lock of its runtime.
#[inline(always)]
pub(super) fn atomic_enter(call: Call<'_, Named>) {
    call.named();
    if call.mode.reports_inlined()
        && let Some((thread, site)) = here().zip(call.site())
    {
        thread.instrumented().open_atomic(from_ref(site) as u64);
    }
    call.forward();
}

/// `POMP2_Atomic_exit`
#[inline(always)]
pub(super) fn atomic_exit(call: Call<'_, Handle>) {
    if call.mode.reports_inlined()
        && let Some((thread, site)) = here().zip(call.site())
    {
        thread.instrumented().close_atomic(from_ref(site) as u64);
    }
    call.forward();
}
