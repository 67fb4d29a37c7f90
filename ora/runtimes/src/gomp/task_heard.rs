//! Explicit tasks, the quick way where somebody hears of creations and executions: as [`task_quick`], of which this is the part that
//! is not quiet. Tasks that run at once nest on the stack, so that frames are small here, too.
//!
//! [`task_quick`]: super::task_quick
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::instance::{Call, function_as};
use super::task::{self, NewTask};
use super::task_few::{CreateSimpleTask, FEW, copy_arguments};
use super::task_heard_run::HeardRecord;
use super::task_record::Record;
use super::task_stub::heard_place;
use ompt_core::dispatch::Token;
use ompt_core::task::Task;
use ompt_core::thread::Thread;
use ompt_core::tls::get;
use std::cell::Cell;
use std::mem::MaybeUninit;
use system::arch::stack_pointer;

const RECORD: usize = size_of::<HeardRecord>() / 8;

/// `GOMP_task` for few arguments, without a copy function and the rarer clauses.
///
/// # Safety
/// As the function asks for; there are few arguments, without a copy function and the rarer clauses.
#[allow(clippy::too_many_arguments)] // libgomp's
#[inline(never)]
pub(super) unsafe fn create<C: Call<Arguments = NewTask, Result = ()>>(
    this: C,
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
    let prepare = |thread: &'static Thread| Some((thread, thread.prepare_heard_creation(stack_pointer())?));
    let Some((thread, (creation, name))) = get().and_then(prepare) else {
        // SAFETY: by this function's `# Safety` the arguments are those of the program's call of `GOMP_task`.
        return unsafe {
            task::create(this, function, data, copy, size, align, may_queue, flags, depend, priority, detach)
        };
    };
    let (distance, stub) = heard_place(size);
    let mut block = [const { MaybeUninit::<u64>::uninit() }; FEW + RECORD];
    let start = (&raw mut block).cast::<u8>();
    let place = start.wrapping_add(distance).cast::<HeardRecord>();
    let token = thread.begin_heard_creation(creation, start.addr());
    let record = Record { task: Task::new(name), function, end: Cell::new(0), cancellation: 0 };
    // SAFETY: `heard_place` gives a multiple of 8 that is at most `FEW` words, behind which the block has room for a record;
    // the block is aligned to 8.
    unsafe { place.write(HeardRecord { record, data, token: Cell::new(token.bits()) }) };
    // SAFETY: by this function's `# Safety` `data` has `size` bytes; `block` has room for `FEW` words, and `size` is less and a
    // multiple of 4, as `task_quick::create` tested.
    unsafe { copy_arguments(data as *const u8, start, size) };
    // SAFETY: the entry is `GOMP_task` (libgomp_g.h), and bound, since its wrapper runs; with these flags libgomp reads no
    // argument behind `flags` (libgomp's task.c, `GOMP_task`).
    let real: CreateSimpleTask = unsafe { function_as(this) };
    let (whole, align) = (distance + size_of::<HeardRecord>(), align.max(align_of::<Record>()));
    // SAFETY: `real` gets the arguments of the program's call, with a stub and a block that fit each other in place of its
    // function and arguments.
    unsafe { real(stub, start.addr(), 0, whole, align, may_queue, flags) };
    // SAFETY: written above, in a block that lives until this function returns; `end_heard_creation` keeps no reference to the
    // task.
    let made: &'static HeardRecord = unsafe { &*place };
    thread.end_heard_creation(creation, &made.record.task, Token::from_bits(made.token.get()));
}
