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
    // SAFETY: `wait` asks for what this function's `# Safety` says: the program calls entry `E`, a barrier.
    unsafe { wait::<B, E>(Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit) }
}

/// The ends of loops and sections that wait.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn implicit<const B: usize, const E: usize>() -> usize {
    // SAFETY: `wait` asks for what this function's `# Safety` says: the program calls entry `E`, the end of a construct.
    unsafe { wait::<B, E>(Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare) }
}

/// # Safety
/// As the entry's function asks for.
#[inline(always)]
unsafe fn wait<const B: usize, const E: usize>(span: Span, state: State) -> usize {
    // SAFETY: every entry with this wrapper is `void (void)` or `bool (void)` (libgomp_g.h), and bound, since its wrapper runs.
    let barrier: unsafe extern "C-unwind" fn() -> usize = unsafe { real::<B, E, _>() };
    let Some(thread) = here() else {
        // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
        return unsafe { barrier() };
    };
    if thread.is_announced() {
        // Instrumented code has said more of it.
        // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
        return unsafe { barrier() };
    }
    thread.close_constructs();
    let wait = thread.begin_barrier(span, state);
    // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
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
    // SAFETY: the entry is `void GOMP_workshare_task_reduction_unregister (bool)` (libgomp_g.h), and bound, since its wrapper
    // runs.
    let real: unsafe extern "C-unwind" fn(bool) = unsafe { real::<B, E, _>() };
    let Some(thread) = here() else {
        // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
        return unsafe { real(cancelled) };
    };
    thread.close_work();
    let wait = if cancelled {
        thread.begin_wait(Span::TASK_WAIT, State::WaitTaskgroup, 0)
    } else {
        thread.begin_barrier(Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare)
    };
    // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
    unsafe { real(cancelled) };
    thread.end_wait(wait);
    thread.raise(Event::TaskgroupEnd);
}
