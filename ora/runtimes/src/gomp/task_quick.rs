//! Explicit tasks, the quick way: few arguments, no copy function and none of the rarer clauses, created inside of a region
//! while nobody listens to more than OMPT tools do.
//!
//! What such a task needs takes about as many instructions as libgomp's own part. Where anything else is to be done, the
//! whole call is passed on to [`task`] or [`task_run`], before anything has happened; so the compiler keeps nothing on the
//! stack for them here.
//!
//! [`task`]: super::task
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::bank::{bank, real};
use super::task::{self, flag};
use super::task_block::Record;
use super::task_heard;
use super::task_run::{self, Function};
use super::task_stub::quick_place;
use ompt_core::task::Task;
use ompt_core::task::flag::UNDEFERRED;
use ompt_core::thread::Thread;
use ompt_core::tls::get;
use std::cell::Cell;
use std::mem::{MaybeUninit, offset_of, transmute};
use system::arch::stack_pointer;

pub(super) type CreateSimpleTask = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize);

/// Fewer words of arguments than these are few. A power of two.
pub(super) const FEW: usize = 8;
const RECORD: usize = size_of::<QuickRecord>() / 8;

/// A task's record, and what is to be known where it runs at once.
#[repr(C)]
struct QuickRecord {
    record: Record,
    /// The program's arguments.
    data: usize,
}

/// The block that libgomp gets in place of the program's arguments. Its address (that of libgomp's own copy, where it makes
/// one on the stack) is the thread's depth meanwhile, by which [`run`] knows a task that libgomp runs at once.
#[repr(C)]
struct Block {
    /// From the arguments to the record.
    distance: usize,
    /// A copy of the program's arguments, and the record behind it.
    words: [MaybeUninit<u64>; FEW + RECORD],
}

/// `GOMP_task`. `TOLD`: calls are told.
///
/// # Safety
/// As the function asks for.
#[allow(clippy::too_many_arguments)] // libgomp's
pub(super) unsafe extern "C-unwind" fn create<const B: usize, const E: usize, const TOLD: bool>(
    function: usize,
    data: usize,
    copy: usize,
    size: usize,
    align: usize,
    may_queue: usize,
    flags: usize,
    depend: usize,
    priority: usize,
    detach: usize,
) {
    let longer = size & !(FEW * 8 - 4) | copy | flags & (flag::DEPEND | flag::PRIORITY | flag::DETACH);
    // What libgomp drops is told by our copy function and our own look at it.
    let longer = longer != 0 || TOLD && bank::<B>().cancels();
    let prepare = |thread: &'static Thread| Some((thread, thread.prepare_quiet_creation(stack_pointer())?));
    let prepared = if longer { None } else { get().and_then(prepare) };
    let Some((thread, (creation, task))) = prepared else {
        if !TOLD && !longer {
            // SAFETY: the caller's call, passed on.
            return unsafe { task_heard::create::<B, E>(function, data, size, align, may_queue, flags) };
        }
        // SAFETY: the caller's call, passed on.
        return unsafe {
            task::create::<B, E>(function, data, copy, size, align, may_queue, flags, depend, priority, detach)
        };
    };
    if TOLD {
        task.set_flags(task::task_flags(creation.is_in_final(), flags));
    }
    let (distance, stub) = quick_place::<TOLD>(size);
    let mut block = Block { distance, words: [const { MaybeUninit::uninit() }; FEW + RECORD] };
    let start = (&raw mut block.words).cast::<u8>();
    let place = start.wrapping_add(distance).cast::<QuickRecord>();
    let record = QuickRecord { record: Record { task, function, end: Cell::new(0), cancellation: 0 }, data };
    // SAFETY: the distance is a multiple of 8 and leaves room for a record; so is the block's start aligned.
    unsafe { place.write(record) };
    thread.begin_quiet_creation::<TOLD>(creation, start.addr());
    // SAFETY: the program's arguments, and room for so many.
    unsafe { copy_arguments(data as *const u8, start, size) };
    // SAFETY: the entry has these arguments; it looks at no more for these flags.
    let real: CreateSimpleTask = unsafe { real::<B, E, _>() };
    let (whole, align) = (distance + size_of::<QuickRecord>(), align.max(align_of::<Record>()));
    let mut copy = 0;
    if TOLD && Thread::tells_tasks() {
        if may_queue & 0xff == 0 || creation.is_in_final() {
            // It runs at once, with this block.
            // SAFETY: written above; the block stays until the task is over.
            unsafe { tell(thread, place.cast(), true) };
        } else {
            copy = copy_and_tell as *const () as usize;
        }
    }
    // SAFETY: the program's call, with ours in place of its function and arguments.
    unsafe { real(stub, start.addr(), copy, whole, align, may_queue, flags) };
    thread.end_quiet_creation::<TOLD>(creation);
}

/// What libgomp calls to fill a task's block where the new task is told.
///
/// # Safety
/// `from` is the block that was passed to libgomp in place of the arguments, and `to` has room for as much.
unsafe extern "C-unwind" fn copy_and_tell(to: *mut u8, from: *const u8) {
    // SAFETY: the caller's promise.
    let distance = unsafe { from.wrapping_byte_sub(offset_of!(Block, words)).cast::<usize>().read() };
    // SAFETY: the caller's promise.
    unsafe { to.copy_from_nonoverlapping(from, distance + size_of::<QuickRecord>()) };
    let Some(thread) = get() else { return };
    // libgomp keeps the blocks of tasks that run at once on the stack, and queued tasks' elsewhere.
    let at_once = to.addr() > stack_pointer() && to.addr() < from.addr();
    if at_once {
        thread.move_quiet_creation(to.addr());
    }
    // SAFETY: it was copied just now, and stays until the task is gone.
    unsafe { tell(thread, to.wrapping_add(distance).cast(), at_once) };
}

/// Tells of a new task, whose block is complete.
///
/// # Safety
/// The record stays where it is until the task is gone.
#[inline(always)]
unsafe fn tell(thread: &'static Thread, record: *const Record, at_once: bool) {
    // SAFETY: the caller's promise.
    let record: &'static Record = unsafe { &*record };
    if at_once {
        record.task.set_flags(record.task.flags() | UNDEFERRED);
    }
    thread.tell_task(&record.task, record.function, false);
}

/// Copies few arguments.
///
/// # Safety
/// As for `copy_nonoverlapping`; the size is a multiple of 4, and less than [`FEW`] words.
#[inline(always)]
pub(super) unsafe fn copy_arguments(from: *const u8, to: *mut u8, size: usize) {
    for at in (0..FEW - 1).map(|word| word * 8) {
        if at + 8 > size {
            break;
        }
        // SAFETY: within `size`.
        unsafe { copy_at::<u64>(from, to, at) };
    }
    if size & 4 != 0 {
        // SAFETY: within `size`.
        unsafe { copy_at::<u32>(from, to, size - 4) };
    }
}

/// # Safety
/// Both have a `T` there, aligned or not.
#[inline(always)]
unsafe fn copy_at<T>(from: *const u8, to: *mut u8, at: usize) {
    // SAFETY: the caller's promise.
    let from = unsafe { from.add(at) };
    // SAFETY: the caller's promise.
    let to = unsafe { to.add(at) };
    // SAFETY: the caller's promise.
    let value = unsafe { from.cast::<T>().read_unaligned() };
    // SAFETY: the caller's promise.
    unsafe { to.cast::<T>().write_unaligned(value) };
}

/// What libgomp runs, by way of a stub, for tasks that were created here.
///
/// # Safety
/// `block` holds the arguments, and `record` lies behind them.
pub(super) unsafe extern "C-unwind" fn run<const TOLD: bool>(block: *mut usize, record: *const Record) {
    if get().is_some_and(|thread| thread.is_at(block.addr())) {
        // SAFETY: the caller's call, passed on.
        unsafe { run_at_once::<TOLD>(record) };
    } else {
        // SAFETY: the caller's call, passed on.
        unsafe { run_queued::<TOLD>(block, record) };
    }
}

/// A task runs inside of its creation.
///
/// # Safety
/// As for [`run`]; the thread is in the call of [`create`] that creates the task.
#[inline(never)]
unsafe extern "C-unwind" fn run_at_once<const TOLD: bool>(record: *const Record) {
    // SAFETY: the caller's promise.
    let data = unsafe { record.wrapping_byte_add(offset_of!(QuickRecord, data)).cast::<*mut usize>().read() };
    // SAFETY: the caller's promise.
    let (task, function) = unsafe { parts(record) };
    if TOLD {
        task.set_flags(task.flags() | UNDEFERRED);
    }
    let begin =
        |thread: &'static Thread| Some((thread, thread.begin_quiet_task_at_once::<TOLD>(stack_pointer(), task)?));
    let Some((thread, suspended)) = get().and_then(begin) else {
        // SAFETY: the caller's call, passed on with the program's own arguments.
        return unsafe { task_run::run_after_quiet_creation(data, record) };
    };
    // SAFETY: what libgomp would have done itself.
    unsafe { function(data) };
    thread.end_quiet_task_at_once::<TOLD>(suspended);
}

/// A task runs that was queued.
///
/// # Safety
/// As for [`run`].
#[inline(never)]
unsafe extern "C-unwind" fn run_queued<const TOLD: bool>(block: *mut usize, record: *const Record) {
    // SAFETY: the caller's promise.
    let (task, function) = unsafe { parts(record) };
    let begin = |thread: &'static Thread| Some((thread, thread.begin_quiet_task::<TOLD>(stack_pointer(), task)?));
    let Some((thread, suspended)) = get().and_then(begin) else {
        // SAFETY: the caller's call, passed on.
        return unsafe { task_run::run(block, record) };
    };
    // SAFETY: what libgomp would have done itself.
    unsafe { function(block) };
    thread.end_quiet_task::<TOLD>(suspended);
}

/// A record's task, and the program's function.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
pub(super) unsafe fn parts(record: *const Record) -> (&'static Task, Function) {
    // SAFETY: the record was copied along with the arguments, and stays until the task is gone. Nobody looks at it later:
    // the task is not current any more when `run` returns.
    let record: &'static Record = unsafe { &*record };
    // SAFETY: the program's outlined function.
    (&record.task, unsafe { transmute::<usize, Function>(record.function) })
}
