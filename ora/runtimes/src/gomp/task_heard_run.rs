//! Explicit tasks whose creation is [heard](super::task_heard) run inside of it.
#![allow(unsafe_code)] // calls the program's outlined functions

use super::task_quick_run::parts;
use super::task_record::Record;
use super::task_run;
use ompt_core::dispatch::Token;
use ompt_core::tls::get;
use std::cell::Cell;
use system::arch::stack_pointer;

/// A task's record, and what is to be known where it runs at once.
#[repr(C)]
pub(super) struct HeardRecord {
    pub(super) record: Record,
    /// The program's arguments.
    pub(super) data: usize,
    /// Bits of the token of the creation's begin, until its end is reported; else 0.
    pub(super) token: Cell<u64>,
}

/// The function that libgomp runs, by way of a stub, for tasks that were created here.
///
/// # Safety
/// `block` holds the arguments, and `record` lies behind them.
pub(super) unsafe extern "C-unwind" fn run(block: *mut usize, record: *const Record) {
    let Some(thread) = get().filter(|thread| thread.is_at(block.addr())) else {
        // SAFETY: `task_run::run` asks for what this function's `# Safety` says of `block` and `record`.
        return unsafe { task_run::run(block, record) };
    };
    // SAFETY: the stubs of `heard_place`, which lead here, are given to libgomp only by `create`, whose records are
    // `HeardRecord`s; its call, which the thread is in, keeps the block.
    let made = unsafe { &*record.cast::<HeardRecord>() };
    // SAFETY: by this function's `# Safety` `record` is that of the task, behind its arguments.
    let (task, function) = unsafe { parts(record) };
    let token = Token::from_bits(made.token.replace(0));
    let suspended = thread.begin_heard_task_at_once(stack_pointer(), task, token);
    // SAFETY: `function` is the program's, with the data of its own call (`create` stored both), in which the thread still is.
    unsafe { function(made.data as *mut usize) };
    thread.end_task(suspended);
}
