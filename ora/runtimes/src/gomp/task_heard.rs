//! Explicit tasks, the quick way where somebody hears of creations and executions: as [`task_quick`], of which this is the part that
//! is not quiet. Tasks that run at once nest on the stack, so that frames are small here, too.
//!
//! [`task_quick`]: super::task_quick
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::bank::real;
use super::task;
use super::task_block::Record;
use super::task_quick::{CreateSimpleTask, FEW, copy_arguments, parts};
use super::task_run;
use super::task_stub::heard_place;
use ompt_core::dispatch::Token;
use ompt_core::thread::Thread;
use ompt_core::tls::get;
use std::cell::Cell;
use std::mem::MaybeUninit;
use system::arch::stack_pointer;

const RECORD: usize = size_of::<HeardRecord>() / 8;

/// A task's record, and what is to be known where it runs at once.
#[repr(C)]
struct HeardRecord {
    record: Record,
    /// The program's arguments.
    data: usize,
    /// Who could hear that the creation began, until its end has been told; else 0.
    token: Cell<u64>,
}

/// `GOMP_task` for few arguments, without a copy function and the rarer clauses.
///
/// # Safety
/// As the function asks for.
#[inline(never)]
pub(super) unsafe extern "C-unwind" fn create<const B: usize, const E: usize>(
    function: usize,
    data: usize,
    size: usize,
    align: usize,
    may_queue: usize,
    flags: usize,
) {
    let prepare = |thread: &'static Thread| Some((thread, thread.prepare_heard_creation(stack_pointer())?));
    let Some((thread, (creation, task))) = get().and_then(prepare) else {
        // SAFETY: the caller's call, passed on. libgomp looks at no more for these flags.
        return unsafe { task::create::<B, E>(function, data, 0, size, align, may_queue, flags, 0, 0, 0) };
    };
    let (distance, stub) = heard_place(size);
    let mut block = [const { MaybeUninit::<u64>::uninit() }; FEW + RECORD];
    let start = (&raw mut block).cast::<u8>();
    let place = start.wrapping_add(distance).cast::<HeardRecord>();
    let token = thread.begin_heard_creation(creation, start.addr());
    let record = Record { task, function, end: Cell::new(0), cancellation: 0 };
    // SAFETY: the distance is a multiple of 8 and leaves room for a record; so is the block's start aligned.
    unsafe { place.write(HeardRecord { record, data, token: Cell::new(token.bits()) }) };
    // SAFETY: the program's arguments, and room for so many.
    unsafe { copy_arguments(data as *const u8, start, size) };
    // SAFETY: the entry has these arguments; it looks at no more for these flags.
    let real: CreateSimpleTask = unsafe { real::<B, E, _>() };
    let (whole, align) = (distance + size_of::<HeardRecord>(), align.max(align_of::<Record>()));
    // SAFETY: the program's call, with ours in place of its function and arguments.
    unsafe { real(stub, start.addr(), 0, whole, align, may_queue, flags) };
    // SAFETY: written above. Nobody keeps the task longer than this call.
    let made: &'static HeardRecord = unsafe { &*place };
    thread.end_heard_creation(creation, &made.record.task, Token::from_bits(made.token.get()));
}

/// What libgomp runs, by way of a stub, for tasks that were created here.
///
/// # Safety
/// `block` holds the arguments, and `record` lies behind them.
pub(super) unsafe extern "C-unwind" fn run(block: *mut usize, record: *const Record) {
    let Some(thread) = get().filter(|thread| thread.is_at(block.addr())) else {
        // SAFETY: the caller's call, passed on.
        return unsafe { task_run::run(block, record) };
    };
    // SAFETY: the block is that of the call of `create` that the thread is in.
    let made = unsafe { &*record.cast::<HeardRecord>() };
    // SAFETY: the caller's promise.
    let (task, function) = unsafe { parts(record) };
    let token = Token::from_bits(made.token.replace(0));
    let suspended = thread.begin_heard_task_at_once(stack_pointer(), task, token);
    // SAFETY: what libgomp would have done itself, with the program's own arguments.
    unsafe { function(made.data as *mut usize) };
    thread.end_task(suspended);
}
