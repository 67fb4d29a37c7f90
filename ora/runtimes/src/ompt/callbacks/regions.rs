//! Regions, their implicit tasks, and the work that these share (OpenMP 5.0, 4.5.2.3 to 4.5.2.6, 4.5.2.11, 4.5.2.12).

use super::{BEGIN, END, ImplicitTask, Masked, ParallelBegin, ParallelEnd, Work, note_call};
use crate::ompt::runtime::WordAt;
use crate::ompt::tools::{reports_to_core, reports_to_core_without_use};
use crate::ompt::{blocks, regions, work};
use ompt_core::frame::Frame;
use std::ffi::c_int;
use std::ptr::from_ref;
use std::sync::atomic::AtomicU64;

pub(super) fn begin(event: ParallelBegin<'_>) {
    let ParallelBegin { frame, parallel, requested, flags, code, .. } = event;
    let block = blocks::of_or_new(parallel);
    block.into_iter().for_each(blocks::begin_region);
    if reports_to_core()
        && let Some(block) = block
    {
        let frame = frame.map_or(0, Frame::enter);
        regions::begin(block, frame, requested, flags, code);
    }
    event.invoke();
}

pub(super) fn end(event: ParallelEnd<'_>) {
    let Some(block) = blocks::innermost() else {
        // It began before our callbacks were registered.
        event.invoke();
        return;
    };
    let flags = event.flags;
    // Replaces the runtime's word: each tool's own word is found by it.
    let word = AtomicU64::new(from_ref(block) as u64);
    let mut event: ParallelEnd<'_> = event;
    event.parallel = WordAt::of(&word);
    event.invoke();
    if reports_to_core_without_use() {
        regions::end(block, flags);
    }
    blocks::end_region(block);
}

pub(super) fn implicit_task(event: ImplicitTask<'_>) {
    let ImplicitTask { endpoint, parallel, task, size, index, flags, .. } = event;
    let core = reports_to_core_without_use();
    if endpoint == BEGIN {
        let (region, block) = (blocks::of_or_new(parallel), blocks::of_or_new(task));
        if core {
            regions::begin_task(region, block, size, index, flags);
        }
    }
    event.invoke();
    if endpoint == END {
        if core {
            regions::end_task(blocks::of(task));
        }
        blocks::free(task);
        if flags & INITIAL != 0 {
            blocks::free_implicit(parallel);
        }
    }
}

/// `ompt_task_initial`
const INITIAL: c_int = 1;

pub(super) fn work(event: Work<'_>) {
    let Work { kind, endpoint, count, code, .. } = event;
    let core = reports_to_core();
    if core && endpoint != END {
        note_call(code);
        work::begin(kind, count);
    }
    event.invoke();
    if core && endpoint != BEGIN {
        note_call(code);
        work::end(kind, count);
    }
}

pub(super) fn masked(event: Masked<'_>) {
    let Masked { endpoint, task, .. } = event;
    let block = if reports_to_core() { blocks::of_or_new(task) } else { None };
    if endpoint == BEGIN {
        block.into_iter().for_each(work::begin_masked);
    }
    event.invoke();
    if endpoint == END {
        block.into_iter().for_each(work::end_masked);
    }
}
