//! Where a task waits for others: taskwait and the end of a taskgroup. Told also where there is nothing to wait for.
#![allow(unsafe_code)] // calls libgomp

use super::bank::real;
use ompt_core::event::Span;
use ompt_core::state::State;
use ompt_core::thread::here;

/// `GOMP_taskwait`, `GOMP_taskwait_depend`.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn children<const B: usize, const E: usize>(depend: usize) {
    // SAFETY: the caller's call, passed on.
    unsafe { wait::<B, E>(State::WaitTaskwait, depend) };
}

/// `GOMP_taskgroup_end`.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn group<const B: usize, const E: usize>() {
    // SAFETY: the caller's call, passed on.
    unsafe { wait::<B, E>(State::WaitTaskgroup, 0) };
}

/// # Safety
/// As the entry's function asks for.
#[inline(always)]
unsafe fn wait<const B: usize, const E: usize>(state: State, depend: usize) {
    // SAFETY: one argument at most; nothing is returned.
    let real: unsafe extern "C-unwind" fn(usize) = unsafe { real::<B, E, _>() };
    let Some(thread) = here() else {
        // SAFETY: the caller's call, passed on.
        return unsafe { real(depend) };
    };
    let wait = thread.begin_wait(Span::TASK_WAIT, state, 0);
    // SAFETY: the caller's call, passed on.
    unsafe { real(depend) };
    thread.end_wait(wait);
}
