//! Explicit tasks, the quick way: few arguments, no copy function and none of the rarer clauses, created inside of a region
//! while nobody listens to more than OMPT tools do.
//!
//! What such a task needs takes about as many instructions as libgomp's own part. Where anything else is to be done, the
//! whole call is passed on to [`task`] or [`task_run`], before anything has happened; so the compiler keeps nothing on the
//! stack for them here.
//!
//! [`task`]: super::task
//! [`task_run`]: super::task_run
#![allow(unsafe_code)] // calls libgomp, and the program's outlined functions

use super::instance::{Call, function_as, runtime};
use super::task::{self, NewTask, flag};
use super::task_few::{CreateSimpleTask, FEW, copy_arguments};
use super::task_heard;
use super::task_quick_run::QuickRecord;
use super::task_record::Record;
use super::task_stub::quick_place;
use ompt_core::task::Task;
use ompt_core::task::flag::UNDEFERRED;
use ompt_core::thread::Thread;
use ompt_core::tls::get;
use std::cell::Cell;
use std::mem::{MaybeUninit, offset_of};
use system::arch::stack_pointer;

const RECORD: usize = size_of::<QuickRecord>() / 8;

/// The block that libgomp gets in place of the program's arguments. Its address (that of libgomp's own copy, where it makes
/// one on the stack) is the thread's depth meanwhile, by which [`run`](super::task_quick_run::run) knows a task that libgomp runs at once.
#[repr(C)]
struct Block {
    /// From the arguments to the record.
    distance: usize,
    /// A copy of the program's arguments, and the record behind it.
    words: [MaybeUninit<u64>; FEW + RECORD],
}

/// `GOMP_task`: picks the way that is to be taken. It has no frame of its own: what it picks is jumped to, with the arguments where they
/// are. `TOLD`: calls are told.
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
    let longer = longer != 0 || TOLD && (runtime(this.instance()).cancels() || Thread::reports_creations());
    if longer {
        // SAFETY: by this function's `# Safety` the arguments are those of the program's call of `GOMP_task`.
        unsafe { task::create(this, function, data, copy, size, align, may_queue, flags, depend, priority, detach) }
    } else if !TOLD && Thread::reports_creations() {
        // SAFETY: likewise; `longer` says that there are few arguments and none of the rarer clauses.
        unsafe {
            task_heard::create(this, function, data, copy, size, align, may_queue, flags, depend, priority, detach)
        }
    } else {
        // SAFETY: as for the call above.
        unsafe {
            create_quickly::<C, TOLD>(
                this, function, data, copy, size, align, may_queue, flags, depend, priority, detach,
            )
        }
    }
}

/// The same, where nobody listens to more than OMPT tools do.
///
/// # Safety
/// As the function asks for; there are few arguments, without a copy function and the rarer clauses.
#[allow(clippy::too_many_arguments)] // libgomp's
#[inline(never)]
unsafe fn create_quickly<C: Call<Arguments = NewTask, Result = ()>, const TOLD: bool>(
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
    let prepare = |thread: &'static Thread| Some((thread, thread.prepare_quiet_creation(stack_pointer())?));
    let Some((thread, (creation, name))) = get().and_then(prepare) else {
        // SAFETY: by this function's `# Safety` the arguments are those of the program's call of `GOMP_task`.
        return unsafe {
            task::create(this, function, data, copy, size, align, may_queue, flags, depend, priority, detach)
        };
    };
    let task = Task::new(name);
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
    // multiple of 4, as `create` has tested.
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
