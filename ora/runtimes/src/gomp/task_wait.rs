//! Waits of a task for others: taskwait and the end of a taskgroup. They are reported even if there is nothing to wait
//! for.

use super::arguments::Arguments;
use super::call_data::Dependences;
use super::instance::{Instance, PendingCall, Prepared, Target, runtime};
use super::own_team::want_team;
use ompt_core::event::{Event, Span};
use ompt_core::state::State;
use ompt_core::thread::{Thread, here};
use ompt_core::tls;
use system::arch::stack_pointer;

/// `GOMP_taskwait`.
#[inline(always)]
pub(super) fn children<T: Target<Result = ()>>(call: PendingCall<'_, T>) {
    let call = call.prepare();
    let begin = |thread: &'static Thread| Some((thread, thread.fast_tasks().begin_taskwait(stack_pointer())?));
    let Some((thread, taskwait)) = tls::get().and_then(begin) else {
        return wait_for_children(call);
    };
    call.go_on();
    thread.fast_tasks().end_taskwait(taskwait);
}

/// A taskwait other than a plain one by a thread that does work in a region.
#[inline(never)]
fn wait_for_children<A: Arguments>(call: Prepared<'_, A, ()>) {
    wait(Span::TASK_WAIT, State::WaitTaskwait, here(), || call.go_on());
}

/// Waits for the predecessors of a task that is about to be created and executed immediately. libgomp would wait for them in the call that
/// creates the task. Here the creating task waits for them before, so that there is one wait, which is not part of the creation. If
/// constructs can be cancelled, libgomp may not wait at all, and is left to decide itself.
#[inline(never)] // its frame is gone when the task runs, as undeferred tasks nest on the stack
pub(super) fn before_undeferred(instance: impl Instance, thread: &'static Thread, depend: Dependences<'_>) {
    if let Some(wait_for) = runtime(instance).wait_for_dependences()
        && !runtime(instance).cancels()
    {
        wait(Span::DEPEND_WAIT, State::WaitTaskwait, Some(thread), || wait_for(depend));
    }
}

/// `GOMP_taskgroup_start`.
#[inline(always)]
pub(super) fn group_start<T: Target<Result = ()>>(call: PendingCall<'_, T>) {
    here().inspect(|thread| thread.raise(Event::TaskgroupBegin));
    call.go_on();
}

/// `GOMP_taskgroup_end`.
#[inline(always)]
pub(super) fn group<T: Target<Result = ()>>(call: PendingCall<'_, T>) {
    let thread = here();
    thread.into_iter().for_each(want_team);
    wait(Span::TASK_WAIT, State::WaitTaskgroup, thread, || call.go_on());
    thread.inspect(|thread| thread.raise(Event::TaskgroupEnd));
}

#[inline(always)]
pub(super) fn wait(span: Span, state: State, thread: Option<&'static Thread>, real: impl FnOnce()) {
    let Some(thread) = thread else { return real() };
    let wait = thread.waits().begin(span, state, 0);
    real();
    thread.waits().end(wait);
}
