//! Explicit tasks run: the copy function and the function that libgomp calls in place of the program's.
#![allow(unsafe_code)] // calls the program's outlined functions

use super::task_block::{CHUNK, Copying, Creating, Record, space_of_chunk, write_record};
use super::{depend, detach, task_end};
use ompt_core::detail::Status;
use ompt_core::explicit_task::Suspended;
use ompt_core::graph::{Deferral, Node};
use ompt_core::task::flag::UNDEFERRED;
use ompt_core::thread::{Thread, here};
use ompt_core::tls::{self, Call};
use std::cell::Cell;
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::Ordering::*;
use system::arch::stack_pointer;

pub(super) type Function = unsafe extern "C-unwind" fn(*mut usize);
type Copy = unsafe extern "C-unwind" fn(*mut u8, *mut usize);

/// What libgomp calls to fill a task's block, where the program has a copy function.
///
/// # Safety
/// `copying` is what was passed to libgomp in place of the arguments, and `to` has room for them and a record.
pub(super) unsafe extern "C-unwind" fn copy_arguments(to: *mut u8, copying: *const Copying<'_>) {
    // SAFETY: the caller's promise.
    let copying = unsafe { &*copying };
    let Creating { data, written, .. } = *copying.creating;
    if let (1, [event, ..]) = (written, &copying.words) {
        // SAFETY: a detachable task finds its event handle in the first word of its arguments.
        unsafe { data.write(event.get()) };
    }
    if copying.copy == 0 {
        // SAFETY: what libgomp would have done itself.
        unsafe { to.copy_from_nonoverlapping(data.cast(), copying.size) };
    } else {
        // SAFETY: the program's copy function.
        let copy: Copy = unsafe { transmute(copying.copy) };
        // SAFETY: what libgomp would have done itself.
        unsafe { copy(to, data) };
    }
    let event = match (copying.told, written, &copying.words) {
        (true, 1, [event, ..]) => event.get(),
        _ => 0,
    };
    let record = to.wrapping_add(copying.distance).cast::<Record>();
    let written = Record { end: Cell::new(event), ..copying.record.clone() };
    // SAFETY: the block has room there, and the alignment that was asked for.
    unsafe { write_record(record, written, copying.chunks_of) };
    if copying.told {
        // SAFETY: it was written just now, and stays until the task is gone.
        let record = unsafe { &*record };
        // SAFETY: the caller's promise.
        unsafe { tell_creation(copying, to.cast(), record) };
    }
}

/// A task's block is complete, and nobody has it yet.
///
/// # Safety
/// As for [`copy_arguments`].
unsafe fn tell_creation(copying: &Copying<'_>, block: *mut usize, record: &'static Record) {
    let (Some(thread), task) = (here(), &record.task) else { return };
    // Others may have run meanwhile, for which an undeferred task had to wait.
    tls::set_call(copying.creating.call);
    let at_once = is_within(copying.creating, block);
    let is_chunk = task.id() == 0;
    if is_chunk && at_once {
        // libgomp makes the blocks of all chunks first: each is told when it starts.
        return;
    }
    let chunk = is_chunk.then(|| thread.begin_chunk(stack_pointer(), task));
    if at_once {
        task.set_flags(task.flags() | UNDEFERRED);
    }
    if record.end.get() != 0 && record.end.get() != CHUNK {
        detach::note(record.end.get(), record);
    }
    thread.tell_task(task, record.function, copying.dependences != 0);
    if copying.dependences != 0 && depend::is_wanted() {
        // Who runs at once has waited for others by now.
        let deferral = if at_once { None } else { Some(Deferral::Deferred(record.end.get())) };
        // SAFETY: the caller's promise.
        let node = unsafe { depend::tell(thread, task, copying.dependences as *const usize, deferral) };
        if let Some(node) = node {
            record.end.set(Node::into_word(node));
        }
    }
    if let Some(creation) = chunk {
        thread.end_creation(task, false, creation);
    }
}

/// What libgomp runs, by way of a stub, where that takes more than [`task_quick`](super::task_quick) does.
///
/// # Safety
/// `block` holds the arguments, and `record` lies behind them.
#[inline(never)]
pub(super) unsafe extern "C-unwind" fn run(block: *mut usize, record: *const Record) {
    // SAFETY: the record was copied along with the arguments, and stays until the task is gone. Nobody looks at it later:
    // the task is not current any more when this function returns.
    let record: &'static Record = unsafe { &*record };
    // SAFETY: the program's outlined function.
    let function: Function = unsafe { transmute(record.function) };
    let Some(thread) = here() else {
        // SAFETY: what libgomp would have done itself.
        unsafe { function(block) };
        return task_end::is_complete(record.end.get());
    };
    // SAFETY: null, or a frame of the thread's own stack, which it has not left.
    let creating = unsafe { (thread.creating().load(Relaxed) as *const Creating).as_ref() };
    if let Some(creating) = creating.filter(|creating| is_within(creating, block)) {
        // SAFETY: as below.
        return unsafe { run_at_once(thread, creating, block, record) };
    }
    if record.task.id() == 0 {
        create_late(thread, record, Call::default(), false);
    }
    // SAFETY: as the record says.
    if record.cancellation != 0 && unsafe { is_cancelled(record.cancellation) } {
        task_end::is_complete(record.end.get());
        return thread.drop_task(&record.task);
    }
    if tls::call().frame != 0 {
        record.task.set_memory(ptr::from_ref(record).addr() - block.addr());
    }
    let suspended = thread.begin_task(stack_pointer(), &record.task);
    // SAFETY: the caller's promise.
    unsafe { tell_chunk(thread, block, record) };
    // SAFETY: what libgomp would have done itself.
    outside_of_creations(thread, || unsafe { function(block) });
    end(thread, record, suspended);
}

/// Reports the chunk that the current task executes, if it is one of a taskloop.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn tell_chunk(thread: &'static Thread, block: *const usize, record: &Record) {
    // SAFETY: all records of tasks that come here are made by `write_record`.
    if let Some(space) = unsafe { space_of_chunk(record) } {
        // SAFETY: libgomp has written the chunk's bounds into the first words of its arguments.
        let [begin, end] = unsafe { *block.cast::<[u64; 2]>() };
        thread.tell_taskloop_chunk(space, begin, end);
    }
}

/// Whatever a task's body does, on whichever stack, it does in none of the calls that it is executed in: what it calls itself
/// tells by its frames where it is.
#[inline(always)]
fn outside_of_creations(thread: &Thread, body: impl FnOnce()) {
    // No swap, which is a locked instruction: the word is the thread's own.
    let creating = thread.creating().load(Relaxed);
    thread.creating().store(0, Relaxed);
    body();
    thread.creating().store(creating, Relaxed);
}

/// The body of a task is done.
#[inline(always)]
fn end(thread: &'static Thread, record: &Record, suspended: Suspended) {
    let word = record.end.get();
    if word == 0 || word == CHUNK || task_end::body_is_done(word) {
        thread.end_task_as(Status::Complete, suspended);
    } else {
        thread.end_task_as(Status::Detach, suspended);
        detach::is_detached(task_end::event(word));
    }
}

/// A task runs inside of the call that creates it, which nobody has heard of. Somebody listens by now.
///
/// # Safety
/// As for [`run`].
#[cold]
pub(super) unsafe extern "C-unwind" fn run_after_quiet_creation(arguments: *mut usize, record: *const Record) {
    // SAFETY: as in `run`.
    let record: &'static Record = unsafe { &*record };
    // SAFETY: the program's outlined function.
    let function: Function = unsafe { transmute(record.function) };
    let suspended =
        here().map(|thread| (thread, thread.begin_task_after_quiet_creation(stack_pointer(), &record.task)));
    // SAFETY: what libgomp would have done itself.
    unsafe { function(arguments) };
    if let Some((thread, suspended)) = suspended {
        thread.end_task(suspended);
    }
}

/// The task runs inside of the call that creates it.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn run_at_once(thread: &'static Thread, creating: &Creating, block: *mut usize, record: &'static Record) {
    let mut arguments = block;
    if creating.original.get() || !creating.block.get().is_null() {
        // The program's own, with what libgomp wrote in front.
        arguments = creating.data;
        for i in 0..creating.written {
            // SAFETY: the block begins with such words.
            let word = unsafe { block.wrapping_add(i).read() };
            // SAFETY: so do the program's arguments.
            unsafe { arguments.wrapping_add(i).write(word) };
        }
    }
    let suspended = match creating.take() {
        Some(creation) => thread.begin_task_at_once(stack_pointer(), &record.task, creation),
        None => {
            // The chunk of a taskloop. Where it is no copy, the record was another chunk's before.
            if record.task.id() == 0 || !creating.block.get().is_null() {
                create_late(thread, record, creating.call, true);
            }
            thread.begin_task(stack_pointer(), &record.task)
        }
    };
    // SAFETY: the caller's promise.
    unsafe { tell_chunk(thread, block, record) };
    // SAFETY: the program's outlined function.
    let function: Function = unsafe { transmute(record.function) };
    // SAFETY: what libgomp would have done itself.
    outside_of_creations(thread, || unsafe { function(arguments) });
    end(thread, record, suspended);
}

/// Whether the task that libgomp is about to start is cancelled: where a task has no copy function, libgomp doesn't start it
/// then.
///
/// # Safety
/// `point` is `GOMP_cancellation_point`.
#[cold]
unsafe fn is_cancelled(point: usize) -> bool {
    /// `GOMP_CANCEL_TASKGROUP` (gcc's `gomp-constants.h`).
    const TASKGROUP: i32 = 8;
    // SAFETY: the caller's promise.
    let point: unsafe extern "C-unwind" fn(i32) -> bool = unsafe { transmute(point) };
    // SAFETY: may be called in any task.
    unsafe { point(TASKGROUP) }
}

/// A task that has no id yet is about to start.
fn create_late(thread: &'static Thread, record: &'static Record, call: Call, immediate: bool) {
    let ours = tls::call();
    tls::set_call(Call { frame: 0, ..call });
    thread.create_late(&record.task, immediate, record.function);
    tls::set_call(ours);
}

/// Whether the block belongs to a task that runs inside of this call. libgomp keeps such blocks on the stack, and queued
/// tasks' elsewhere.
#[inline(always)]
fn is_within(creating: &Creating, block: *mut usize) -> bool {
    let ours = creating.block.get();
    let above = block.addr() > stack_pointer() && block.addr() < (&raw const *creating).addr();
    if ours.is_null() { above } else { ours == block }
}
