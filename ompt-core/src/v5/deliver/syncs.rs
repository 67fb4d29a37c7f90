//! Events of barriers, taskwaits and taskgroups, and of the waits in them (OpenMP 5.0, 4.5.2.13; kinds of barriers as
//! in 5.1).
#![allow(unsafe_code)] // calls the tool

use super::context::{End, EventContext};
use crate::state::State;
use crate::v5::release::{self, V5_1};
use crate::v5::types::ompt_callback_sync_region_t;
use crate::v5::types::ompt_sync_region_t::{self, *};
use crate::v5::{barrier_code, callbacks};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

#[inline(always)]
pub(super) fn begin(context: EventContext, kind: ompt_sync_region_t) -> Option<impl FnOnce()> {
    either(context, callbacks::SYNC_REGION.get(), kind, End::Begin)
}

#[inline(always)]
pub(super) fn end(context: EventContext, kind: ompt_sync_region_t) -> Option<impl FnOnce()> {
    either(context, callbacks::SYNC_REGION.get(), kind, End::End)
}

/// Reports the start or end of a taskwait, or of the wait at a taskgroup's end, which is in a region that began
/// earlier.
#[inline(always)]
pub(super) fn task_wait(context: EventContext, end: End) -> Option<impl FnOnce()> {
    let group = context.thread.activity.now().state() == State::WaitTaskgroup;
    let (region, kind) = if group {
        (None, ompt_sync_region_taskgroup)
    } else {
        (callbacks::SYNC_REGION.get(), ompt_sync_region_taskwait)
    };
    either(context, region, kind, end)
}

#[inline(always)]
pub(super) fn taskgroup(context: EventContext, end: End) -> Option<impl FnOnce()> {
    let callback = callbacks::SYNC_REGION.get()?;
    Some(move || call(context, Some(callback), ompt_sync_region_taskgroup, end))
}

/// The call that reports the region, the wait, or both.
#[inline(always)]
fn either(
    context: EventContext,
    region: ompt_callback_sync_region_t,
    kind: ompt_sync_region_t,
    end: End,
) -> Option<impl FnOnce()> {
    let wait = callbacks::SYNC_REGION_WAIT.get();
    let (one, both) = (region.or(wait)?, region.is_some() && wait.is_some());
    Some(move || match end {
        _ if !both => call(context, Some(one), kind, end),
        End::Begin => begin_both(context, kind),
        End::End => end_both(context, kind),
    })
}

/// Reports the start of a region and of the wait in it. The tool may remove the second callback in the first one.
#[inline(never)]
fn begin_both(context: EventContext, kind: ompt_sync_region_t) {
    call(context, callbacks::SYNC_REGION.get(), kind, End::Begin);
    call(context, callbacks::SYNC_REGION_WAIT.get(), kind, End::Begin);
}

#[inline(never)]
fn end_both(context: EventContext, kind: ompt_sync_region_t) {
    call(context, callbacks::SYNC_REGION_WAIT.get(), kind, End::End);
    call(context, callbacks::SYNC_REGION.get(), kind, End::End);
}

/// The address that the event is reported with. Not inlined: each callback's report would have it.
#[inline(never)]
fn code(context: EventContext, is_last: bool) -> *const c_void {
    if is_last && !barrier_code::is_known(context.thread) { null() } else { context.code() }
}

#[inline(always)]
fn call(context: EventContext, callback: ompt_callback_sync_region_t, kind: ompt_sync_region_t, end: End) {
    let Some(callback) = callback else { return };
    let reported = match kind {
        ompt_sync_region_barrier_implicit_parallel | ompt_sync_region_barrier_implicit_workshare
            if release::is_before(V5_1) =>
        {
            ompt_sync_region_barrier_implicit
        }
        kind => kind,
    };
    // After a region's last barrier the region may be gone.
    let is_last = kind == ompt_sync_region_barrier_implicit_parallel;
    let gone = is_last && matches!(end, End::End);
    let parallel = if gone { null_mut() } else { context.parallel_data() };
    let code = code(context, is_last);
    // SAFETY: the callback has this signature (`Kind::get`); the words are null or lie in `'static` records of a region
    // and a task.
    unsafe { callback(reported, end.into(), parallel, context.task_data(), code) };
}
