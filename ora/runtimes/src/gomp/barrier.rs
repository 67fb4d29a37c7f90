//! Barriers that compiled code calls. gcc ends static loops and single with the same call as an explicit barrier.
#![allow(unsafe_code)] // calls libgomp

use super::instance::{Call, function, go_on};
use ompt_core::event::{Event, Span};
use ompt_core::state::State;
use ompt_core::thread::here;

/// `GOMP_barrier`, `GOMP_barrier_cancel`.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn explicit<C: Call<Arguments = (), Result = usize>>(call: C, (): ()) -> usize {
    // SAFETY: `wait` asks for what this function's `# Safety` says: the program calls the entry, a barrier.
    unsafe { wait(call, Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit) }
}

/// Implicit barriers at the ends of loops and sections.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn implicit<C: Call<Arguments = (), Result = usize>>(call: C, (): ()) -> usize {
    // SAFETY: `wait` asks for what this function's `# Safety` says: the program calls the entry, the end of a construct.
    unsafe { wait(call, Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare) }
}

/// # Safety
/// As the entry's function asks for.
#[inline(always)]
unsafe fn wait<C: Call<Arguments = (), Result = usize>>(call: C, span: Span, state: State) -> usize {
    let barrier = function(call);
    let Some(thread) = here() else {
        // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
        return unsafe { barrier() };
    };
    if thread.is_announced() {
        // Instrumented code (POMP) has reported the barrier with more detail.
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

/// `GOMP_workshare_task_reduction_unregister`: the end of a construct with task reductions. Waits for the tasks of the
/// taskgroup that libgomp has put around the construct, then, unless it is cancelled, for the team. It is reported as one wait.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn reductions<C: Call<Arguments = (bool,), Result = ()>>(call: C, (cancelled,): (bool,)) {
    let Some(thread) = here() else {
        // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
        return unsafe { go_on(call, (cancelled,)) };
    };
    thread.close_work();
    let wait = if cancelled {
        thread.begin_wait(Span::TASK_WAIT, State::WaitTaskgroup, 0)
    } else {
        thread.begin_barrier(Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare)
    };
    // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
    unsafe { go_on(call, (cancelled,)) };
    thread.end_wait(wait);
    thread.raise(Event::TaskgroupEnd);
}
