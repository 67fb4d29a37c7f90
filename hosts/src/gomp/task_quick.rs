//! Explicit tasks, the quick way: few arguments, no copy function and none of the rarer clauses, created inside of a region
//! while nobody listens.
//!
//! What such a task needs takes about as many instructions as libgomp's own part. Where anything else is to be done, the
//! whole call is passed on to [`task`] or [`task_run`], before anything has happened; so the compiler keeps nothing on the
//! stack for them here.
//!
//! [`task`]: super::task
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::bank::real;
use super::task::{self, flag};
use super::task_block::Record;
use super::task_run::{self, Function};
use super::task_stub::quick_place;
use ompt_core::task::Task;
use ompt_core::thread::Thread;
use ompt_core::tls::{get, stack_pointer};
use std::mem::{MaybeUninit, offset_of, transmute};

type CreateSimpleTask = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize);

/// Fewer words of arguments than these are few. A power of two.
pub(super) const FEW: usize = 8;
const RECORD: usize = size_of::<Record>() / 8;

/// The block that libgomp gets in place of the program's arguments. Its address is the thread's depth meanwhile, by which
/// [`run`] knows a task that libgomp runs at once.
#[repr(C)]
struct Block {
    /// The program's arguments.
    data: usize,
    /// Their copy, and the record behind it.
    words: [MaybeUninit<u64>; FEW + RECORD],
}

/// `GOMP_task`.
///
/// # Safety
/// As the function asks for.
#[allow(clippy::too_many_arguments)] // libgomp's
pub(super) unsafe extern "C-unwind" fn create<const B: usize, const E: usize>(
    function: usize,
    data: usize,
    copy: usize,
    size: usize,
    align: usize,
    may_wait: usize,
    flags: usize,
    depend: usize,
    priority: usize,
    detach: usize,
) {
    let longer = size & !(FEW * 8 - 4) | copy | flags & (flag::DEPEND | flag::PRIORITY | flag::DETACH);
    let prepare = |thread: &'static Thread| Some((thread, thread.prepare_quiet_creation(stack_pointer())?));
    let prepared = if longer == 0 { get().and_then(prepare) } else { None };
    let Some((thread, (creation, task))) = prepared else {
        // SAFETY: the caller's call, passed on.
        return unsafe {
            task::create::<B, E>(function, data, copy, size, align, may_wait, flags, depend, priority, detach)
        };
    };
    let (distance, stub) = quick_place(size);
    let mut block = Block { data, words: [const { MaybeUninit::uninit() }; FEW + RECORD] };
    let start = (&raw mut block.words).cast::<u8>();
    // SAFETY: the distance is a multiple of 8 and leaves room for a record; so is the block's start aligned.
    unsafe {
        start.wrapping_add(distance).cast::<Record>().write(Record { task, function, event: 0, cancellation: 0 })
    };
    thread.begin_quiet_creation(creation, start.addr());
    // SAFETY: the program's arguments, and room for so many.
    unsafe { copy_arguments(data as *const u8, start, size) };
    // SAFETY: the entry has these arguments; it looks at no more for these flags.
    let real: CreateSimpleTask = unsafe { real::<B, E, _>() };
    let (whole, align) = (distance + size_of::<Record>(), align.max(align_of::<Record>()));
    // SAFETY: the program's call, with ours in place of its function and arguments.
    unsafe { real(stub, start.addr(), 0, whole, align, may_wait, flags) };
    thread.end_quiet_creation(creation);
}

/// Copies few arguments.
///
/// # Safety
/// As for `copy_nonoverlapping`; the size is a multiple of 4, and less than [`FEW`] words.
#[inline(always)]
unsafe fn copy_arguments(from: *const u8, to: *mut u8, size: usize) {
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
pub(super) unsafe extern "C-unwind" fn run(block: *mut usize, record: *const Record) {
    if get().is_some_and(|thread| thread.is_at(block.addr())) {
        // SAFETY: the caller's call, passed on.
        unsafe { run_at_once(block, record) };
    } else {
        // SAFETY: the caller's call, passed on.
        unsafe { run_queued(block, record) };
    }
}

/// A task runs inside of its creation.
///
/// # Safety
/// As for [`run`]; the block lies in the frame of [`create`], which is in its call of libgomp.
#[inline(never)]
unsafe extern "C-unwind" fn run_at_once(block: *mut usize, record: *const Record) {
    // SAFETY: the caller's promise.
    let data = unsafe { block.wrapping_byte_sub(offset_of!(Block, words)).read() } as *mut usize;
    // SAFETY: the caller's promise.
    let (task, function) = unsafe { parts(record) };
    let begin = |thread: &'static Thread| Some((thread, thread.begin_quiet_task_at_once(stack_pointer(), task)?));
    let Some((thread, suspended)) = get().and_then(begin) else {
        // SAFETY: the caller's call, passed on with the program's own arguments.
        return unsafe { task_run::run_after_quiet_creation(data, record) };
    };
    // SAFETY: what libgomp would have done itself.
    unsafe { function(data) };
    thread.end_quiet_task_at_once(suspended);
}

/// A task runs that was queued.
///
/// # Safety
/// As for [`run`].
#[inline(never)]
unsafe extern "C-unwind" fn run_queued(block: *mut usize, record: *const Record) {
    // SAFETY: the caller's promise.
    let (task, function) = unsafe { parts(record) };
    let begin = |thread: &'static Thread| Some((thread, thread.begin_quiet_task(stack_pointer(), task)?));
    let Some((thread, suspended)) = get().and_then(begin) else {
        // SAFETY: the caller's call, passed on.
        return unsafe { task_run::run(block, record) };
    };
    // SAFETY: what libgomp would have done itself.
    unsafe { function(block) };
    thread.end_quiet_task(suspended);
}

/// A record's task, and the program's function.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn parts(record: *const Record) -> (&'static Task, Function) {
    // SAFETY: the record was copied along with the arguments, and stays until the task is gone. Nobody looks at it later:
    // the task is not current any more when `run` returns.
    let record: &'static Record = unsafe { &*record };
    // SAFETY: the program's outlined function.
    (&record.task, unsafe { transmute::<usize, Function>(record.function) })
}
