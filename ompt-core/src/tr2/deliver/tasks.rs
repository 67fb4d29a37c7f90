//! Events of explicit tasks (TR2, 3.1 "Tasks", 3.2.2 "Task Creation and Destruction").

use super::{Here, waits};
use crate::detail::{Detail, Status};
use crate::task::flag;
use crate::tr2::call;
use crate::tr2::types::ompt_event_t::*;

/// Reports the creation of a task. The creating task is current. Target tasks, and tasks that only represent a taskwait with
/// dependences, don't exist in this interface.
#[inline(always)]
pub(super) fn create(here: Here, detail: &Detail<'_>) {
    let Detail::Create { task, function, .. } = detail else { return };
    if task.flags() & (flag::TASKWAIT | flag::TARGET) != 0 {
        return;
    }
    let parent = here.thread.current.task();
    call::new_task(
        ompt_event_task_begin,
        here.epoch,
        here.task(),
        parent.map(|parent| parent.frame()),
        here.thread.task_ids.id_of(task),
        *function,
    );
}

/// Reports a task switch. The end of a complete task is reported before the thread continues with another one. The
/// latter is current while the switch is reported; the complete task's id is 0 there.
#[inline(always)]
pub(super) fn switch(here: Here, detail: &Detail<'_>) {
    let Detail::Switch { prior, status, next, wait } = detail else { return };
    if (prior.flags() | next.flags()) & flag::TARGET != 0 {
        // Only the wait is reported that the target task interrupts.
        return match status {
            Status::Switch => waits::interrupt(here, prior, wait),
            _ => waits::go_on(here, next, wait),
        };
    }
    let complete = match status {
        Status::Complete | Status::Cancel | Status::LateFulfil => true,
        Status::Switch | Status::Detach => false,
        Status::EarlyFulfil | Status::TaskwaitComplete => return,
    };
    let before = here.thread.current.task();
    if matches!(status, Status::Switch) {
        waits::interrupt(here, prior, wait);
    }
    if complete {
        // The start of a discarded task was reported; here it is current as if it had run.
        if matches!(status, Status::Cancel) {
            here.thread.current.switch_task(Some(prior));
        }
        call::task(ompt_event_task_end, here.epoch, here.thread.task_ids.id_of(prior));
        // No thread now executes a task whose event was fulfilled late.
        if !here.thread.current.task().is_some_and(|task| std::ptr::eq(task, *prior)) {
            return;
        }
    }
    let suspended = if complete { 0 } else { here.thread.task_ids.id_of(prior) };
    here.thread.current.switch_task(Some(next));
    call::task_switch(ompt_event_task_switch, here.epoch, suspended, here.thread.task_ids.id_of(next));
    if !matches!(status, Status::Switch) {
        waits::go_on(here, next, wait);
    }
    here.thread.current.switch_task(before);
}
