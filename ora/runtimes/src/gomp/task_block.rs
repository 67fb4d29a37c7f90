//! Where the record of a queued task lives: behind the task's arguments, in the block that libgomp allocates for them and
//! frees with the task. So nothing of ours is left over when a task ends, or is cancelled. The program's function finds its
//! arguments at the block's start, as without us.
#![allow(unsafe_code)] // builds blocks for libgomp

use super::task_record::{Copying, Creating, Record, Work, size_of_record, write_record};
use super::task_run::copy_arguments;
use super::task_stub::place;
use ompt_core::task::Task;
use ompt_core::thread::Thread;
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::Ordering::*;
use system::warning;

/// How many words of arguments and record a block on the stack has room for. Tasks that run at once nest on the stack, so
/// that it is not many.
const SMALL: usize = 24;

/// Calls libgomp with what stands in place of the program's function, arguments, copy function, size and alignment.
///
/// # Safety
/// The work is the program's.
#[inline(always)]
pub(super) unsafe fn pass_on(
    thread: &Thread,
    creating: &Creating,
    work: Work<'_>,
    task: &Task,
    call: impl Fn(usize, usize, usize, usize, usize),
) {
    let before = thread.creating().load(Relaxed);
    thread.creating().store(ptr::from_ref(creating) as usize, Relaxed);
    if work.copy == 0 && !work.told && work.size <= SMALL * 8 - size_of_record(work.chunks_of) {
        let mut block = [const { MaybeUninit::<u64>::uninit() }; SMALL];
        // SAFETY: by this function's `# Safety` the work is the program's; arguments and record fit `SMALL` words by the test
        // above.
        unsafe { call_with_block(block.as_mut_ptr().cast(), creating, work, task, call) };
    } else {
        // SAFETY: by this function's `# Safety` the work is the program's.
        unsafe { pass_on_slowly(creating, &work, task, call) };
    }
    thread.creating().store(before, Relaxed);
}

/// # Safety
/// As for [`pass_on`].
#[cold]
#[inline(never)]
unsafe fn pass_on_slowly(
    creating: &Creating,
    work: &Work<'_>,
    task: &Task,
    call: impl Fn(usize, usize, usize, usize, usize),
) {
    let Some((distance, stub)) = place(work.size) else {
        return call(work.function, work.data, work.copy, work.size, work.align);
    };
    let whole = distance + size_of_record(work.chunks_of);
    if work.copy != 0 || work.told {
        let words = [0, 0, work.reductions].map(Cell::new);
        let record = Record {
            task: task.clone(),
            function: work.function,
            end: Cell::new(0),
            cancellation: if work.copy == 0 { work.cancellation } else { 0 },
        };
        let Work { copy, size, told, dependences, chunks_of, .. } = *work;
        creating.original.set(copy == 0 && creating.is_of_one_task());
        let copying = Copying { words, creating, copy, size, distance, record, told, dependences, chunks_of };
        let align = work.align.max(align_of::<Record>());
        return call(stub, &raw const copying as usize, copy_arguments as *const () as usize, whole, align);
    }
    // SAFETY: `malloc` takes any size (malloc(3)); null is handled below.
    let block = unsafe { libc::malloc(whole) };
    if block.is_null() {
        warning::of_refused_memory();
        return call(work.function, work.data, work.copy, work.size, work.align);
    }
    // SAFETY: by this function's `# Safety` the work is the program's; `block` has `whole` bytes, for arguments and record.
    unsafe { call_with_block(block.cast(), creating, *work, task, call) };
    // SAFETY: `block` came from `malloc` above; libgomp has run the task on it, or made a copy of its own (libgomp's task.c,
    // `GOMP_task`).
    unsafe { libc::free(block) };
}

/// # Safety
/// As for [`pass_on`]; the block has room for arguments and record.
#[inline(always)]
unsafe fn call_with_block(
    block: *mut u8,
    creating: &Creating,
    work: Work<'_>,
    task: &Task,
    call: impl Fn(usize, usize, usize, usize, usize),
) {
    let Some((distance, stub)) = place(work.size) else { return };
    // SAFETY: by this function's `# Safety` `work.data` points to the program's `work.size` bytes, and the block, which is
    // ours, has room for them.
    unsafe { copy_words(work.data as *const u8, block, work.size) };
    let record = Record { task: task.clone(), function: work.function, end: Cell::new(0), cancellation: 0 };
    // SAFETY: by this function's `# Safety` the block has room behind `distance`, which `place` rounds up; blocks and distances
    // are multiples of 8, the record's alignment.
    unsafe { write_record(block.wrapping_add(distance).cast(), record, work.chunks_of) };
    creating.block.set(block.cast());
    call(stub, block.addr(), 0, distance + size_of_record(work.chunks_of), work.align.max(align_of::<Record>()));
}

/// Copies arguments: mostly a few words.
///
/// # Safety
/// As for `copy_nonoverlapping`.
#[inline(always)]
unsafe fn copy_words(from: *const u8, to: *mut u8, size: usize) {
    if size > 64 || !size.is_multiple_of(8) {
        // SAFETY: by this function's `# Safety` both have `size` bytes and do not overlap.
        return unsafe { from.copy_to_nonoverlapping(to, size) };
    }
    for i in 0..size / 8 {
        // SAFETY: by this function's `# Safety` `from` has `size` bytes, and word `i` lies within them.
        let word = unsafe { from.cast::<u64>().wrapping_add(i).read_unaligned() };
        // SAFETY: by this function's `# Safety` `to` has `size` bytes, and word `i` lies within them.
        unsafe { to.cast::<u64>().wrapping_add(i).write_unaligned(word) };
    }
}
