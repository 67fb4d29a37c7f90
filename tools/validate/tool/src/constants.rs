//! OMPT 5's constants as plain integers, since a runtime may pass a value without a name.

use ompt_abi::v5::*;

/// `ompt_scope_endpoint_t`
pub(crate) mod endpoint {
    use super::*;
    pub(crate) const BEGIN: i32 = ompt_scope_endpoint_t::ompt_scope_begin as i32;
    pub(crate) const END: i32 = ompt_scope_endpoint_t::ompt_scope_end as i32;
    pub(crate) const BOTH: i32 = ompt_scope_endpoint_t::ompt_scope_beginend as i32;
}

/// `ompt_parallel_flag_t`
pub(crate) mod parallel {
    use super::*;
    pub(crate) const PROGRAM: i32 = ompt_parallel_flag_t::ompt_parallel_invoker_program as i32;
    pub(crate) const RUNTIME: i32 = ompt_parallel_flag_t::ompt_parallel_invoker_runtime as i32;
    pub(crate) const LEAGUE: i32 = ompt_parallel_flag_t::ompt_parallel_league as i32;
    pub(crate) const TEAM: i32 = ompt_parallel_flag_t::ompt_parallel_team as i32;
}

/// `ompt_task_flag_t`
pub(crate) mod task {
    use super::*;
    pub(crate) const INITIAL: i32 = ompt_task_flag_t::ompt_task_initial as i32;
    pub(crate) const IMPLICIT: i32 = ompt_task_flag_t::ompt_task_implicit as i32;
    pub(crate) const EXPLICIT: i32 = ompt_task_flag_t::ompt_task_explicit as i32;
    pub(crate) const TARGET: i32 = ompt_task_flag_t::ompt_task_target as i32;
    pub(crate) const TASKWAIT: i32 = ompt_task_flag_t::ompt_task_taskwait as i32;
    pub(crate) const UNDEFERRED: i32 = ompt_task_flag_t::ompt_task_undeferred as i32;
    pub(crate) const UNTIED: i32 = ompt_task_flag_t::ompt_task_untied as i32;
    pub(crate) const FINAL: i32 = ompt_task_flag_t::ompt_task_final as i32;
    pub(crate) const MERGEABLE: i32 = ompt_task_flag_t::ompt_task_mergeable as i32;
    pub(crate) const MERGED: i32 = ompt_task_flag_t::ompt_task_merged as i32;
    /// Bits for the kind of a task.
    pub(crate) const KINDS: i32 = INITIAL | IMPLICIT | EXPLICIT | TARGET | TASKWAIT;
    /// Bits for further properties of a task.
    pub(crate) const TRAITS: i32 = UNDEFERRED | UNTIED | FINAL | MERGEABLE | MERGED;
}

/// `ompt_task_status_t`
pub(crate) mod status {
    use super::*;
    pub(crate) const COMPLETE: i32 = ompt_task_status_t::ompt_task_complete as i32;
    pub(crate) const CANCEL: i32 = ompt_task_status_t::ompt_task_cancel as i32;
    pub(crate) const DETACH: i32 = ompt_task_status_t::ompt_task_detach as i32;
    pub(crate) const EARLY_FULFILL: i32 = ompt_task_status_t::ompt_task_early_fulfill as i32;
    pub(crate) const LATE_FULFILL: i32 = ompt_task_status_t::ompt_task_late_fulfill as i32;
    pub(crate) const TASKWAIT_COMPLETE: i32 = ompt_task_status_t::ompt_taskwait_complete as i32;
    pub(crate) const SWITCH: i32 = ompt_task_status_t::ompt_task_switch as i32;

    /// True if the status means that an event is fulfilled.
    pub(crate) fn is_fulfillment(status: i32) -> bool {
        status == EARLY_FULFILL || status == LATE_FULFILL
    }
}

/// `ompt_sync_region_t`
pub(crate) mod sync {
    use super::*;
    pub(crate) const IMPLICIT: i32 = ompt_sync_region_t::ompt_sync_region_barrier_implicit as i32;
    pub(crate) const IMPLEMENTATION: i32 = ompt_sync_region_t::ompt_sync_region_barrier_implementation as i32;
    pub(crate) const TASKWAIT: i32 = ompt_sync_region_t::ompt_sync_region_taskwait as i32;
    pub(crate) const TASKGROUP: i32 = ompt_sync_region_t::ompt_sync_region_taskgroup as i32;
    pub(crate) const REDUCTION: i32 = ompt_sync_region_t::ompt_sync_region_reduction as i32;
    pub(crate) const IMPLICIT_PARALLEL: i32 = ompt_sync_region_t::ompt_sync_region_barrier_implicit_parallel as i32;
    pub(crate) const TEAMS: i32 = ompt_sync_region_t::ompt_sync_region_barrier_teams as i32;

    /// True for a barrier of any kind.
    pub(crate) fn is_barrier(kind: i32) -> bool {
        (1..=TEAMS).contains(&kind) && ![TASKWAIT, TASKGROUP, REDUCTION].contains(&kind)
    }

    /// True if it may be the barrier that ends a region.
    pub(crate) fn is_last(kind: i32) -> bool {
        [IMPLICIT, IMPLICIT_PARALLEL, TEAMS].contains(&kind)
    }
}

/// `ompt_work_t`
pub(crate) mod work {
    use super::*;
    pub(crate) const LOOP: i32 = ompt_work_t::ompt_work_loop as i32;
    pub(crate) const SECTIONS: i32 = ompt_work_t::ompt_work_sections as i32;
    pub(crate) const SINGLE_EXECUTOR: i32 = ompt_work_t::ompt_work_single_executor as i32;
    pub(crate) const SINGLE_OTHER: i32 = ompt_work_t::ompt_work_single_other as i32;
    pub(crate) const DISTRIBUTE: i32 = ompt_work_t::ompt_work_distribute as i32;
    pub(crate) const SCOPE: i32 = ompt_work_t::ompt_work_scope as i32;
    pub(crate) const LOOP_STATIC: i32 = ompt_work_t::ompt_work_loop_static as i32;
    pub(crate) const LOOP_OTHER: i32 = ompt_work_t::ompt_work_loop_other as i32;

    /// True for kinds that the specification defines.
    pub(crate) fn is_known(kind: i32) -> bool {
        (LOOP..=SCOPE).contains(&kind) || (LOOP_STATIC..=LOOP_OTHER).contains(&kind)
    }

    /// True for a loop whose iterations are distributed to a team.
    pub(crate) fn is_loop(kind: i32) -> bool {
        kind == LOOP || (LOOP_STATIC..=LOOP_OTHER).contains(&kind)
    }
}

/// `ompt_dispatch_t`
pub(crate) mod dispatch {
    use super::*;
    pub(crate) const ITERATION: i32 = ompt_dispatch_t::ompt_dispatch_iteration as i32;
    pub(crate) const SECTION: i32 = ompt_dispatch_t::ompt_dispatch_section as i32;
    pub(crate) const LOOP_CHUNK: i32 = ompt_dispatch_t::ompt_dispatch_ws_loop_chunk as i32;
    pub(crate) const TASKLOOP_CHUNK: i32 = ompt_dispatch_t::ompt_dispatch_taskloop_chunk as i32;
    pub(crate) const DISTRIBUTE_CHUNK: i32 = ompt_dispatch_t::ompt_dispatch_distribute_chunk as i32;
}

/// `ompt_mutex_t`
pub(crate) mod mutex {
    use super::*;
    pub(crate) const LOCK: i32 = ompt_mutex_t::ompt_mutex_lock as i32;
    pub(crate) const TEST_LOCK: i32 = ompt_mutex_t::ompt_mutex_test_lock as i32;
    pub(crate) const NEST_LOCK: i32 = ompt_mutex_t::ompt_mutex_nest_lock as i32;
    pub(crate) const TEST_NEST_LOCK: i32 = ompt_mutex_t::ompt_mutex_test_nest_lock as i32;
    pub(crate) const CRITICAL: i32 = ompt_mutex_t::ompt_mutex_critical as i32;
    pub(crate) const ORDERED: i32 = ompt_mutex_t::ompt_mutex_ordered as i32;

    /// True for a lock of either kind.
    pub(crate) fn is_lock(kind: i32) -> bool {
        (LOCK..=TEST_NEST_LOCK).contains(&kind)
    }
}

/// `ompt_dependence_type_t`
pub(crate) mod dependence {
    use super::*;
    pub(crate) const SOURCE: i32 = ompt_dependence_type_t::ompt_dependence_type_source as i32;
    pub(crate) const SINK: i32 = ompt_dependence_type_t::ompt_dependence_type_sink as i32;
    const LAST: i32 = ompt_dependence_type_t::ompt_dependence_type_inoutset as i32;
    const ALL_MEMORY: [i32; 2] = [
        ompt_dependence_type_t::ompt_dependence_type_out_all_memory as i32,
        ompt_dependence_type_t::ompt_dependence_type_inout_all_memory as i32,
    ];

    /// True for a dependence between iterations of a loop.
    pub(crate) fn is_doacross(kind: i32) -> bool {
        kind == SOURCE || kind == SINK
    }

    /// True for a dependence between tasks.
    pub(crate) fn is_of_tasks(kind: i32) -> bool {
        !is_doacross(kind) && ((1..=LAST).contains(&kind) || ALL_MEMORY.contains(&kind))
    }
}

/// `ompt_cancel_flag_t`
pub(crate) mod cancel {
    use super::*;
    pub(crate) const PARALLEL: i32 = ompt_cancel_flag_t::ompt_cancel_parallel as i32;
    pub(crate) const SECTIONS: i32 = ompt_cancel_flag_t::ompt_cancel_sections as i32;
    pub(crate) const LOOP: i32 = ompt_cancel_flag_t::ompt_cancel_loop as i32;
    pub(crate) const TASKGROUP: i32 = ompt_cancel_flag_t::ompt_cancel_taskgroup as i32;
    pub(crate) const ACTIVATED: i32 = ompt_cancel_flag_t::ompt_cancel_activated as i32;
    pub(crate) const DETECTED: i32 = ompt_cancel_flag_t::ompt_cancel_detected as i32;
    pub(crate) const DISCARDED: i32 = ompt_cancel_flag_t::ompt_cancel_discarded_task as i32;
    /// Bits for the cancelled construct.
    pub(crate) const CONSTRUCTS: i32 = PARALLEL | SECTIONS | LOOP | TASKGROUP;
    /// Bits for the step of the cancellation.
    pub(crate) const EVENTS: i32 = ACTIVATED | DETECTED | DISCARDED;
}

/// `ompt_frame_flag_t`
pub(crate) mod frame {
    use super::*;
    pub(crate) const APPLICATION: i32 = ompt_frame_flag_t::ompt_frame_application as i32;
    pub(crate) const CFA: i32 = ompt_frame_flag_t::ompt_frame_cfa as i32;
    pub(crate) const STACK_ADDRESS: i32 = ompt_frame_flag_t::ompt_frame_stackaddress as i32;
}
