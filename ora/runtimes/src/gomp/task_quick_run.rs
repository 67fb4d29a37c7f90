//! Explicit tasks that were created [quickly](super::task_quick) run.
#![allow(unsafe_code)] // calls the program's outlined functions

use super::task_record::Record;
use super::task_run::{self, Function};
use ompt_core::task::Task;
use ompt_core::task::flag::UNDEFERRED;
use ompt_core::thread::Thread;
use ompt_core::tls::get;
use std::mem::{offset_of, transmute};
use system::arch::stack_pointer;

/// A task's record, and what is to be known where it runs at once.
#[repr(C)]
pub(super) struct QuickRecord {
    pub(super) record: Record,
    /// The program's arguments.
    pub(super) data: usize,
}

/// The function that libgomp runs, by way of a stub, for tasks that were created here.
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
