//! Events of parallel regions and their implicit tasks (OpenMP 5.0, 4.5.2.3, 4.5.2.4, 4.5.2.11).
#![allow(unsafe_code)] // calls the tool

use super::context::{End, EventContext, frame, word};
use crate::region::Region;
use crate::task::flag;
use crate::v5::callbacks;
use crate::v5::types::ompt_parallel_flag_t::*;
use std::ptr::null_mut;

/// Flags of a region (`ompt_parallel_flag_t`): a league of teams, or a team of threads. If the region is a pair of
/// calls, its primary thread calls the code itself.
#[inline(always)]
fn flags(region: &Region) -> i32 {
    if region.is_league() {
        return ompt_parallel_invoker_runtime.bits() | ompt_parallel_league.bits();
    }
    let invoker = if region.is_pair() { ompt_parallel_invoker_program } else { ompt_parallel_invoker_runtime };
    invoker.bits() | ompt_parallel_team.bits()
}

#[inline(always)]
pub(super) fn begin(context: EventContext) -> Option<impl FnOnce()> {
    let (callback, region) = callbacks::PARALLEL_BEGIN.get().zip(context.thread.current.region())?;
    let (frame, data) = (frame(context.task()), word(region.data()));
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the words and the frame lie in `'static` records of
        // tasks and regions.
        unsafe { callback(context.task_data(), frame, data, region.requested(), flags(region), context.code()) };
    })
}

#[inline(always)]
pub(super) fn end(context: EventContext) -> Option<impl FnOnce()> {
    let (callback, region) = callbacks::PARALLEL_END.get().zip(context.thread.current.region())?;
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the words are null or lie in `'static` records
        // (`word`).
        unsafe { callback(word(region.data()), context.task_data(), flags(region), context.code()) };
    })
}

/// Reports the start or end of an implicit or initial task. At an implicit task's end its region may be gone, so null
/// is passed for it. The implicit region around an initial task stays: its word is passed at both ends, as LLVM's
/// runtime does, and tools read it there. A team of a league also has an initial task: its index is the team's number.
#[inline(always)]
pub(super) fn task(context: EventContext, end: End) -> Option<impl FnOnce()> {
    let callback = callbacks::IMPLICIT_TASK.get()?;
    let task = context.task();
    let initial = task.flags() & flag::INITIAL != 0;
    let league = context.thread.current.region().filter(|region| initial && region.is_league());
    let (kind, index) = match league {
        Some(_) => (flag::INITIAL, task.thread_number()),
        None if initial => (flag::INITIAL, 1),
        None => (flag::IMPLICIT, task.thread_number()),
    };
    let (parallel, size) = match end {
        End::Begin if league.is_some() => (context.parallel_data(), league.map_or(0, Region::size)),
        End::End if league.is_some() => (null_mut(), 0),
        // The enclosing region is the thread's implicit one, or a target region's.
        End::Begin if initial => (context.parallel_data(), 1),
        End::End if initial => (context.parallel_data(), 0),
        // As LLVM's runtime has it: of the team, for the primary thread.
        End::End if index == 0 => (null_mut(), context.thread.current.region().map_or(0, Region::size)),
        End::End => (null_mut(), 0),
        End::Begin => match context.thread.current.region() {
            Some(region) => (word(region.data()), region.size()),
            None => (word(context.thread.identity.outside()), 0),
        },
    };
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the words are null or lie in `'static` records of a
        // region, thread or task.
        unsafe { callback(end.into(), parallel, word(task.data()), size, index, kind.cast_signed()) };
    })
}
