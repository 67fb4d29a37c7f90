//! Translation of a core event to the tool's callbacks (TR2, section 3).
//!
//! One core event can be two events here: a barrier, for instance, is a region and the wait in it. The region's start
//! is reported before the wait's, and its end after.

mod mutexes;
mod regions;
mod tasks;
mod waits;
mod work;

use super::types::ompt_event_t::*;
use super::{call, callback_period};
use crate::detail::Detail;
use crate::dispatch::{Callbacks, Interface};
use crate::event::Event;
use crate::thread::Thread;

/// The thread on which an event happens, and the session that is notified.
#[derive(Clone, Copy)]
struct Here {
    thread: &'static Thread,
    epoch: u32,
}

impl Here {
    /// The ids of the region and the task that the thread executes.
    #[inline(always)]
    fn place(self) -> (u64, u64) {
        (self.thread.activity.region_id(), self.task())
    }

    /// The id of the task that the thread executes.
    #[inline(always)]
    fn task(self) -> u64 {
        self.thread.current.task().map_or(0, |task| self.thread.task_ids.id_of(task))
    }
}

/// Builds the TR2 table: [`deliver`] calls each event's callbacks. An event without a callback of its own still allows
/// its end to be reported. Callbacks come in pairs if the tool registers them so, and never change within a session.
macro_rules! callbacks {
    ($($event:ident)*) => {
        crate::callbacks! { Interface::Tr2, |thread, detail, epoch|: $(
            $event => Some(move || deliver(thread, Event::$event, detail, epoch));
        )* }
    };
}

pub(super) static CALLBACKS: Callbacks = callbacks! {
    ParallelBegin ParallelEnd ImplicitTaskBegin ImplicitTaskEnd ThreadBegin
    ThreadEnd IdleBegin IdleEnd TaskCreate TaskSwitch
    RegionBarrierWaitBegin WorkBarrierWaitBegin ExplicitBarrierWaitBegin RegionBarrierWaitEnd WorkBarrierWaitEnd
    ExplicitBarrierWaitEnd TaskWaitBegin DependWaitBegin TaskWaitEnd DependWaitEnd
    TaskgroupBegin TaskgroupEnd LockWaitBegin CriticalWaitBegin AtomicWaitBegin
    OrderedWaitBegin WorkBegin WorkEnd SingleBegin SingleEnd
    MaskedBegin MaskedEnd MutexAcquired MutexReleased NestLockBegin
    NestLockEnd LockInit LockDestroy Control Shutdown
};

/// Invokes the callbacks of the event.
#[inline(always)]
fn deliver(thread: &'static Thread, event: Event, detail: &Detail<'_>, epoch: u32) {
    use Event::*;
    let here = Here { thread, epoch };
    match event {
        ParallelBegin => regions::begin(here),
        ParallelEnd => regions::end(here),
        ImplicitTaskBegin => regions::begin_task(here, detail),
        ImplicitTaskEnd => regions::end_task(here, detail),
        ThreadBegin => regions::thread(here, ompt_event_thread_begin),
        ThreadEnd => regions::thread(here, ompt_event_thread_end),
        IdleBegin => call::thread(ompt_event_idle_begin, epoch, thread.id()),
        IdleEnd => call::thread(ompt_event_idle_end, epoch, thread.id()),
        TaskCreate => tasks::create(here, detail),
        TaskSwitch => tasks::switch(here, detail),
        RegionBarrierWaitBegin | WorkBarrierWaitBegin | ExplicitBarrierWaitBegin => waits::begin_barrier(here),
        RegionBarrierWaitEnd | WorkBarrierWaitEnd | ExplicitBarrierWaitEnd => waits::end_barrier(here),
        TaskWaitBegin | DependWaitBegin => waits::begin_for_tasks(here),
        TaskWaitEnd | DependWaitEnd => waits::end_for_tasks(here),
        TaskgroupBegin => waits::place(here, ompt_event_taskgroup_begin),
        TaskgroupEnd => waits::place(here, ompt_event_taskgroup_end),
        LockWaitBegin => waits::begin_for_lock(here),
        CriticalWaitBegin => waits::begin(here, ompt_event_wait_critical),
        AtomicWaitBegin => waits::begin(here, ompt_event_wait_atomic),
        OrderedWaitBegin => waits::begin(here, ompt_event_wait_ordered),
        WorkBegin => work::begin(here, detail),
        WorkEnd => work::end(here, detail),
        SingleBegin => work::begin_region(here, ompt_event_single_in_block_begin),
        SingleEnd => waits::place(here, ompt_event_single_in_block_end),
        MaskedBegin => waits::place(here, ompt_event_master_begin),
        MaskedEnd => waits::place(here, ompt_event_master_end),
        MutexAcquired => mutexes::acquired(here, detail),
        MutexReleased => mutexes::released(here, detail),
        NestLockBegin => mutexes::report(here, ompt_event_acquired_nest_lock_next, detail),
        NestLockEnd => mutexes::report(here, ompt_event_release_nest_lock_prev, detail),
        LockInit => mutexes::life(here, (ompt_event_init_lock, ompt_event_init_nest_lock), detail),
        LockDestroy => mutexes::life(here, (ompt_event_destroy_lock, ompt_event_destroy_nest_lock), detail),
        Control => {
            if let Detail::Control { command, modifier, .. } = detail {
                call::control(ompt_event_control, epoch, *command, *modifier);
            }
        }
        Shutdown => callback_period::shut_down(),
        _ => {}
    }
}
