//! Events of waits, and of the regions that contain them (TR2, 3.2.1, and 3.2.2 from "Barriers" on).

use super::Here;
use crate::detail::Interrupted;
use crate::dispatch::Interface;
use crate::state::State;
use crate::task::Task;
use crate::tr2::call;
use crate::tr2::types::ompt_event_t::{self, *};

/// Reports an event of the thread's task whose only arguments are the ids of region and task.
#[inline(always)]
pub(super) fn place(here: Here, event: ompt_event_t) {
    let (region, task) = here.place();
    call::parallel(event, here.epoch, region, task);
}

#[inline(always)]
pub(super) fn begin_barrier(here: Here) {
    place(here, ompt_event_barrier_begin);
    place(here, ompt_event_wait_barrier_begin);
}

#[inline(always)]
pub(super) fn end_barrier(here: Here) {
    place(here, ompt_event_wait_barrier_end);
    place(here, ompt_event_barrier_end);
}

/// Reports the start of a wait for tasks: either a taskwait, which is a separate region, or the wait at the end of a
/// taskgroup.
#[inline(always)]
pub(super) fn begin_for_tasks(here: Here) {
    if state(here) == State::WaitTaskgroup {
        place(here, ompt_event_wait_taskgroup_begin);
    } else {
        place(here, ompt_event_taskwait_begin);
        place(here, ompt_event_wait_taskwait_begin);
    }
}

#[inline(always)]
pub(super) fn end_for_tasks(here: Here) {
    if state(here) == State::WaitTaskgroup {
        place(here, ompt_event_wait_taskgroup_end);
    } else {
        place(here, ompt_event_wait_taskwait_end);
        place(here, ompt_event_taskwait_end);
    }
}

/// Reports the end of a wait that a task interrupts: no event comes in the middle of a wait.
pub(super) fn interrupt(here: Here, task: &'static Task, wait: &Interrupted) {
    let ends = [ompt_event_wait_barrier_end, ompt_event_wait_taskwait_end, ompt_event_wait_taskgroup_end];
    within(here, task, wait, ends);
}

/// Reports the start of a wait that continues after a task.
pub(super) fn go_on(here: Here, task: &'static Task, wait: &Interrupted) {
    let begins = [ompt_event_wait_barrier_begin, ompt_event_wait_taskwait_begin, ompt_event_wait_taskgroup_begin];
    within(here, task, wait, begins);
}

/// Calls back for the event that belongs to the wait, with state and task of the wait.
fn within(here: Here, task: &'static Task, wait: &Interrupted, [barrier, taskwait, taskgroup]: [ompt_event_t; 3]) {
    if !wait.was_notified(Interface::Tr2, here.epoch) {
        return;
    }
    let (now, current) = (here.thread.activity.now(), here.thread.current.switch_task(Some(task)));
    here.thread.activity.set_now(wait.now);
    place(
        here,
        match wait.now.state() {
            State::WaitTaskwait => taskwait,
            State::WaitTaskgroup => taskgroup,
            _ => barrier,
        },
    );
    here.thread.activity.set_now(now);
    here.thread.current.switch_task(current);
}

#[inline(always)]
pub(super) fn begin_for_lock(here: Here) {
    begin(here, if state(here) == State::WaitNestLock { ompt_event_wait_nest_lock } else { ompt_event_wait_lock });
}

/// Reports the start of a wait for a mutex.
#[inline(always)]
pub(super) fn begin(here: Here, event: ompt_event_t) {
    call::wait(event, here.epoch, here.thread.activity.wait_id());
}

#[inline(always)]
fn state(here: Here) -> State {
    here.thread.activity.now().state()
}
