//! Explicit tasks are created: `GOMP_task` and `GOMP_taskloop`.
//!
//! While a wrapper calls libgomp its frame holds a [`Frame`], and the thread points to it. libgomp runs the task at once, on
//! a block of its own stack or on what it was given: then the frame has all that is to be known. Or it copies the arguments
//! into a block of its own and queues the task: then a [`Record`] goes along behind them. It gets there by libgomp's copy
//! function, which is ours then, or it is copied with the arguments from a block of ours, where a copy function would change
//! what libgomp does: it cancels tasks without one earlier, and runs a taskloop's chunks on copies if there is one.
#![allow(unsafe_code)] // calls libgomp

use super::bank::{bank, real};
use super::table::Entry;
use super::task_block::{Record, place, with_block};
use super::task_run::copy_arguments;
use ompt_core::event::Span;
use ompt_core::explicit_task::Creation;
use ompt_core::state::State;
use ompt_core::task::Task;
use ompt_core::thread::here;
use ompt_core::tls::stack_pointer;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::Ordering::*;

type CreateTask = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize, usize, usize, usize);
type CreateLoop =
    unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize);
type Group = unsafe extern "C-unwind" fn();

/// libgomp's flags (gcc's `gomp-constants.h`).
pub(super) mod flag {
    pub(in super::super) const NOGROUP: usize = 1 << 11;
    pub(in super::super) const REDUCTION: usize = 1 << 12;
    pub(in super::super) const DETACH: usize = 1 << 13;
}

/// Larger arguments are not copied to libgomp's stack on behalf of us.
const LARGE: usize = 1024;

/// A call of `GOMP_task` or `GOMP_taskloop` that the thread is in.
#[repr(C)]
pub(super) struct Frame {
    /// What libgomp reads and writes through the pointer to the arguments before it copies them: a task's event handle in
    /// the first word, a taskloop's reductions in the third.
    pub(super) words: [Cell<usize>; 3],
    /// The program's outlined function, its arguments and how to copy them.
    pub(super) function: usize,
    pub(super) data: usize,
    pub(super) copy: usize,
    pub(super) size: usize,
    pub(super) flags: usize,
    /// From the arguments to the record.
    pub(super) distance: usize,
    /// The new task. In a taskloop only the parent counts: each chunk has a task of its own.
    pub(super) task: Task,
    pub(super) is_loop: bool,
    /// Until the creation has been told to be over.
    pub(super) creation: Cell<Option<Creation>>,
    /// The block that libgomp was given in place of the program's arguments, or null.
    pub(super) block: Cell<*mut usize>,
}

/// `GOMP_task`. Older programs pass 7 to 9 arguments: the rest is their frame, passed on unread.
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
    // SAFETY: the entry has these arguments.
    let real: CreateTask = unsafe { real::<B, E, _>() };
    let Some((thread, (distance, stub))) = here().zip(place(size)) else {
        // SAFETY: the caller's call, passed on.
        return unsafe { real(function, data, copy, size, align, may_wait, flags, depend, priority, detach) };
    };
    let frame = Frame {
        words: [const { Cell::new(0) }; 3],
        function,
        data,
        copy,
        size,
        flags,
        distance,
        task: Task::default(),
        is_loop: false,
        creation: Cell::new(Some(thread.begin_creation(stack_pointer()))),
        block: Cell::new(ptr::null_mut()),
    };
    thread.name_task(&frame.task);
    let (whole, align) = (distance + size_of::<Record>(), align.max(align_of::<Record>()));
    let before = thread.creating().load(Relaxed);
    thread.creating().store(&raw const frame as usize, Relaxed);
    let at_once = may_wait & 0xff == 0;
    // SAFETY (each): the caller's call, with a block in place of its arguments.
    if copy == 0 && !at_once && (size > LARGE || bank::<B>().cancels()) {
        with_block(&frame, stub, |stub, block| unsafe {
            real(stub, block, 0, whole, align, may_wait, flags, depend, priority, detach);
        });
    } else {
        // Without a copy function libgomp runs the task on the frame itself.
        let copy = if copy == 0 && at_once { 0 } else { copy_arguments as *const () as usize };
        let block = &raw const frame as usize;
        // SAFETY: as above.
        unsafe { real(stub, block, copy, whole, align, may_wait, flags, depend, priority, detach) };
    }
    thread.creating().store(before, Relaxed);
    if let Some(creation) = frame.creation.take() {
        // SAFETY: nobody keeps the task longer than this call, and the frame stays.
        thread.end_creation(unsafe { &*&raw const frame.task }, false, creation);
    }
}

/// `GOMP_taskloop` and `GOMP_taskloop_ull`. A chunk's creation is told when the chunk starts.
///
/// # Safety
/// As the function asks for.
#[allow(clippy::too_many_arguments)] // libgomp's
pub(super) unsafe extern "C-unwind" fn create_loop<const B: usize, const E: usize>(
    function: usize,
    data: usize,
    copy: usize,
    size: usize,
    align: usize,
    flags: usize,
    tasks: usize,
    priority: usize,
    start: usize,
    end: usize,
    step: usize,
) {
    // SAFETY: the entry has these arguments.
    let real: CreateLoop = unsafe { real::<B, E, _>() };
    let Some((thread, (distance, stub))) = here().zip(place(size)) else {
        // SAFETY: the caller's call, passed on.
        return unsafe { real(function, data, copy, size, align, flags, tasks, priority, start, end, step) };
    };
    // SAFETY: both functions are bound if one is.
    let group = own_group::<B>(flags);
    let flags = if group.is_some() { flags | flag::NOGROUP } else { flags };
    if let Some((start_group, _)) = group {
        // SAFETY: what libgomp does itself without `nogroup`.
        unsafe { start_group() };
    }
    let creation = thread.begin_untold_creation(stack_pointer());
    let frame = Frame {
        words: [const { Cell::new(0) }; 3],
        function,
        data,
        copy,
        size,
        flags,
        distance,
        task: thread.child(),
        is_loop: true,
        creation: Cell::new(None),
        block: Cell::new(ptr::null_mut()),
    };
    let (whole, align) = (distance + size_of::<Record>(), align.max(align_of::<Record>()));
    let before = thread.creating().load(Relaxed);
    thread.creating().store(&raw const frame as usize, Relaxed);
    if copy == 0 {
        with_block(&frame, stub, |stub, block| {
            // SAFETY: the caller's call, with a block in place of its arguments.
            unsafe { real(stub, block, 0, whole, align, flags, tasks, priority, start, end, step) };
        });
    } else {
        if flags & flag::REDUCTION != 0 {
            let [.., reductions] = &frame.words;
            // SAFETY: the arguments of a taskloop with reductions begin with its bounds and their address.
            reductions.set(unsafe { *(data as *const usize).add(2) });
        }
        let (block, copy) = (&raw const frame as usize, copy_arguments as *const () as usize);
        // SAFETY: as above.
        unsafe { real(stub, block, copy, whole, align, flags, tasks, priority, start, end, step) };
    }
    thread.creating().store(before, Relaxed);
    thread.end_untold_creation(creation);
    if let Some((_, end_group)) = group {
        let wait = thread.begin_wait(Span::TASK_WAIT, State::WaitTaskgroup, 0);
        // SAFETY: as above.
        unsafe { end_group() };
        thread.end_wait(wait);
    }
}

/// The two ends of the group around a taskloop, where we can do them in place of libgomp, so that the wait is seen. It is
/// libgomp's own affair where reductions are registered with the group, or it may be cancelled.
fn own_group<const B: usize>(flags: usize) -> Option<(Group, Group)> {
    if flags & (flag::NOGROUP | flag::REDUCTION) != 0 || bank::<B>().cancels() {
        return None;
    }
    let function = |entry: Entry| {
        let address = bank::<B>().address(entry as usize)?;
        // SAFETY: both take nothing and return nothing.
        Some(unsafe { std::mem::transmute::<*const (), Group>(address.0) })
    };
    function(Entry::GOMP_taskgroup_start).zip(function(Entry::GOMP_taskgroup_end))
}
