//! Fast path of explicit tasks: `GOMP_task` with few arguments, without a copy function and the rarer clauses, inside a region.
//!
//! The work for such a task takes about as many instructions as libgomp's own part, and its frames are small, since undeferred tasks nest
//! on the stack. If there is anything else to do, the whole call is passed on to [`task`] or [`task_run`] before anything has happened; so
//! the compiler keeps nothing on the stack for them here.
//!
//! libgomp gets a copy of the arguments followed by a [`FastRecord`], in one [`Block`]. Its address is the thread's depth during the
//! creation, by which [`run`] recognises a task that libgomp runs immediately.
//!
//! [`task`]: super::task
//! [`task_run`]: super::task_run
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::arguments::TaskFunction;
use super::instance::{PendingCall, Target, function_as, runtime};
use super::task::{self, NewTask, flag};
use super::task_record::{Block, FEW_WORDS, FastRecord, Record, fill};
use super::task_run::{self, Function};
use super::task_trampoline::{STEP, TRAMPOLINE};
use ompt_core::at_once::{Clock, stage};
use ompt_core::dispatch::Token;
use ompt_core::fast_task::{FastTasks, level};
use ompt_core::task::Task;
use ompt_core::task::flag::UNDEFERRED;
use ompt_core::thread::Thread;
use ompt_core::tls::get;
use std::cell::Cell;
use std::mem::{offset_of, transmute};
use std::sync::atomic::AtomicUsize;
use system::arch::{call_with_frame, stack_pointer};

/// `GOMP_task`, with the arguments that are read for such a task: function, data, copy function, size, alignment, whether it may be queued,
/// flags.
type CreateSimpleTask = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize);

/// The bit that a token leaves free.
const NOT_RUN: u64 = 1 << 63;

/// `GOMP_task`: selects the path. `OMPT`: calls are reported.
#[inline(always)]
pub(super) fn create<T: Target<Arguments = NewTask, Result = ()>, const OMPT: bool>(call: PendingCall<'_, T>) {
    let this = call.target();
    let (TaskFunction(function), data, copy, size, align, may_queue, flags, depend, priority, detach) =
        call.arguments();
    // Not read here, and passed on unchanged: an older program's call has unrelated words there.
    let rest = [depend, priority, detach];
    let longer = size & !(FEW_WORDS * 8 - 4) | copy | flags & (flag::DEPEND | flag::PRIORITY | flag::DETACH);
    // A task that libgomp discards is reported through our copy function and by our own check.
    let longer = longer != 0 || OMPT && (runtime(this.instance()).cancels() || FastTasks::reports_creations());
    if longer {
        // SAFETY: the arguments are those of the program's call of `GOMP_task`, `call`, and nothing else makes that
        // call.
        unsafe { task::create(this, function, data, copy, size, align, may_queue, flags, depend, priority, detach) }
    } else if OMPT {
        // SAFETY: the arguments are those of `call`, and nothing else makes that call; by `longer` there are few, and none of the rarer
        // clauses.
        unsafe { create_at::<T, { level::OMPT }>(this, function, data, size, align, may_queue, flags, rest) }
    } else if FastTasks::reports_tasks() {
        // SAFETY: the arguments are those of `call`, and nothing else makes that call; by `longer` there are few, and none of the rarer
        // clauses.
        unsafe { create_with_events(this, function, data, size, align, may_queue, flags) }
    } else {
        // SAFETY: the arguments are those of `call`, and nothing else makes that call; by `longer` there are few, and none of the rarer
        // clauses.
        unsafe { create_at::<T, { level::TRACKED }>(this, function, data, size, align, may_queue, flags, rest) }
    }
}

/// Creates a task at [`level::EVENTS`]. It takes no more arguments than there are registers for, so the jump from [`create`] leaves no
/// frame.
///
/// # Safety
/// As for [`create_at`].
#[inline(never)]
unsafe fn create_with_events<T: Target<Arguments = NewTask, Result = ()>>(
    this: T,
    function: usize,
    data: usize,
    size: usize,
    align: usize,
    may_queue: usize,
    flags: usize,
) {
    // SAFETY: `create_at` requires what this function's `# Safety` says.
    unsafe { create_at::<T, { level::EVENTS }>(this, function, data, size, align, may_queue, flags, [0; 3]) }
}

/// Creates a task at a [`level`] of reports. `rest` are the arguments after the flags.
///
/// # Safety
/// As for the entry's function; there are few arguments, without a copy function and the rarer clauses.
#[allow(clippy::too_many_arguments)] // libgomp's
#[inline(always)]
unsafe fn create_at<T: Target<Arguments = NewTask, Result = ()>, const LEVEL: u8>(
    this: T,
    function: usize,
    data: usize,
    size: usize,
    align: usize,
    may_queue: usize,
    flags: usize,
    [depend, priority, detach]: [usize; 3],
) {
    let prepare =
        |thread: &'static Thread| Some((thread, thread.fast_tasks().prepare_creation::<LEVEL>(stack_pointer())?));
    let Some((thread, (creation, name))) = get().and_then(prepare) else {
        // SAFETY: by this function's `# Safety` the arguments are those of the program's call of `GOMP_task`; with these flags none after
        // them is read.
        return unsafe {
            task::create(this, function, data, 0, size, align, may_queue, flags, depend, priority, detach)
        };
    };
    let (distance, trampoline) = fast_place::<LEVEL>(size);
    let mut block = Block::EMPTY;
    let word = (&raw mut block).cast::<u64>();
    let start = word.wrapping_byte_add(offset_of!(Block, words)).cast::<u8>();
    let token = thread.fast_tasks().begin_creation::<LEVEL>(creation, start.addr());
    match LEVEL {
        // SAFETY: `word` is the first one of `block`.
        level::EVENTS => unsafe { word.write(token.bits() | NOT_RUN) },
        // SAFETY: likewise.
        level::OMPT => unsafe { word.write(distance as u64) },
        _ => {}
    }
    let task = Task::new(name);
    if LEVEL == level::OMPT {
        task.set_flags(task::task_flags(creation.is_in_final(), flags));
    }
    let record = FastRecord { record: Record { task, function, end: AtomicUsize::new(0), cancellation: 0 }, data };
    // SAFETY: the words of `block`, which lives until this function returns, at a distance from `fast_place`; by this function's `# Safety`
    // there are few arguments, of `size` bytes.
    let made = unsafe { fill(start, distance, record, size) };
    // SAFETY: the entry is `GOMP_task` (libgomp_g.h), and bound, since its wrapper runs; with these flags libgomp reads no argument after
    // `flags` (libgomp's task.c, `GOMP_task`).
    let real: CreateSimpleTask = unsafe { function_as(this) };
    let (whole, align) = (distance + size_of::<FastRecord>(), align.max(align_of::<Record>()));
    let mut copy = 0;
    if LEVEL == level::OMPT && FastTasks::reports_new_tasks() {
        copy = reported(thread, &made.record, may_queue & 0xff == 0 || creation.is_in_final());
    }
    if LEVEL == level::EVENTS {
        thread.fast_tasks().stamp_creation::<{ stage::CREATED }>();
    }
    let counted = if LEVEL == level::TRACKED { thread.fast_tasks().counted() } else { 0 };
    // SAFETY: `real` gets the arguments of the program's call, with a trampoline and a block that fit each other instead of its function
    // and arguments.
    unsafe { real(trampoline, start.addr(), copy, whole, align, may_queue, flags) };
    // SAFETY: written above, and by `run_at_once`.
    let word = if LEVEL == level::EVENTS { unsafe { word.read() } } else { 0 };
    if word != 0 {
        thread.fast_tasks().note_queued();
    }
    if LEVEL == level::TRACKED {
        thread.fast_tasks().note_unless_counted(counted);
    }
    thread.fast_tasks().end_creation::<LEVEL>(creation, &made.record.task, Token::from_bits(word & !NOT_RUN));
}

/// Reports a new task if it runs immediately, with this block, and returns 0. libgomp copies the block of any other task: returns the
/// function that makes and reports the copy.
#[inline(always)]
fn reported(thread: &'static Thread, record: &'static Record, runs_at_once: bool) -> usize {
    if runs_at_once {
        report(thread, record, true);
        return 0;
    }
    copy_and_report as *const () as usize
}

/// Fills a task's block in memory of libgomp, if the new task is to be reported.
///
/// # Safety
/// `from` is the block that was passed to libgomp instead of the arguments, and `to` has room for as much.
unsafe extern "C-unwind" fn copy_and_report(to: *mut u8, from: *const u8) {
    // SAFETY: by this function's `# Safety` `from` is `Block::words` of a block of `create_at`, with the distance before it.
    let distance = unsafe { from.wrapping_byte_sub(offset_of!(Block, words)).cast::<usize>().read() };
    // SAFETY: by this function's `# Safety` `to` has room for arguments and record: `create_at` asked libgomp for `distance` and a
    // `FastRecord`; the two are different blocks.
    unsafe { to.copy_from_nonoverlapping(from, distance + size_of::<FastRecord>()) };
    let Some(thread) = get() else { return };
    // libgomp keeps the blocks of undeferred tasks on the stack, and those of queued tasks elsewhere.
    let at_once = to.addr() > stack_pointer() && to.addr() < from.addr();
    if at_once {
        thread.fast_tasks().move_creation(to.addr());
    }
    // SAFETY: the record was just copied into the block that libgomp keeps until the task is gone (libgomp's task.c).
    report(thread, unsafe { &*to.wrapping_add(distance).cast::<Record>() }, at_once);
}

/// Reports a new task, whose block is complete.
#[inline(always)]
fn report(thread: &'static Thread, record: &'static Record, at_once: bool) {
    if at_once {
        record.task.set_flags(record.task.flags() | UNDEFERRED);
    }
    thread.tasks().report_new(&record.task, record.function, false);
}

/// Runs a task, through a trampoline, instead of the program's function.
///
/// # Safety
/// `block` holds the arguments, and `record` follows them.
unsafe extern "C-unwind" fn run<const LEVEL: u8>(block: *mut usize, record: *const Record) {
    if get().is_some_and(|thread| thread.current.is_at(block.addr())) {
        // SAFETY: by this function's `# Safety` `record` follows its block, and the block is at the thread's depth: the thread is in the
        // call of `create_at` that made it.
        unsafe { run_at_once::<LEVEL>(block, record.cast()) };
    } else if LEVEL == level::EVENTS {
        // SAFETY: `task_run::run` requires what this function's `# Safety` says of `block` and `record`.
        unsafe { task_run::run(block, record) };
    } else {
        // SAFETY: `run_queued` requires what this function's `# Safety` says of `block` and `record`.
        unsafe { run_queued::<LEVEL>(block, record) };
    }
}

/// Runs a task inside its creation.
///
/// # Safety
/// As for [`run`]; the thread is in the call of [`create_at`] that made the record.
#[inline(never)]
unsafe extern "C-unwind" fn run_at_once<const LEVEL: u8>(block: *mut usize, record: *const FastRecord) {
    // SAFETY: by this function's `# Safety` the thread is in the call that made the record, in a block that lives until that call returns.
    let made: &'static FastRecord = unsafe { &*record };
    // SAFETY: the task is the record's.
    let (task, function) = unsafe { parts(&raw const made.record) };
    if LEVEL == level::OMPT {
        task.set_flags(task.flags() | UNDEFERRED);
    }
    let (mut token, mut clock) = (0, Clock::NONE);
    if LEVEL == level::EVENTS {
        clock = get().map_or(Clock::NONE, |thread| thread.fast_tasks().stamp_creation::<{ stage::ENTERED }>());
        // SAFETY: by this function's `# Safety` `block` is `Block::words` of a block of `create_at`, with the token before it.
        let word = unsafe { &*block.wrapping_byte_sub(offset_of!(Block, words)).cast::<Cell<u64>>() };
        token = word.replace(0) & !NOT_RUN;
    }
    let begin = |thread: &'static Thread| {
        Some((thread, thread.fast_tasks().begin_at_once::<LEVEL>(stack_pointer(), task, Token::from_bits(token))?))
    };
    let data = made.data as *mut usize;
    let Some((thread, suspended)) = get().and_then(begin) else {
        // SAFETY: by this function's `# Safety` `record` is the task's, and `data` points to the program's arguments
        // for its function; the thread is in the call that passed them.
        return unsafe { task_run::run_in_unreported_creation(data, &raw const made.record) };
    };
    clock.stamp::<{ stage::BEGUN }>();
    // SAFETY: `function` is the program's, with the data of its own call (`create_at` stored both), in which the thread still is.
    unsafe { call::<LEVEL>(task, function, data) };
    clock.stamp::<{ stage::DONE }>();
    thread.fast_tasks().end_at_once::<LEVEL>(suspended);
}

/// Runs a task that was queued.
///
/// # Safety
/// As for [`run`].
#[inline(never)]
unsafe extern "C-unwind" fn run_queued<const LEVEL: u8>(block: *mut usize, record: *const Record) {
    // SAFETY: by this function's `# Safety` `record` is the task's, and follows its arguments.
    let (task, function) = unsafe { parts(record) };
    let begin = |thread: &'static Thread| Some((thread, thread.fast_tasks().begin::<LEVEL>(stack_pointer(), task)?));
    let Some((thread, suspended)) = get().and_then(begin) else {
        // SAFETY: `task_run::run` requires what this function's `# Safety` says of `block` and `record`.
        return unsafe { task_run::run(block, record) };
    };
    // SAFETY: `function` is the program's, and `block` begins with a copy of its arguments; libgomp would make the same call.
    unsafe { call::<LEVEL>(task, function, block) };
    thread.fast_tasks().end::<LEVEL>(suspended);
}

/// Calls a task's function, as [`task_run`] does.
///
/// # Safety
/// The function takes these arguments.
#[inline(always)]
unsafe fn call<const LEVEL: u8>(task: &Task, function: Function, arguments: *mut usize) {
    if LEVEL == level::OMPT && task_run::has_frame(task) {
        // SAFETY: by this function's `# Safety`.
        unsafe { call_with_frame(arguments, function, task.frame().exit_word()) };
    } else {
        // SAFETY: by this function's `# Safety`.
        unsafe { function(arguments) };
    }
}

/// A record's task, and the program's function.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn parts(record: *const Record) -> (&'static Task, Function) {
    // SAFETY: the record was copied along with the arguments, and exists until the task is gone. Nothing reads it later: the task is no
    // longer current when `run` returns.
    let record: &'static Record = unsafe { &*record };
    // SAFETY: compiled code passed the function to `GOMP_task`, of type `void (void *)` (libgomp_g.h); `create_at` stored it in
    // the record.
    (&record.task, unsafe { transmute::<usize, Function>(record.function) })
}

/// For few arguments of `size` bytes: the distance from their start to the record, and the trampoline for it (see
/// [`task_trampoline`](super::task_trampoline)).
#[inline(always)]
fn fast_place<const LEVEL: u8>(size: usize) -> (usize, usize) {
    let distance = (size + STEP - 1) & !(STEP - 1);
    let trampolines = match LEVEL {
        level::TRACKED => tracked_trampolines as *const (),
        level::EVENTS => events_trampolines as *const (),
        _ => ompt_trampolines as *const (),
    };
    (distance, trampolines as usize + distance * (TRAMPOLINE / STEP))
}

system::distance_table! {
    /// The trampolines of [`level::TRACKED`].
    fn tracked_trampolines, FEW_WORDS, STEP, run::<{ level::TRACKED }>
}

system::distance_table! {
    /// The trampolines of [`level::EVENTS`].
    fn events_trampolines, FEW_WORDS, STEP, note_and_run_events
}

system::distance_table! {
    /// The trampolines of [`level::OMPT`].
    fn ompt_trampolines, FEW_WORDS, STEP, note_and_run_ompt
}

system::record_again_and_jump! {
    /// Runs a task, and records its frame on a thread that has recorded a call before.
    fn note_and_run_events, "ora_thread", 16, run::<{ level::EVENTS }>
}

system::record_again_and_jump! {
    /// Like [`note_and_run_events`], for [`level::OMPT`].
    fn note_and_run_ompt, "ora_thread", 16, run::<{ level::OMPT }>
}

#[cfg(test)]
mod tests {
    use super::super::task_trampoline::tests::added;
    use super::*;

    #[test]
    fn few_arguments_have_their_trampolines() {
        for size in 0..=FEW_WORDS * STEP {
            for (distance, trampoline) in [
                fast_place::<{ level::TRACKED }>(size),
                fast_place::<{ level::EVENTS }>(size),
                fast_place::<{ level::OMPT }>(size),
            ] {
                assert!(distance >= size && distance < size + STEP && distance.is_multiple_of(8));
                assert_eq!(added(trampoline), distance, "arguments of {size} bytes");
            }
        }
    }
}
