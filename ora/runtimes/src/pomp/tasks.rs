//! Explicit tasks of a runtime without an adapter, by the method of Lorenz et al., "How to reconcile event-based performance analysis with
//! tasking in OpenMP" (2010). A new task gets a value where it is created, which the program passes to the call where it begins. Around
//! each point at which a thread may switch to another task, the program keeps the value of its current task.
//!
//! A tied task begins and ends on one thread, so the task that was suspended there continues when the tied task ends. For untied tasks that
//! is true only if their runtime switches tasks nowhere else, like libgomp (section 6 of the paper).

use super::call::Call;
use super::call::signature::{Create, Handle, Value};
use super::task_ids::TaskPlace;
use super::task_records::{self, Mark, Record};
use super::thread_fields::Fields;
use super::waits::{restore_counted, restore_task, saved};
use ompt_core::explicit_task::Creation;
use ompt_core::task::flag::{EXPLICIT, UNDEFERRED, UNTIED};
use ompt_core::thread::{Thread, here};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::*;

/// `POMP2_Task_create_begin`
#[inline(always)]
pub(super) fn create_begin(call: Call<'_, Create>) {
    create(call, EXPLICIT);
}

/// `POMP2_Untied_task_create_begin`
#[inline(always)]
pub(super) fn untied_create_begin(call: Call<'_, Create>) {
    create(call, EXPLICIT | UNTIED);
}

#[inline(always)]
fn create(call: Call<'_, Create>, flags: u32) {
    call.named();
    let thread = if call.mode.is_alone() { here() } else { None };
    let creator = thread.and_then(|thread| thread.current.task());
    let record = thread.and_then(|thread| begin_creation(thread, call.frame, flags, call.mode.records_calls()));
    let mut value = record.map_or(0, Record::address);
    let new = call.new_task();
    if call.mode.is_forwarded() {
        let mut theirs = 0_u64;
        call.forward_into(&mut theirs);
        match record {
            Some(record) => record.theirs.store(theirs, Relaxed),
            None => value = theirs,
        }
    } else {
        call.save(saved(creator, call.mode));
    }
    new.name(value);
}

/// Begins the creation of a task on the thread, and gives the task a record. `ompt`: an OMPT tool is attached.
#[inline(always)]
pub(super) fn begin_creation(thread: &'static Thread, frame: usize, flags: u32, ompt: bool) -> Option<&'static Record> {
    let record = task_records::new(thread)?;
    let quick = if ompt { None } else { thread.fast_tasks().begin_unreported_creation(frame, &record.task, flags) };
    let creation = quick.unwrap_or_else(|| {
        let creation = thread.tasks().begin_creation(frame);
        thread.tasks().name_new(&record.task, flags);
        thread.tasks().report_new(&record.task, 0, false);
        creation
    });
    let [begun, token, now, depth, ..] = creation.into_words();
    store(&record.creation, [begun, token, now, depth]);
    record.outer.store(thread.current.creating() as u64, Relaxed);
    #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
    thread.current.set_creating(record.address() as usize);
    Some(record)
}

/// Ends the creation that the thread is in: the task is queued, or has run.
#[inline(always)]
pub(super) fn end_creation(thread: &'static Thread) {
    if let Some(record) = task_records::at(thread.current.creating() as u64) {
        if let Some(creation) = creation_of(record) {
            thread.tasks().end_creation(&record.task, false, creation);
        }
        #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
        thread.current.set_creating(record.outer.load(Relaxed) as usize);
        record.mark(thread, Mark::Created);
    }
}

/// `POMP2_Task_create_end`: the task is queued, or has run.
#[inline(always)]
pub(super) fn create_end(call: Call<'_, Value>) {
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        restore_task(thread, &call);
        end_creation(thread);
    }
    restore_counted(&call);
    call.forward();
}

/// `POMP2_Task_begin`
#[inline(always)]
pub(super) fn begin(call: Call<'_, Value>) {
    let value = call.value();
    let record = task_records::at(value);
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        match record {
            Some(record) => execute(thread, record, call.frame, call.mode.records_calls()),
            None => _ = Fields::of(thread).unrecorded_tasks.fetch_add(1, Relaxed),
        }
    }
    if call.mode.is_counted() {
        TaskPlace::of_call(call.mode).begin_unasked();
    }
    if call.mode.is_forwarded() {
        // The value that the other library wrote for this task in `create`.
        call.forward_with(record.map_or(value, |record| record.theirs.load(Relaxed)));
    }
}

/// Begins the task on the thread; within its creation, if the thread is just creating it.
#[inline(always)]
pub(super) fn execute(thread: &'static Thread, record: &'static Record, frame: usize, ompt: bool) {
    // Just above the stack pointer of the task's body: the calls that the body makes later come from this very stack pointer, and its frame
    // is there.
    let frame = frame + 1;
    let creating = thread.current.creating() as u64 == record.address();
    let creation = if creating { creation_of(record) } else { None };
    let suspended = match creation {
        Some(creation) => {
            record.is_at_once();
            record.task.set_flags(record.task.flags() | UNDEFERRED);
            let quick =
                if ompt { None } else { thread.fast_tasks().begin_unreported_at_once(frame, &record.task, creation) };
            quick.unwrap_or_else(|| thread.tasks().begin_at_once(frame, &record.task, creation))
        }
        None => thread.tasks().begin(frame, &record.task),
    };
    record.suspended.keep(suspended);
}

/// `POMP2_Task_end`
#[inline(always)]
pub(super) fn end(call: Call<'_, Handle>) {
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        let unknown = Fields::of(thread).unrecorded_tasks;
        match task_records::current(thread) {
            _ if unknown.load(Relaxed) != 0 => _ = unknown.fetch_sub(1, Relaxed),
            Some(record) => finish(thread, record),
            None => {}
        }
    }
    if call.mode.is_counted() {
        TaskPlace::of_call(call.mode).end();
    }
    call.forward();
}

#[inline(always)]
pub(super) fn finish(thread: &'static Thread, record: &'static Record) {
    if let Some(suspended) = record.suspended.take() {
        if !thread.fast_tasks().end_unreported(&suspended) {
            thread.tasks().end(suspended);
        }
        record.mark(thread, Mark::Done);
    }
}

#[inline(always)]
pub(super) fn store<const N: usize>(places: &[AtomicU64; N], words: [u64; N]) {
    places.iter().zip(words).for_each(|(place, word)| place.store(word, Relaxed));
}

/// Takes the words out: the first one is 0 afterwards.
#[inline(always)]
fn take<const N: usize>(places: &[AtomicU64; N]) -> [u64; N] {
    let words = places.each_ref().map(|place| place.load(Relaxed));
    if let Some(first) = places.first() {
        first.store(0, Relaxed);
    }
    words
}

/// Takes the task's creation out, if it is not over.
#[inline(always)]
fn creation_of(record: &Record) -> Option<Creation> {
    let [begun, token, now, depth] = take(&record.creation);
    Creation::from_words([begun, token, now, depth, 0, 0])
}
