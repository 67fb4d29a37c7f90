//! Explicit tasks are created: `GOMP_task` and `GOMP_taskloop`.
//!
//! libgomp gets a block of ours in place of the program's arguments, which has their bytes with a [`Record`] behind them. If
//! it queues the task, it copies the whole, and frees the copy when the task is gone. If it runs the task at once, it does so
//! on our block, and we pass on the program's own arguments. Where arguments have a copy function (C++ objects), libgomp
//! calls ours with a block of its own.
#![allow(unsafe_code)] // calls libgomp

use super::bank::{bank, real};
use super::table::Entry;
use super::task_block::{Creating, Work, pass_on};
use ompt_core::event::Span;
use ompt_core::state::State;
use ompt_core::thread::here;
use ompt_core::tls::stack_pointer;
use std::ptr;

type CreateTask = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize, usize, usize, usize);
type CreateLoop =
    unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize);
type Group = unsafe extern "C-unwind" fn();

/// libgomp's flags (gcc's `gomp-constants.h`).
pub(super) mod flag {
    pub(in super::super) const DEPEND: usize = 1 << 3;
    pub(in super::super) const PRIORITY: usize = 1 << 4;
    pub(super) const NOGROUP: usize = 1 << 11;
    pub(super) const REDUCTION: usize = 1 << 12;
    pub(in super::super) const DETACH: usize = 1 << 13;
}

/// `GOMP_task`, where that takes more than [`task_quick`](super::task_quick) does. Older programs pass 7 to 9 arguments: the
/// rest is their frame, passed on unread.
///
/// # Safety
/// As the function asks for.
#[allow(clippy::too_many_arguments)] // libgomp's
#[inline(never)]
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
    let Some(thread) = here() else {
        // SAFETY: the caller's call, passed on.
        return unsafe { real(function, data, copy, size, align, may_wait, flags, depend, priority, detach) };
    };
    // A detachable task's event handle.
    let written = usize::from(flags & flag::DETACH != 0 && data != 0);
    let creating = Creating::new(Some(thread.begin_creation(stack_pointer())), data, written);
    let task = thread.new_task();
    let work = Work { function, data, copy, size, align, reductions: 0 };
    let call = |function, data, copy, size, align| {
        // SAFETY: the caller's call, with ours in place of its function and arguments.
        unsafe { real(function, data, copy, size, align, may_wait, flags, depend, priority, detach) };
    };
    // SAFETY: the program's function and arguments.
    unsafe { pass_on(thread, &creating, work, &task, call) };
    if let Some(creation) = creating.take() {
        // SAFETY: nobody keeps the task longer than this call.
        let task = unsafe { &*ptr::from_ref(&task) };
        thread.end_creation(task, false, creation);
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
    let Some(thread) = here() else {
        // SAFETY: the caller's call, passed on.
        return unsafe { real(function, data, copy, size, align, flags, tasks, priority, start, end, step) };
    };
    let group = own_group::<B>(flags);
    let flags = if group.is_some() { flags | flag::NOGROUP } else { flags };
    if let Some((start_group, _)) = group {
        // SAFETY: what libgomp does itself without `nogroup`.
        unsafe { start_group() };
    }
    let creation = thread.begin_untold_creation(stack_pointer());
    // The bounds of a chunk.
    let creating = Creating::new(None, data, 2);
    let mut reductions = 0;
    if flags & flag::REDUCTION != 0 {
        // SAFETY: the arguments of a taskloop with reductions begin with its bounds and the reductions' address.
        [_, _, reductions] = unsafe { *(data as *const [usize; 3]) };
    }
    let work = Work { function, data, copy, size, align, reductions };
    let call = |function, data, copy, size, align| {
        // SAFETY: the caller's call, with ours in place of its function and arguments.
        unsafe { real(function, data, copy, size, align, flags, tasks, priority, start, end, step) };
    };
    // SAFETY: the program's function and arguments.
    unsafe { pass_on(thread, &creating, work, &thread.child(), call) };
    thread.end_untold_creation(creation);
    if let Some((_, end_group)) = group {
        let wait = thread.begin_wait(Span::TASK_WAIT, State::WaitTaskgroup, 0);
        // SAFETY: as above.
        unsafe { end_group() };
        thread.end_wait(wait);
    }
}

/// The two ends of the group around a taskloop, where we can do them in place of libgomp, so that the wait is seen. It is
/// libgomp's own affair where reductions are registered with the group.
fn own_group<const B: usize>(flags: usize) -> Option<(Group, Group)> {
    if flags & (flag::NOGROUP | flag::REDUCTION) != 0 {
        return None;
    }
    let function = |entry: Entry| {
        let address = bank::<B>().address(entry as usize)?;
        // SAFETY: both take nothing and return nothing.
        Some(unsafe { std::mem::transmute::<*const (), Group>(address.0) })
    };
    function(Entry::GOMP_taskgroup_start).zip(function(Entry::GOMP_taskgroup_end))
}
