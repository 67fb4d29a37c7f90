//! Waits of a task for others: taskwait and the end of a taskgroup. Reported also where there is nothing to wait for.
#![allow(unsafe_code)] // calls libgomp

use super::depend;
use super::instance::{Call, Instance, function, go_on, runtime};
use super::names::Entry;
use super::own_team::want_team;
use ompt_core::event::{Event, Span};
use ompt_core::graph::Deferral;
use ompt_core::state::State;
use ompt_core::task::flag::{MERGEABLE, TASKWAIT, UNDEFERRED};
use ompt_core::thread::{Thread, here};
use ompt_core::tls;
use std::mem::transmute;
use std::ptr;
use system::arch::stack_pointer;

type Routine = unsafe extern "C-unwind" fn(usize);

/// `GOMP_taskwait`.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn children<C: Call<Arguments = (), Result = ()>>(call: C, (): ()) {
    let real = function(call);
    let begin = |thread: &'static Thread| Some((thread, thread.begin_taskwait(stack_pointer())?));
    let Some((thread, taskwait)) = tls::get().and_then(begin) else {
        // SAFETY: by this function's `# Safety` the program calls the entry, which has no arguments.
        return unsafe { wait_for_children(real) };
    };
    // SAFETY: as above.
    unsafe { real() };
    thread.end_plain_taskwait(taskwait);
}

/// A taskwait that is more than one in the work of a region.
///
/// # Safety
/// `real` is `GOMP_taskwait`, which the program calls.
#[inline(never)]
unsafe fn wait_for_children(real: unsafe extern "C-unwind" fn()) {
    // SAFETY: by this function's `# Safety` the program makes the same call.
    wait(Span::TASK_WAIT, State::WaitTaskwait, here(), || unsafe { real() });
}

/// `GOMP_taskwait_depend`: waits for the tasks that a task with these dependences would wait for. Tools that follow
/// dependences are notified of it as of a task without a body.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn dependences<C: Call<Arguments = (usize,), Result = ()>>(call: C, (depend,): (usize,)) {
    let thread = here();
    let task = thread.map(Thread::new_task);
    // SAFETY: `report_task`, `depend::report` and `end_taskwait` keep no reference to the task, which lives until this function
    // returns.
    let told = thread.zip(task.as_ref().map(|task| unsafe { &*ptr::from_ref(task) }));
    if let Some((thread, task)) = told {
        task.set_flags(TASKWAIT | UNDEFERRED | MERGEABLE);
        thread.enter_runtime(tls::call());
        // SAFETY: by this function's `# Safety` the program calls the entry: `depend` is a list of dependences as compiled code
        // passes it.
        thread.report_task(task, 0, !unsafe { depend::is_empty(depend as *const usize) });
        if depend::is_subscribed() {
            // SAFETY: by this function's `# Safety` the program calls the entry: `depend` is a list of dependences as compiled
            // code passes it.
            unsafe { depend::report(thread, task, depend as *const usize, Some(Deferral::Undeferred)) };
        }
    }
    // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
    wait(Span::DEPEND_WAIT, State::WaitTaskwait, thread, || unsafe { go_on(call, (depend,)) });
    told.inspect(|(thread, task)| thread.end_taskwait(task));
}

/// A task is about to be created that is executed at once. libgomp waits for its predecessors in the same call: here the creating
/// task waits for them before, so that the wait is one, and no part of the creation. Where constructs can be cancelled, libgomp may
/// not wait at all, and is left to itself.
///
/// # Safety
/// `depend` is the list of the new task's dependences.
#[inline(never)] // its frame is gone when the task runs, and tasks that run at once nest on the stack
pub(super) unsafe fn before_undeferred(instance: impl Instance, thread: &'static Thread, depend: usize) {
    if let Some(address) = runtime(instance).address(Entry::GOMP_taskwait_depend as usize)
        && !runtime(instance).cancels()
    {
        // SAFETY: the address is that of the bound `void GOMP_taskwait_depend (void **)` (libgomp_g.h).
        let real = unsafe { transmute::<*const (), Routine>(address.0) };
        // SAFETY: by this function's `# Safety` `depend` is a list of dependences as compiled code passes it.
        wait(Span::DEPEND_WAIT, State::WaitTaskwait, Some(thread), || unsafe { real(depend) });
    }
}

/// `GOMP_taskgroup_start`.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn group_start<C: Call<Arguments = (), Result = ()>>(call: C, (): ()) {
    here().inspect(|thread| thread.raise(Event::TaskgroupBegin));
    // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
    unsafe { go_on(call, ()) };
}

/// `GOMP_taskgroup_end`.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn group<C: Call<Arguments = (), Result = ()>>(call: C, (): ()) {
    let real = function(call);
    let thread = here();
    thread.into_iter().for_each(want_team);
    // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
    wait(Span::TASK_WAIT, State::WaitTaskgroup, thread, || unsafe { real() });
    thread.inspect(|thread| thread.raise(Event::TaskgroupEnd));
}

#[inline(always)]
fn wait(span: Span, state: State, thread: Option<&'static Thread>, real: impl FnOnce()) {
    let Some(thread) = thread else { return real() };
    let wait = thread.begin_wait(span, state, 0);
    real();
    thread.end_wait(wait);
}
