//! Core events that each callback needs, and the answers to registrations (OpenMP 5.0, 4.4.4.2).

use super::types::ompt_callbacks_t::{self, *};
use super::types::ompt_set_result_t::{self, *};
use crate::adapter;
use crate::event::{Event, EventSet, Span};

/// The events of barriers: each is a sync region that contains a wait.
const BARRIERS: EventSet =
    Span::REGION_BARRIER.events().union(Span::WORK_BARRIER.events()).union(Span::EXPLICIT_BARRIER.events());

/// The core events that are reported by the callback; none if nothing ever raises it.
pub(super) const fn events(callback: ompt_callbacks_t) -> EventSet {
    match callback {
        ompt_callback_thread_begin => EventSet::of(&[Event::ThreadBegin]),
        ompt_callback_thread_end => EventSet::of(&[Event::ThreadEnd]),
        ompt_callback_parallel_begin => EventSet::of(&[Event::ParallelBegin]),
        ompt_callback_parallel_end => EventSet::of(&[Event::ParallelEnd]),
        ompt_callback_implicit_task => Span::IMPLICIT_TASK.events(),
        ompt_callback_task_create => EventSet::of(&[Event::TaskCreate]),
        ompt_callback_task_schedule => EventSet::of(&[Event::TaskSwitch]),
        ompt_callback_dependences => EventSet::of(&[Event::Dependences]),
        ompt_callback_task_dependence => EventSet::of(&[Event::TaskDependence]),
        ompt_callback_work => Span::WORK.events().union(Span::SINGLE.events()),
        ompt_callback_dispatch => EventSet::of(&[Event::Dispatch]),
        ompt_callback_masked => Span::MASKED.events(),
        // A taskgroup's wait is reported with those of taskwaits; its region has events of its own.
        ompt_callback_sync_region => {
            BARRIERS.union(Span::TASK_WAIT.events()).union(EventSet::of(&[Event::TaskgroupBegin, Event::TaskgroupEnd]))
        }
        ompt_callback_sync_region_wait => BARRIERS.union(Span::TASK_WAIT.events()),
        ompt_callback_mutex_acquire => EventSet::of(&[Event::MutexAcquire]),
        ompt_callback_mutex_acquired => EventSet::of(&[Event::MutexAcquired]),
        ompt_callback_mutex_released => EventSet::of(&[Event::MutexReleased]),
        ompt_callback_nest_lock => EventSet::of(&[Event::NestLockBegin, Event::NestLockEnd]),
        ompt_callback_lock_init => EventSet::of(&[Event::LockInit]),
        ompt_callback_lock_destroy => EventSet::of(&[Event::LockDestroy]),
        ompt_callback_cancel => EventSet::of(&[Event::Cancel]),
        ompt_callback_control_tool => EventSet::of(&[Event::Control]),
        ompt_callback_error => EventSet::of(&[Event::Error]),
        ompt_callback_target
        | ompt_callback_target_emi
        | ompt_callback_target_data_op
        | ompt_callback_target_data_op_emi
        | ompt_callback_target_submit
        | ompt_callback_target_submit_emi
        | ompt_callback_device_initialize
        | ompt_callback_device_finalize
        | ompt_callback_device_load
        | ompt_callback_device_unload => EventSet::of(&[Event::Device]),
        // Compiled code calls no runtime for flushes and for the combination of results. Only the runtime knows which device memory belongs
        // to a variable.
        ompt_callback_flush | ompt_callback_reduction | ompt_callback_target_map | ompt_callback_target_map_emi => {
            EventSet::NONE
        }
    }
}

/// True if the callback reports both starts and ends.
const fn is_paired(callback: ompt_callbacks_t) -> bool {
    matches!(
        callback,
        ompt_callback_implicit_task
            | ompt_callback_work
            | ompt_callback_masked
            | ompt_callback_sync_region
            | ompt_callback_sync_region_wait
            | ompt_callback_nest_lock
    )
}

/// The answer to a registration: how often the callback is called for its event, as far as the adapters in this process
/// can tell.
pub(super) fn answer(callback: ompt_callbacks_t) -> ompt_set_result_t {
    answer_of(callback, adapter::capabilities(), adapter::seen_in_part())
}

fn answer_of(callback: ompt_callbacks_t, seen: EventSet, in_part: EventSet) -> ompt_set_result_t {
    let events = events(callback);
    let is_in_part = events.intersects(in_part);
    // Copies by functions of a device's plug-in that are not known are not reported at all.
    let is_data = matches!(callback, ompt_callback_target_data_op | ompt_callback_target_data_op_emi);
    // The program's own call reaches this library directly.
    let seen = seen.union(EventSet::of(&[Event::Control]));
    if callback == ompt_callback_task_dependence && !events.intersects(seen) {
        // The event happens inside the runtime.
        ompt_set_impossible
    } else if !events.intersects(seen) {
        ompt_set_never
    } else if seen.covers(events) && !is_in_part && !is_data {
        ompt_set_always
    } else if is_paired(callback) && !is_in_part {
        // Both ends are reported for some constructs, and none for others.
        ompt_set_sometimes_paired
    } else {
        ompt_set_sometimes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYTHING: EventSet = EventSet::from_bits(u64::MAX);

    #[test]
    fn what_no_adapter_raises_is_never_called() {
        for callback in ompt_callbacks_t::ALL {
            let answer = answer_of(callback, EventSet::NONE, EventSet::NONE);
            let own = match callback {
                ompt_callback_control_tool => ompt_set_always,
                ompt_callback_task_dependence => ompt_set_impossible,
                _ => ompt_set_never,
            };
            assert_eq!(answer, own, "{callback:?}");
        }
    }

    #[test]
    fn what_adapters_always_see_is_always_called() {
        for callback in ompt_callbacks_t::ALL {
            let answer = answer_of(callback, EVERYTHING, EventSet::NONE);
            let is_data = matches!(callback, ompt_callback_target_data_op | ompt_callback_target_data_op_emi);
            assert_eq!(answer == ompt_set_always, events(callback) != EventSet::NONE && !is_data, "{callback:?}");
        }
    }

    #[test]
    fn what_adapters_see_in_part_is_called_sometimes() {
        let in_part = Span::WORK.events().union(EventSet::of(&[Event::Cancel]));
        assert_eq!(answer_of(ompt_callback_work, EVERYTHING, in_part), ompt_set_sometimes);
        assert_eq!(answer_of(ompt_callback_cancel, EVERYTHING, in_part), ompt_set_sometimes);
        assert_eq!(answer_of(ompt_callback_sync_region, EVERYTHING, in_part), ompt_set_always);
    }

    #[test]
    fn a_callback_of_which_an_adapter_raises_one_part_only_is_called_sometimes() {
        let barriers = Span::REGION_BARRIER.events();
        assert_eq!(answer_of(ompt_callback_sync_region, barriers, EventSet::NONE), ompt_set_sometimes_paired);
        let taking = EventSet::of(&[Event::NestLockBegin]);
        assert_eq!(answer_of(ompt_callback_nest_lock, taking, EventSet::NONE), ompt_set_sometimes_paired);
    }

    #[test]
    fn the_wait_alone_asks_for_no_taskgroup_region() {
        let groups = EventSet::of(&[Event::TaskgroupBegin, Event::TaskgroupEnd]);
        assert!(events(ompt_callback_sync_region).covers(groups));
        assert!(!events(ompt_callback_sync_region_wait).intersects(groups));
    }
}
