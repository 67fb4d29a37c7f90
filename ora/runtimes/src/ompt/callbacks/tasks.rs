//! Explicit tasks (OpenMP 5.0, 4.5.2.7 to 4.5.2.10, 4.5.2.18).

use super::{TaskCreate, TaskSchedule};
use crate::ompt::tools::reports_to_core;
use crate::ompt::{blocks, tasks};
use ompt_core::frame::Frame;

pub(super) fn create(event: TaskCreate<'_>) {
    let TaskCreate { frame, task, flags, depends, code, .. } = event;
    let block = blocks::of_or_new(task);
    if reports_to_core()
        && let Some(block) = block
    {
        let frame = frame.map_or(0, Frame::enter);
        tasks::create(block, frame, flags, depends != 0, code);
    }
    event.invoke();
}

pub(super) fn schedule(event: TaskSchedule<'_>) {
    let TaskSchedule { prior, status, next, .. } = event;
    event.invoke();
    if reports_to_core() {
        tasks::schedule(prior, status, blocks::of_or_new(next));
    }
    if tasks::is_over(status) {
        blocks::free_task(prior);
    }
}
