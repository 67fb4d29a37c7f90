//! Events of threads, parallel regions, and the tasks that come with them (TR2, 3.1 and 3.2.2).

use super::{Here, waits};
use crate::detail::Detail;
use crate::task::flag;
use crate::tr2::call;
use crate::tr2::types::ompt_event_t::{self, *};
use crate::tr2::types::ompt_thread_type_t::*;

/// Reports the start of a region. The encountering task is current, the new region is on the thread's stack of regions.
#[inline(always)]
pub(super) fn begin(here: Here) {
    if let Some((region, task)) = here.thread.current.region().zip(here.thread.current.task()) {
        call::new_parallel(
            ompt_event_parallel_begin,
            here.epoch,
            here.thread.task_ids.id_of(task),
            Some(task.frame()),
            region.id(),
            region.requested(),
            region.function(),
        );
    }
}

/// Reports the end of a region. The encountering task is current again.
#[inline(always)]
pub(super) fn end(here: Here) {
    let (region, task) = here.place();
    call::parallel(ompt_event_parallel_end, here.epoch, region, task);
}

/// Reports the start of the thread's implicit or initial task. A target region's initial task may interrupt a wait.
#[inline(always)]
pub(super) fn begin_task(here: Here, detail: &Detail<'_>) {
    if let Detail::Initial { encountering, wait } = detail {
        waits::interrupt(here, encountering, wait);
    }
    task(here, ompt_event_implicit_task_begin, ompt_event_initial_task_begin);
}

/// Reports the end of the thread's implicit or initial task.
#[inline(always)]
pub(super) fn end_task(here: Here, detail: &Detail<'_>) {
    task(here, ompt_event_implicit_task_end, ompt_event_initial_task_end);
    if let Detail::Initial { encountering, wait } = detail {
        waits::go_on(here, encountering, wait);
    }
}

#[inline(always)]
fn task(here: Here, implicit: ompt_event_t, initial: ompt_event_t) {
    let (region, id) = here.place();
    if here.thread.current.task().is_some_and(|task| task.flags() & flag::INITIAL != 0) {
        call::initial_task(initial, here.epoch, id, id);
    } else {
        call::parallel(implicit, here.epoch, region, id);
    }
}

/// Reports the start or end of a thread. A thread that the program created itself is not an initial thread in this
/// interface's sense.
#[inline(always)]
pub(super) fn thread(here: Here, event: ompt_event_t) {
    let kind = if here.thread.identity.is_worker() {
        ompt_thread_worker
    } else if here.thread.identity.is_initial() {
        ompt_thread_initial
    } else {
        ompt_thread_other
    };
    call::thread_type(event, here.epoch, kind, here.thread.id());
}
