//! Translation of a core event to the tool's callbacks. One core event stands for a sync region and the wait in it: the
//! region begins first and ends last.

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
use crate::dispatch::{Callbacks, Face};
use crate::thread::Thread;
use scene::{End, Scene};

pub(super) use scene::{frame, word};

/// Builds the OpenMP 5 table: `EVENT: |scene, the detail's form| the call, if the tool has registered the callback;`.
macro_rules! callbacks {
    ($($event:ident: |$scene:ident, $detail:pat_param| $call:expr;)*) => {
        crate::callbacks! { Face::V5, |thread, detail, _epoch|: $(
            $event => {
                let $scene = Scene { thread };
                #[allow(unreachable_patterns)] // where the record of the thread has everything
                match *detail {
                    $detail => $call,
                    _ => None,
                }
            };
        )* }
    };
}

/// Dispatch table: the callback of each event.
pub(super) static CALLBACKS: Callbacks = callbacks! {
    ThreadBegin: |scene, _| threads::begin(scene);
    ThreadEnd: |scene, _| threads::end(scene);
    ParallelBegin: |scene, _| regions::begin(scene);
    ParallelEnd: |scene, _| {
        places::look(scene.thread);
        regions::end(scene)
    };
    ImplicitTaskBegin: |scene, _| {
        places::look(scene.thread);
        regions::task(scene, End::Begin)
    };
    ImplicitTaskEnd: |scene, _| regions::task(scene, End::End);
    RegionBarrierWaitBegin: |scene, _| syncs::begin(scene, ompt_sync_region_barrier_implicit_parallel);
    RegionBarrierWaitEnd: |scene, _| syncs::end(scene, ompt_sync_region_barrier_implicit_parallel);
    WorkBarrierWaitBegin: |scene, _| syncs::begin(scene, ompt_sync_region_barrier_implicit_workshare);
    WorkBarrierWaitEnd: |scene, _| syncs::end(scene, ompt_sync_region_barrier_implicit_workshare);
    ExplicitBarrierWaitBegin: |scene, _| syncs::begin(scene, ompt_sync_region_barrier_explicit);
    ExplicitBarrierWaitEnd: |scene, _| syncs::end(scene, ompt_sync_region_barrier_explicit);
    TaskWaitBegin: |scene, _| syncs::task_wait(scene, End::Begin);
    TaskWaitEnd: |scene, _| syncs::task_wait(scene, End::End);
    TaskgroupBegin: |scene, _| syncs::taskgroup(scene, End::Begin);
    TaskgroupEnd: |scene, _| syncs::taskgroup(scene, End::End);
    SingleBegin: |scene, _| works::single(scene, End::Begin);
    SingleEnd: |scene, _| works::single(scene, End::End);
    MaskedBegin: |scene, _| works::masked(scene, End::Begin);
    MaskedEnd: |scene, _| works::masked(scene, End::End);
    TaskCreate: |scene, Detail::Create { task, depends, .. }| tasks::create(scene, task, depends);
    TaskSwitch: |_scene, Detail::Switch { prior, status, next, .. }| tasks::schedule(prior, status, next);
    Dependences: |_scene, Detail::Dependences { task, list }| tasks::dependences(task, list);
    TaskDependence: |_scene, Detail::TaskDependence { first, second }| tasks::dependence(first, second);
    Cancel: |scene, Detail::Cancel { construct, act }| tasks::cancel(scene, construct, act);
    WorkBegin: |scene, Detail::Work { kind, count }| works::work(scene, End::Begin, kind, count);
    WorkEnd: |scene, Detail::Work { kind, count }| works::work(scene, End::End, kind, count);
    Dispatch: |scene, Detail::Dispatch { kind, first, iterations }| works::dispatch(scene, kind, first, iterations);
    MutexAcquire: |scene, Detail::Mutex { kind, wait_id, hint }| mutexes::acquire(scene, kind, wait_id, hint);
    MutexAcquired: |scene, Detail::Mutex { kind, wait_id, .. }| mutexes::acquired(scene, kind, wait_id);
    MutexReleased: |scene, Detail::Mutex { kind, wait_id, .. }| mutexes::released(scene, kind, wait_id);
    NestLockBegin: |scene, Detail::Mutex { wait_id, .. }| mutexes::nest_lock(scene, End::Begin, wait_id);
    NestLockEnd: |scene, Detail::Mutex { wait_id, .. }| mutexes::nest_lock(scene, End::End, wait_id);
    LockInit: |scene, Detail::Mutex { kind, wait_id, hint }| mutexes::init(scene, kind, wait_id, hint);
    LockDestroy: |scene, Detail::Mutex { kind, wait_id, .. }| mutexes::destroy(scene, kind, wait_id);
    Control: |scene, Detail::Control { command, modifier, argument, answer }| {
        threads::control(scene, (command, modifier, argument), answer)
    };
};

/// Reports the end of a thread, if that is possible here and now: it executes no region. The tool may be inside of a
/// callback, since it has asked for this.
pub(super) fn deliver_end_of(thread: &'static Thread) {
    if thread.region().is_none() {
        let scene = Scene { thread };
        if !thread.is_worker()
            && let Some(tell) = regions::task(scene, End::End)
        {
            tell();
        }
        if let Some(tell) = threads::end(scene) {
            tell();
        }
    }
}
