//! From a core event to the callbacks that it is for the tool. One core event stands for a sync region and the wait in it:
//! the region begins first and ends last.

mod mutexes;
mod regions;
mod scene;
mod syncs;
mod tasks;
mod threads;
mod works;

use super::places;
use super::types::ompt_sync_region_t::*;
use crate::detail::Detail;
use crate::event::Event;
use crate::slab::Errno;
use crate::thread::Thread;
use scene::{End, Scene};

pub(super) use scene::{frame, word};

/// Tells the tool; false if its session is over, or it has no callback for the event.
pub(super) fn deliver(thread: &'static Thread, event: Event, detail: &Detail<'_>, epoch: u32) -> bool {
    let errno = Errno::save();
    let told = tell(&Scene { thread, epoch }, event, detail);
    errno.restore();
    told
}

fn tell(scene: &Scene, event: Event, detail: &Detail<'_>) -> bool {
    match event {
        Event::ThreadBegin => threads::begin(scene),
        Event::ThreadEnd => threads::end(scene),
        Event::ParallelBegin => regions::begin(scene),
        Event::ParallelEnd => {
            places::look(scene.thread);
            regions::end(scene)
        }
        Event::ImplicitTaskBegin => {
            places::look(scene.thread);
            regions::task(scene, End::Begin)
        }
        Event::ImplicitTaskEnd => regions::task(scene, End::End),
        Event::RegionBarrierWaitBegin => syncs::begin(scene, ompt_sync_region_barrier_implicit_parallel),
        Event::RegionBarrierWaitEnd => syncs::end(scene, ompt_sync_region_barrier_implicit_parallel),
        Event::WorkBarrierWaitBegin => syncs::begin(scene, ompt_sync_region_barrier_implicit_workshare),
        Event::WorkBarrierWaitEnd => syncs::end(scene, ompt_sync_region_barrier_implicit_workshare),
        Event::ExplicitBarrierWaitBegin => syncs::begin(scene, ompt_sync_region_barrier_explicit),
        Event::ExplicitBarrierWaitEnd => syncs::end(scene, ompt_sync_region_barrier_explicit),
        Event::TaskWaitBegin => syncs::begin_task_wait(scene),
        Event::TaskWaitEnd => syncs::end_task_wait(scene),
        Event::TaskgroupBegin => syncs::taskgroup(scene, End::Begin),
        Event::TaskgroupEnd => syncs::taskgroup(scene, End::End),
        Event::SingleBegin => works::single(scene, End::Begin),
        Event::SingleEnd => works::single(scene, End::End),
        Event::MaskedBegin => works::masked(scene, End::Begin),
        Event::MaskedEnd => works::masked(scene, End::End),
        _ => tell_in_detail(scene, event, detail),
    }
}

fn tell_in_detail(scene: &Scene, event: Event, detail: &Detail<'_>) -> bool {
    match (event, *detail) {
        (Event::TaskCreate, Detail::Create { task, depends, .. }) => tasks::create(scene, task, depends),
        (Event::TaskSwitch, Detail::Switch { prior, status, next }) => tasks::schedule(scene, prior, status, next),
        (Event::Dependences, Detail::Dependences { task, list }) => tasks::dependences(scene, task, list),
        (Event::Cancel, Detail::Cancel { construct, act }) => tasks::cancel(scene, construct, act),
        (Event::WorkBegin, Detail::Work { kind, count }) => works::work(scene, End::Begin, kind, count),
        (Event::WorkEnd, Detail::Work { kind, count }) => works::work(scene, End::End, kind, count),
        (Event::Dispatch, Detail::Dispatch { kind, first, iterations }) => {
            works::dispatch(scene, kind, first, iterations)
        }
        (Event::MutexAcquire, Detail::Mutex { kind, wait_id, hint }) => mutexes::acquire(scene, kind, wait_id, hint),
        (Event::MutexAcquired, Detail::Mutex { kind, wait_id, .. }) => mutexes::acquired(scene, kind, wait_id),
        (Event::MutexReleased, Detail::Mutex { kind, wait_id, .. }) => mutexes::released(scene, kind, wait_id),
        (Event::NestLockBegin, Detail::Mutex { wait_id, .. }) => mutexes::nest_lock(scene, End::Begin, wait_id),
        (Event::NestLockEnd, Detail::Mutex { wait_id, .. }) => mutexes::nest_lock(scene, End::End, wait_id),
        (Event::LockInit, Detail::Mutex { kind, wait_id, hint }) => mutexes::init(scene, kind, wait_id, hint),
        (Event::LockDestroy, Detail::Mutex { kind, wait_id, .. }) => mutexes::destroy(scene, kind, wait_id),
        (Event::Control, Detail::Control { command, modifier, argument, answer }) => {
            threads::control(scene, (command, modifier, argument), answer)
        }
        _ => false,
    }
}

/// What the thread had to tell at its end, if it can be told here and now: it executes no region, and its initial task.
pub(super) fn deliver_end_of(thread: &'static Thread, epoch: u32) {
    if thread.region().is_none() && !thread.is_worker() {
        for event in [Event::ImplicitTaskEnd, Event::ThreadEnd] {
            deliver(thread, event, &Detail::None, epoch);
        }
    }
}
