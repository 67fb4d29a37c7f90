//! Barriers that compiled code calls. gcc ends static loops and single with the same call as an explicit barrier.
#![allow(unsafe_code)] // calls libgomp

use super::bank::real;
use ompt_core::event::{Event, Span};
use ompt_core::state::State;
use ompt_core::thread::here;

/// `GOMP_barrier`, `GOMP_barrier_cancel`.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn explicit<const B: usize, const E: usize>() -> usize {
    // SAFETY: the caller's call, passed on.
    unsafe { wait::<B, E>(Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit) }
}

/// The ends of loops and sections that wait.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn implicit<const B: usize, const E: usize>() -> usize {
    // SAFETY: the caller's call, passed on.
    unsafe { wait::<B, E>(Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare) }
}

/// # Safety
/// As the entry's function asks for.
#[inline(always)]
unsafe fn wait<const B: usize, const E: usize>(span: Span, state: State) -> usize {
    // SAFETY: barriers take nothing; some return a bool.
    let barrier: unsafe extern "C-unwind" fn() -> usize = unsafe { real::<B, E, _>() };
    let Some(thread) = here() else {
        // SAFETY: the caller's call, passed on.
        return unsafe { barrier() };
    };
    if thread.is_announced() {
        // Instrumented code has said more of it.
        // SAFETY: the caller's call, passed on.
        return unsafe { barrier() };
    }
    thread.close_constructs();
    let wait = thread.begin_barrier(span, state);
    // SAFETY: the caller's call, passed on.
    let cancelled = unsafe { barrier() };
    thread.end_wait(wait);
    cancelled
}

/// `GOMP_workshare_task_reduction_unregister`: the end of a construct with task reductions. Waits for the tasks of the group
/// that libgomp has put around the construct, then, unless it is cancelled, for the team: one wait, from outside.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn reductions<const B: usize, const E: usize>(cancelled: bool) {
    // SAFETY: takes a bool and returns nothing.
    let real: unsafe extern "C-unwind" fn(bool) = unsafe { real::<B, E, _>() };
    let Some(thread) = here() else {
        // SAFETY: the caller's call, passed on.
        return unsafe { real(cancelled) };
    };
    thread.close_work();
    let wait = if cancelled {
        thread.begin_wait(Span::TASK_WAIT, State::WaitTaskgroup, 0)
    } else {
        thread.begin_barrier(Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare)
    };
    // SAFETY: the caller's call, passed on.
    unsafe { real(cancelled) };
    thread.end_wait(wait);
    thread.raise(Event::TaskgroupEnd);
}
