//! Barriers, waits for tasks, and reductions (OpenMP 5.0, 4.5.2.13 to 4.5.2.15).

use super::{BEGIN, BEGIN_AND_END, END, Reduction, SyncRegion, SyncRegionWait, note_call};
use crate::ompt::tools::reports_to_core;
use crate::ompt::{blocks, syncs};

pub(super) fn region(event: SyncRegion<'_>) {
    let SyncRegion { kind, endpoint, task, code, .. } = event;
    let block = if reports_to_core() { blocks::of_or_new(task) } else { None };
    if endpoint == BEGIN
        && let Some(block) = block
    {
        note_call(code);
        syncs::begin_region(kind, block);
    }
    event.invoke();
    if endpoint == END
        && let Some(block) = block
    {
        note_call(code);
        syncs::end_region(kind, block);
    }
}

pub(super) fn wait(event: SyncRegionWait<'_>) {
    let SyncRegionWait { kind, endpoint, task, code, .. } = event;
    let block = if reports_to_core() { blocks::of_or_new(task) } else { None };
    if endpoint == BEGIN
        && let Some(block) = block
    {
        note_call(code);
        syncs::begin_wait(kind, block, code);
    }
    event.invoke();
    if endpoint == END
        && let Some(block) = block
    {
        note_call(code);
        syncs::end_wait(block);
    }
}

pub(super) fn reduction(event: Reduction<'_>) {
    let Reduction { endpoint, task, .. } = event;
    let block = if reports_to_core() && endpoint != BEGIN_AND_END { blocks::of_or_new(task) } else { None };
    if let Some(block) = block {
        syncs::reduce(block, endpoint == BEGIN);
    }
    event.invoke();
}
