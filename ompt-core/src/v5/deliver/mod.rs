//! Translation of a core event to the tool's callbacks. One core event represents a sync region and the wait in it: the
//! region begins first and ends last.

mod context;
mod devices;
mod mutexes;
mod regions;
mod syncs;
mod tasks;
mod threads;
mod works;

use super::places;
use super::types::ompt_sync_region_t::*;
use crate::detail::Detail;
use crate::dispatch::{Callbacks, Interface};
use crate::thread::Thread;
use context::{End, EventContext};

pub(super) use context::{frame, word};

/// Builds the OpenMP 5 table: `EVENT: |context, the detail's form| the call, if the tool has registered the callback;`.
macro_rules! callbacks {
    ($($event:ident: |$context:ident, $detail:pat_param| $call:expr;)*) => {
        crate::callbacks! { Interface::V5, |thread, detail, _epoch|: $(
            $event => {
                let $context = EventContext { thread };
                #[allow(unreachable_patterns)] // if the thread's record has everything
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
    ThreadBegin: |context, _| threads::begin(context);
    ThreadEnd: |context, _| threads::end(context);
    ParallelBegin: |context, _| regions::begin(context);
    ParallelEnd: |context, _| {
        places::look(context.thread);
        regions::end(context)
    };
    ImplicitTaskBegin: |context, _| {
        places::look(context.thread);
        regions::task(context, End::Begin)
    };
    ImplicitTaskEnd: |context, _| regions::task(context, End::End);
    RegionBarrierWaitBegin: |context, _| syncs::begin(context, ompt_sync_region_barrier_implicit_parallel);
    RegionBarrierWaitEnd: |context, _| syncs::end(context, ompt_sync_region_barrier_implicit_parallel);
    WorkBarrierWaitBegin: |context, _| syncs::begin(context, ompt_sync_region_barrier_implicit_workshare);
    WorkBarrierWaitEnd: |context, _| syncs::end(context, ompt_sync_region_barrier_implicit_workshare);
    ExplicitBarrierWaitBegin: |context, _| syncs::begin(context, ompt_sync_region_barrier_explicit);
    ExplicitBarrierWaitEnd: |context, _| syncs::end(context, ompt_sync_region_barrier_explicit);
    TaskWaitBegin: |context, _| syncs::task_wait(context, End::Begin);
    TaskWaitEnd: |context, _| syncs::task_wait(context, End::End);
    TaskgroupBegin: |context, _| syncs::taskgroup(context, End::Begin);
    TaskgroupEnd: |context, _| syncs::taskgroup(context, End::End);
    SingleBegin: |context, _| works::single(context, End::Begin);
    SingleEnd: |context, _| works::single(context, End::End);
    MaskedBegin: |context, _| works::masked(context, End::Begin);
    MaskedEnd: |context, _| works::masked(context, End::End);
    TaskCreate: |context, Detail::Create { task, depends, .. }| tasks::create(context, task, depends);
    TaskSwitch: |_scene, Detail::Switch { prior, status, next, .. }| tasks::schedule(prior, status, next);
    Dependences: |_scene, Detail::Dependences { task, list }| tasks::dependences(task, list);
    TaskDependence: |_scene, Detail::TaskDependence { first, second }| tasks::dependence(first, second);
    Cancel: |context, Detail::Cancel { construct, act }| tasks::cancel(context, construct, act);
    WorkBegin: |context, Detail::Work { kind, count }| works::work(context, End::Begin, kind, count);
    WorkEnd: |context, Detail::Work { kind, count }| works::work(context, End::End, kind, count);
    Dispatch: |context, Detail::Dispatch { kind, first, iterations }| works::dispatch(context, kind, first, iterations);
    MutexAcquire: |context, Detail::Mutex { kind, wait_id, hint }| mutexes::acquire(context, kind, wait_id, hint);
    MutexAcquired: |context, Detail::Mutex { kind, wait_id, .. }| mutexes::acquired(context, kind, wait_id);
    MutexReleased: |context, Detail::Mutex { kind, wait_id, .. }| mutexes::released(context, kind, wait_id);
    NestLockBegin: |context, Detail::Mutex { wait_id, .. }| mutexes::nest_lock(context, End::Begin, wait_id);
    NestLockEnd: |context, Detail::Mutex { wait_id, .. }| mutexes::nest_lock(context, End::End, wait_id);
    LockInit: |context, Detail::Mutex { kind, wait_id, hint }| mutexes::init(context, kind, wait_id, hint);
    LockDestroy: |context, Detail::Mutex { kind, wait_id, .. }| mutexes::destroy(context, kind, wait_id);
    Device: |context, detail| devices::device(context, detail);
    Error: |context, Detail::Error { is_fatal, message }| devices::error(context, is_fatal, message);
    Control: |context, Detail::Control { command, modifier, argument, answer }| {
        threads::control(context, (command, modifier, argument), answer)
    };
};

/// Reports the end of a thread, if that is possible now: the thread executes no region. The tool may be inside a
/// callback, since it has requested this.
pub(super) fn deliver_end_of(thread: &'static Thread) {
    if thread.current.region().is_none() {
        let context = EventContext { thread };
        if !thread.identity.is_worker()
            && let Some(report) = regions::task(context, End::End)
        {
            report();
        }
        if let Some(report) = threads::end(context) {
            report();
        }
    }
}
