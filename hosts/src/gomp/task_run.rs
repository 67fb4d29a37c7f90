//! Explicit tasks run: the copy function and the function that libgomp calls in place of the program's.
#![allow(unsafe_code)] // calls the program's outlined functions

use super::task::{Frame, flag};
use super::task_block::Record;
use ompt_core::thread::{Thread, here};
use ompt_core::tls::stack_pointer;
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::Ordering::*;

type Function = unsafe extern "C-unwind" fn(*mut usize);
type Copy = unsafe extern "C-unwind" fn(*mut u8, usize);

/// What libgomp calls to fill a task's block.
///
/// # Safety
/// `frame` is the one of the call that creates the task, and `to` has room for its arguments and a record.
pub(super) unsafe extern "C-unwind" fn copy_arguments(to: *mut u8, frame: *const Frame) {
    // SAFETY: the caller's promise.
    let frame = unsafe { &*frame };
    if frame.copy == 0 && lies_between(to.addr(), ptr::from_ref(frame)) {
        // libgomp runs the task at once, on its own stack. We shall pass on the program's own arguments.
        return;
    }
    // SAFETY: the program's arguments are there during the call.
    unsafe { pass_on_event(frame, frame.words.as_ptr().cast()) };
    if frame.copy == 0 {
        // SAFETY: the program's arguments have this size, and the block has room.
        unsafe { copy_words(frame.data as *const u8, to, frame.size) };
    } else {
        // SAFETY: the program's copy function, called as libgomp would have done.
        unsafe { transmute::<usize, Copy>(frame.copy)(to, frame.data) };
    }
    // SAFETY: the block has room for a record at this distance, which keeps its alignment.
    unsafe { to.add(frame.distance).cast::<Record>().write(Record::of(frame)) };
}

/// What libgomp runs, by way of a stub.
///
/// # Safety
/// `block` holds the arguments, and `record` lies behind them unless the task runs at once.
pub(super) unsafe extern "C-unwind" fn run(block: *mut usize, record: *const Record) {
    let thread = here();
    if let Some((thread, frame)) = thread.and_then(|thread| Some((thread, at_once(thread, block)?))) {
        // SAFETY: the frame of this very call.
        return unsafe { run_at_once(thread, frame, block) };
    }
    // SAFETY: the record was copied along with the arguments, and stays until the task is gone.
    let record = unsafe { &*record };
    // SAFETY: the program's outlined function.
    let function: Function = unsafe { transmute(record.function) };
    let Some(thread) = thread else {
        // SAFETY: what libgomp would have done itself.
        return unsafe { function(block) };
    };
    if record.task.id() == 0 {
        thread.create_late(&record.task, false);
    }
    let suspended = thread.begin_task(stack_pointer(), &record.task);
    // SAFETY: what libgomp would have done itself.
    unsafe { function(block) };
    thread.end_task(suspended);
}

/// The task runs inside of the call that created it.
///
/// # Safety
/// `frame` is the one of that call.
#[inline(never)]
unsafe fn run_at_once(thread: &'static Thread, frame: *const Frame, block: *mut usize) {
    // SAFETY: the caller's promise. The frame outlives the task, which is not current any more when this function returns.
    let frame: &'static Frame = unsafe { &*frame };
    if let Some(creation) = frame.creation.take() {
        thread.end_creation(&frame.task, true, creation);
    }
    if frame.is_loop {
        thread.create_late(&frame.task, true);
    }
    let mut arguments = block;
    if frame.copy == 0 {
        // The program's own, with what libgomp wrote in front.
        arguments = frame.data as *mut usize;
        let staged = frame.block.get();
        if frame.is_loop {
            // SAFETY: the arguments of a taskloop's chunk begin with its two bounds.
            unsafe { staged.copy_to(arguments, 2) };
        } else {
            let words = if staged.is_null() { frame.words.as_ptr().cast() } else { staged.cast_const() };
            // SAFETY: the program's arguments are there during the call.
            unsafe { pass_on_event(frame, words) };
        }
    }
    let suspended = thread.begin_task(stack_pointer(), &frame.task);
    // SAFETY: what libgomp would have done itself.
    unsafe { transmute::<usize, Function>(frame.function)(arguments) };
    thread.end_task(suspended);
}

/// The frame of the call that this thread creates the task of this block in, if it is in that call.
fn at_once(thread: &Thread, block: *mut usize) -> Option<*const Frame> {
    let frame = thread.creating().load(Relaxed) as *const Frame;
    if frame.is_null() {
        return None;
    }
    // SAFETY: a frame of the thread's own stack, which it has not left (else it points to none).
    let staged = unsafe { &(*frame).block };
    (lies_between(block.addr(), frame) || staged.get() == block).then_some(frame)
}

/// Whether an address lies on this thread's stack, on the way to the frame or at it. Queued tasks' blocks never do.
#[inline(always)]
fn lies_between(address: usize, frame: *const Frame) -> bool {
    address > stack_pointer() && address <= frame.addr()
}

/// A detachable task finds its event handle in the first word of its arguments, where libgomp would have put it.
///
/// # Safety
/// The frame's arguments are there; `words` is where libgomp put the handle.
#[inline(always)]
unsafe fn pass_on_event(frame: &Frame, words: *const usize) {
    if frame.flags & flag::DETACH != 0 && !frame.is_loop && frame.data != 0 {
        // SAFETY: the caller's promise.
        unsafe { (frame.data as *mut usize).write(*words) };
    }
}

/// Copies arguments: mostly a few words.
///
/// # Safety
/// As for `copy_nonoverlapping`; `to` is aligned to 8 bytes.
#[inline(always)]
unsafe fn copy_words(from: *const u8, to: *mut u8, size: usize) {
    if size > 64 {
        // SAFETY: the caller's promise.
        return unsafe { from.copy_to_nonoverlapping(to, size) };
    }
    let words = size / 8;
    for i in 0..words {
        // SAFETY: within `size`; an unaligned read.
        let word = unsafe { from.cast::<u64>().add(i).read_unaligned() };
        // SAFETY: within `size`, aligned by the caller's promise.
        unsafe { to.cast::<u64>().add(i).write(word) };
    }
    // SAFETY: the rest.
    unsafe { from.add(words * 8).copy_to_nonoverlapping(to.add(words * 8), size % 8) };
}
