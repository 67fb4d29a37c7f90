//! Explicit tasks, the quick way: few arguments, no copy function and none of the rarer clauses, created inside of a region
//! while nobody listens to more than OMPT tools do.
//!
//! What such a task needs takes about as many instructions as libgomp's own part. Where anything else is to be done, the
//! whole call is passed on to [`task`] or [`task_run`], before anything has happened; so the compiler keeps nothing on the
//! stack for them here.
//!
//! [`task`]: super::task
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::instance::{Call, bank, function_as};
use super::task::{self, NewTask, flag};
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
#[inline(always)]
pub(super) unsafe fn create<C: Call<Arguments = NewTask, Result = ()>, const TOLD: bool>(
    this: C,
    (function, data, copy, size, align, may_queue, flags, depend, priority, detach): NewTask,
) {
    let longer = size & !(FEW * 8 - 4) | copy | flags & (flag::DEPEND | flag::PRIORITY | flag::DETACH);
    // What libgomp drops is told by our copy function and our own look at it.
    let longer = longer != 0 || TOLD && bank(this.instance()).cancels();
    let prepare = |thread: &'static Thread| Some((thread, thread.prepare_quiet_creation(stack_pointer())?));
    let prepared = if longer { None } else { get().and_then(prepare) };
    let Some((thread, (creation, task))) = prepared else {
        if !TOLD && !longer {
            // SAFETY: `longer` is 0, so that the call has few arguments and none of the rarer clauses; by this function's
            // `# Safety` they are the program's.
            return unsafe { task_heard::create(this, function, data, size, align, may_queue, flags) };
        }
        // SAFETY: by this function's `# Safety` the arguments are those of the program's call of `GOMP_task`.
        return unsafe {
            task::create(this, function, data, copy, size, align, may_queue, flags, depend, priority, detach)
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
    // SAFETY: `quick_place` gives a multiple of 8 that is at most `FEW` words, behind which the block has room for a record;
    // the block is aligned to 8.
    unsafe { place.write(record) };
    thread.begin_quiet_creation::<TOLD>(creation, start.addr());
    // SAFETY: by this function's `# Safety` `data` has `size` bytes; `block` has room for `FEW` words, and `size` is less and a
    // multiple of 4, since `longer` is 0.
    unsafe { copy_arguments(data as *const u8, start, size) };
    // SAFETY: the entry is `GOMP_task` (libgomp_g.h), and bound, since its wrapper runs; with these flags libgomp reads no
    // argument behind `flags` (libgomp's task.c, `GOMP_task`).
    let real: CreateSimpleTask = unsafe { function_as(this) };
    let (whole, align) = (distance + size_of::<QuickRecord>(), align.max(align_of::<Record>()));
    let mut copy = 0;
    if TOLD && Thread::tells_tasks() {
        if may_queue & 0xff == 0 || creation.is_in_final() {
            // It runs at once, with this block.
            // SAFETY: `place` was written above; the task runs at once, and the block lives until this function returns.
            unsafe { tell(thread, place.cast(), true) };
        } else {
            copy = copy_and_tell as *const () as usize;
        }
    }
    // SAFETY: `real` gets the arguments of the program's call, with a stub and a block that fit each other in place of its
    // function and arguments.
    unsafe { real(stub, start.addr(), copy, whole, align, may_queue, flags) };
    thread.end_quiet_creation::<TOLD>(creation);
}

/// What libgomp calls to fill a task's block where the new task is told.
///
/// # Safety
/// `from` is the block that was passed to libgomp in place of the arguments, and `to` has room for as much.
unsafe extern "C-unwind" fn copy_and_tell(to: *mut u8, from: *const u8) {
    // SAFETY: by this function's `# Safety` `from` is `Block::words` of a block of `create`, whose `distance` lies before it.
    let distance = unsafe { from.wrapping_byte_sub(offset_of!(Block, words)).cast::<usize>().read() };
    // SAFETY: by this function's `# Safety` `to` has room for arguments and record: `create` asked libgomp for `distance` and a
    // `QuickRecord`; the two are different blocks.
    unsafe { to.copy_from_nonoverlapping(from, distance + size_of::<QuickRecord>()) };
    let Some(thread) = get() else { return };
    // libgomp keeps the blocks of tasks that run at once on the stack, and queued tasks' elsewhere.
    let at_once = to.addr() > stack_pointer() && to.addr() < from.addr();
    if at_once {
        thread.move_quiet_creation(to.addr());
    }
    // SAFETY: the record was copied just now, into the block that libgomp keeps until the task is gone (libgomp's task.c).
    unsafe { tell(thread, to.wrapping_add(distance).cast(), at_once) };
}

/// Tells of a new task, whose block is complete.
///
/// # Safety
/// The record stays where it is until the task is gone.
#[inline(always)]
unsafe fn tell(thread: &'static Thread, record: *const Record, at_once: bool) {
    // SAFETY: by this function's `# Safety` the record stays where it is until the task is gone, as long as anything refers to
    // it.
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
        // SAFETY: `at + 8` is at most `size`: by this function's `# Safety` both have so many bytes.
        unsafe { copy_at::<u64>(from, to, at) };
    }
    if size & 4 != 0 {
        // SAFETY: `size` is a multiple of 4 and not 0: by this function's `# Safety` both have four bytes before its end.
        unsafe { copy_at::<u32>(from, to, size - 4) };
    }
}

/// # Safety
/// Both have a `T` there, aligned or not.
#[inline(always)]
unsafe fn copy_at<T>(from: *const u8, to: *mut u8, at: usize) {
    // SAFETY: by this function's `# Safety` `from` has a `T` at that offset.
    let from = unsafe { from.add(at) };
    // SAFETY: by this function's `# Safety` `to` has room for a `T` at that offset.
    let to = unsafe { to.add(at) };
    // SAFETY: by this function's `# Safety` there is an integer there, aligned or not.
    let value = unsafe { from.cast::<T>().read_unaligned() };
    // SAFETY: by this function's `# Safety` there is room for an integer, aligned or not.
    unsafe { to.cast::<T>().write_unaligned(value) };
}

/// What libgomp runs, by way of a stub, for tasks that were created here.
///
/// # Safety
/// `block` holds the arguments, and `record` lies behind them.
pub(super) unsafe extern "C-unwind" fn run<const TOLD: bool>(block: *mut usize, record: *const Record) {
    if get().is_some_and(|thread| thread.is_at(block.addr())) {
        // SAFETY: by this function's `# Safety` `record` is behind its block, and the block is at the thread's depth: the
        // thread is in the call of `create` that made it.
        unsafe { run_at_once::<TOLD>(record) };
    } else {
        // SAFETY: `run_queued` asks for what this function's `# Safety` says of `block` and `record`.
        unsafe { run_queued::<TOLD>(block, record) };
    }
}

/// A task runs inside of its creation.
///
/// # Safety
/// As for [`run`]; the thread is in the call of [`create`] that creates the task.
#[inline(never)]
unsafe extern "C-unwind" fn run_at_once<const TOLD: bool>(record: *const Record) {
    // SAFETY: by this function's `# Safety` a call of `create` made the record, which is the first field of a `QuickRecord`.
    let data = unsafe { record.wrapping_byte_add(offset_of!(QuickRecord, data)).cast::<*mut usize>().read() };
    // SAFETY: by this function's `# Safety` `record` is that of the task, in the block of the call that the thread is in.
    let (task, function) = unsafe { parts(record) };
    if TOLD {
        task.set_flags(task.flags() | UNDEFERRED);
    }
    let begin =
        |thread: &'static Thread| Some((thread, thread.begin_quiet_task_at_once::<TOLD>(stack_pointer(), task)?));
    let Some((thread, suspended)) = get().and_then(begin) else {
        // SAFETY: by this function's `# Safety` `record` is the task's, and `data` are the program's arguments for its
        // function, in whose call the thread is.
        return unsafe { task_run::run_after_quiet_creation(data, record) };
    };
    // SAFETY: `function` is the program's, with the data of its own call (`create` stored both), in which the thread still is.
    unsafe { function(data) };
    thread.end_quiet_task_at_once::<TOLD>(suspended);
}

/// A task runs that was queued.
///
/// # Safety
/// As for [`run`].
#[inline(never)]
unsafe extern "C-unwind" fn run_queued<const TOLD: bool>(block: *mut usize, record: *const Record) {
    // SAFETY: by this function's `# Safety` `record` is that of the task, behind its arguments.
    let (task, function) = unsafe { parts(record) };
    let begin = |thread: &'static Thread| Some((thread, thread.begin_quiet_task::<TOLD>(stack_pointer(), task)?));
    let Some((thread, suspended)) = get().and_then(begin) else {
        // SAFETY: `task_run::run` asks for what this function's `# Safety` says of `block` and `record`.
        return unsafe { task_run::run(block, record) };
    };
    // SAFETY: `function` is the program's, and `block` begins with a copy of its arguments; libgomp would make the same call.
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
    // SAFETY: compiled code passed the function to `GOMP_task`, of type `void (void *)` (libgomp_g.h); `create` stored it in
    // the record.
    (&record.task, unsafe { transmute::<usize, Function>(record.function) })
}
