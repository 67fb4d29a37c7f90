//! Barriers that compiled code calls. gcc ends static loops and single constructs with the same call as an explicit barrier: the table of
//! call sites distinguishes them, if there is one.

use super::call_sites;
use super::instance::{PendingCall, Target};
use ::call_sites::Kind;
use ompt_core::event::{Event, Span};
use ompt_core::state::State;
use ompt_core::thread::here;
use ompt_core::tls;

/// `GOMP_barrier`, `GOMP_barrier_cancel`.
#[inline(always)]
pub(super) fn explicit<T: Target<Result = usize>>(call: PendingCall<'_, T>) -> usize {
    if call_sites::are_known() && is_implicit() {
        implicit(call)
    } else {
        wait(call, Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit)
    }
}

/// True if the call site is that of an implicit barrier.
#[inline(never)]
fn is_implicit() -> bool {
    call_sites::kind(tls::call().return_address).is_some_and(Kind::is_barrier)
}

/// Implicit barriers at the ends of loops and sections.
#[inline(always)]
pub(super) fn implicit<T: Target<Result = usize>>(call: PendingCall<'_, T>) -> usize {
    wait(call, Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare)
}

#[inline(always)]
fn wait<T: Target<Result = usize>>(call: PendingCall<'_, T>, span: Span, state: State) -> usize {
    let call = call.prepare();
    let Some(thread) = here() else { return call.go_on() };
    if thread.instrumented().is_announced() {
        // Instrumented code (POMP) has already reported the barrier, in more detail.
        return call.go_on();
    }
    thread.constructs().close_constructs();
    let wait = thread.waits().begin_barrier(span, state);
    let cancelled = call.go_on();
    thread.waits().end(wait);
    cancelled
}

/// `GOMP_workshare_task_reduction_unregister`: the end of a construct with task reductions. Waits for the tasks of the taskgroup that
/// libgomp has put around the construct, then, unless it is cancelled, for the team. It is reported as one wait.
#[inline(always)]
pub(super) fn reductions<T: Target<Arguments = (bool,), Result = ()>>(call: PendingCall<'_, T>) {
    let (cancelled,) = call.arguments();
    let Some(thread) = here() else { return call.go_on() };
    thread.constructs().close_work();
    let wait = if cancelled {
        thread.waits().begin(Span::TASK_WAIT, State::WaitTaskgroup, 0)
    } else {
        thread.waits().begin_barrier(Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare)
    };
    call.go_on();
    thread.waits().end(wait);
    thread.raise(Event::TaskgroupEnd);
}
