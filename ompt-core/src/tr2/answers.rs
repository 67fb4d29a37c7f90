//! Core events that make up each event of TR2, and the answers of `ompt_set_callback` that follow from them (6.1.2,
//! table 3).

use super::types::ompt_event_t;
use super::types::ompt_event_t::*;
use super::types::ompt_tr2_set_result_t;
use super::types::ompt_tr2_set_result_t::*;
use crate::event::{Event, EventSet};

/// The core events that are reported as `event`; none if no adapter can report it.
pub(super) const fn core_events(event: ompt_event_t) -> EventSet {
    use Event::*;
    EventSet::of(match event {
        ompt_event_parallel_begin => &[ParallelBegin],
        ompt_event_parallel_end => &[ParallelEnd],
        ompt_event_task_begin => &[TaskCreate],
        ompt_event_task_end | ompt_event_task_switch => &[TaskSwitch],
        ompt_event_thread_begin => &[ThreadBegin],
        ompt_event_thread_end => &[ThreadEnd],
        ompt_event_control => &[Control],
        ompt_event_runtime_shutdown => &[Shutdown],
        ompt_event_idle_begin => &[IdleBegin],
        ompt_event_idle_end => &[IdleEnd],
        ompt_event_wait_barrier_begin | ompt_event_barrier_begin => {
            &[RegionBarrierWaitBegin, WorkBarrierWaitBegin, ExplicitBarrierWaitBegin]
        }
        ompt_event_wait_barrier_end | ompt_event_barrier_end => {
            &[RegionBarrierWaitEnd, WorkBarrierWaitEnd, ExplicitBarrierWaitEnd]
        }
        ompt_event_wait_taskwait_begin | ompt_event_taskwait_begin => &[TaskWaitBegin, DependWaitBegin],
        ompt_event_wait_taskwait_end | ompt_event_taskwait_end => &[TaskWaitEnd, DependWaitEnd],
        ompt_event_wait_taskgroup_begin => &[TaskWaitBegin],
        ompt_event_wait_taskgroup_end => &[TaskWaitEnd],
        ompt_event_taskgroup_begin => &[TaskgroupBegin],
        ompt_event_taskgroup_end => &[TaskgroupEnd],
        ompt_event_release_lock
        | ompt_event_release_nest_lock_last
        | ompt_event_release_critical
        | ompt_event_release_atomic
        | ompt_event_release_ordered => &[MutexReleased],
        ompt_event_release_nest_lock_prev => &[NestLockEnd],
        ompt_event_wait_lock | ompt_event_wait_nest_lock => &[LockWaitBegin],
        ompt_event_wait_critical => &[CriticalWaitBegin],
        ompt_event_wait_atomic => &[AtomicWaitBegin],
        ompt_event_wait_ordered => &[OrderedWaitBegin],
        ompt_event_acquired_lock
        | ompt_event_acquired_nest_lock_first
        | ompt_event_acquired_critical
        | ompt_event_acquired_atomic
        | ompt_event_acquired_ordered => &[MutexAcquired],
        ompt_event_acquired_nest_lock_next => &[NestLockBegin],
        ompt_event_init_lock | ompt_event_init_nest_lock => &[LockInit],
        ompt_event_destroy_lock | ompt_event_destroy_nest_lock => &[LockDestroy],
        ompt_event_implicit_task_begin | ompt_event_initial_task_begin => &[ImplicitTaskBegin],
        ompt_event_implicit_task_end | ompt_event_initial_task_end => &[ImplicitTaskEnd],
        ompt_event_loop_begin | ompt_event_sections_begin | ompt_event_single_others_begin => &[WorkBegin],
        ompt_event_loop_end | ompt_event_sections_end | ompt_event_single_others_end => &[WorkEnd],
        ompt_event_single_in_block_begin => &[SingleBegin],
        ompt_event_single_in_block_end => &[SingleEnd],
        ompt_event_master_begin => &[MaskedBegin],
        ompt_event_master_end => &[MaskedEnd],
        ompt_event_workshare_begin | ompt_event_workshare_end | ompt_event_flush => &[],
    })
}

/// Core events that are not reported as `event`, but are needed to report it as the technical report requires.
pub(super) const fn companions(event: ompt_event_t) -> EventSet {
    use Event::*;
    match event {
        // A task that the thread executes interrupts the wait (3.2.1), even if it is the initial task of a target
        // region.
        ompt_event_wait_barrier_begin
        | ompt_event_wait_barrier_end
        | ompt_event_wait_taskwait_begin
        | ompt_event_wait_taskwait_end
        | ompt_event_wait_taskgroup_begin
        | ompt_event_wait_taskgroup_end => EventSet::of(&[TaskSwitch, ImplicitTaskBegin, ImplicitTaskEnd]),
        // Workers of libgomp leave the last barrier before they are in the thread pool if a tool is subscribed
        // (`ORA_IBAR`).
        ompt_event_implicit_task_end => EventSet::of(&[RegionBarrierWaitEnd]),
        _ => EventSet::NONE,
    }
}

/// The answer if adapters can raise these core events. Tools of the time compare with "always" (they register nothing
/// otherwise). So that is also the answer if a compiler sometimes implements a construct without its runtime: loops
/// with a static schedule, and atomic updates that the processor has instructions for.
pub(super) const fn answer(event: ompt_event_t, capabilities: EventSet) -> ompt_tr2_set_result_t {
    // The last two are raised by this interface itself.
    let raised = capabilities.union(EventSet::of(&[Event::Control, Event::Shutdown])).bits();
    let wanted = core_events(event).bits();
    if wanted & raised == 0 {
        ompt_tr2_set_impossible
    } else if wanted & raised != wanted {
        ompt_tr2_set_sometimes
    } else {
        ompt_tr2_set_always
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: EventSet = EventSet::from_bits(u64::MAX);

    #[test]
    fn where_adapters_report_all_only_two_constructs_go_unseen() {
        for event in ompt_event_t::ALL {
            let expected = match event {
                ompt_event_workshare_begin | ompt_event_workshare_end | ompt_event_flush => ompt_tr2_set_impossible,
                _ => ompt_tr2_set_always,
            };
            assert_eq!(answer(event, ALL), expected, "{event:?}");
        }
    }

    #[test]
    fn where_adapters_report_nothing_control_and_shutdown_are_left() {
        for event in ompt_event_t::ALL {
            let own = matches!(event, ompt_event_control | ompt_event_runtime_shutdown);
            let expected = if own { ompt_tr2_set_always } else { ompt_tr2_set_impossible };
            assert_eq!(answer(event, EventSet::NONE), expected, "{event:?}");
        }
    }

    #[test]
    fn one_kind_of_barrier_of_three_is_sometimes() {
        let explicit = EventSet::of(&[Event::ExplicitBarrierWaitBegin]);
        assert_eq!(answer(ompt_event_barrier_begin, explicit), ompt_tr2_set_sometimes);
        assert_eq!(answer(ompt_event_barrier_end, explicit), ompt_tr2_set_impossible);
    }
}
