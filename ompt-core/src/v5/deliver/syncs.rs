//! Barriers, taskwaits and taskgroups, and the waits in them (OpenMP 5.0, 4.5.2.13; kinds of barriers as in 5.1).
#![allow(unsafe_code)] // calls the tool

use super::scene::{End, Scene};
use crate::state::State;
use crate::thread::Thread;
use crate::v5::callbacks::{self, Kind};
use crate::v5::types::ompt_sync_region_t::{self, *};
use crate::v5::types::ompt_callback_sync_region_t;
use std::ptr::null_mut;

/// The region begins, then the wait.
#[inline(always)]
pub(super) fn begin(scene: &Scene, kind: ompt_sync_region_t) -> bool {
    let region = tell(scene, &callbacks::SYNC_REGION, kind, End::Begin);
    tell(scene, &callbacks::SYNC_REGION_WAIT, kind, End::Begin) || region
}

/// The wait is over, then the region.
#[inline(always)]
pub(super) fn end(scene: &Scene, kind: ompt_sync_region_t) -> bool {
    let wait = tell(scene, &callbacks::SYNC_REGION_WAIT, kind, End::End);
    tell(scene, &callbacks::SYNC_REGION, kind, End::End) || wait
}

/// The wait at a taskgroup's end lies in a region that began earlier.
#[inline(always)]
pub(super) fn begin_task_wait(scene: &Scene) -> bool {
    if is_taskgroup(scene) {
        tell(scene, &callbacks::SYNC_REGION_WAIT, ompt_sync_region_taskgroup, End::Begin)
    } else {
        begin(scene, ompt_sync_region_taskwait)
    }
}

#[inline(always)]
pub(super) fn end_task_wait(scene: &Scene) -> bool {
    if is_taskgroup(scene) {
        tell(scene, &callbacks::SYNC_REGION_WAIT, ompt_sync_region_taskgroup, End::End)
    } else {
        end(scene, ompt_sync_region_taskwait)
    }
}

#[inline(always)]
pub(super) fn taskgroup(scene: &Scene, end: End) -> bool {
    tell(scene, &callbacks::SYNC_REGION, ompt_sync_region_taskgroup, end)
}

#[inline(always)]
fn is_taskgroup(scene: &Scene) -> bool {
    Thread::state_in(scene.thread.now()) == State::WaitTaskgroup
}

#[inline(always)]
fn tell(scene: &Scene, to: &Kind<ompt_callback_sync_region_t>, kind: ompt_sync_region_t, end: End) -> bool {
    let Some(callback) = to.get() else { return false };
    // After a region's last barrier the region may be gone.
    let gone = kind == ompt_sync_region_barrier_implicit_parallel && matches!(end, End::End);
    let parallel = if gone { null_mut() } else { scene.parallel_data() };
    // SAFETY: the tool's own callback for this; the words stay till the ends of what they are for.
    unsafe { callback(kind, end.into(), parallel, scene.task_data(), scene.code()) };
    true
}
