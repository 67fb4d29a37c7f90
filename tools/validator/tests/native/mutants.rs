//! Each rule finds an injected fault. A tool between native libomp and the validator (`fault_injector/`) passes everything on,
//! and falsifies one event or result; without a fault nothing is found. Faults in places where libomp itself deviates
//! are injected in strict mode, in which the validator doesn't know libomp and accepts no deviation; the rule must hold
//! there without the fault.
use std::collections::{BTreeMap, BTreeSet};

use ora_validator::rule::Rule;

use crate::harness::{Native, Strict};

/// The fault, the mode, and the rule that finds it.
const FAULTS: &[(&str, Strict, Rule)] = &[
    ("lookup_null", Strict::No, Rule::ToolLookup),
    ("set_error", Strict::No, Rule::ToolSet),
    ("get_other", Strict::No, Rule::ToolGet),
    ("set_never", Strict::No, Rule::ToolNever),
    ("state_unnamed", Strict::No, Rule::ToolStates),
    ("mutexes_endless", Strict::No, Rule::ToolMutexes),
    ("place_num", Strict::No, Rule::ToolPlaces),
    ("in_target", Strict::No, Rule::ToolDevices),
    ("finalize_twice", Strict::No, Rule::ToolFinalize),
    ("thread_begin_missing", Strict::No, Rule::ThreadFirst),
    ("thread_begin_twice", Strict::No, Rule::ThreadOnce),
    ("thread_kind", Strict::No, Rule::ThreadKind),
    ("thread_word_used", Strict::No, Rule::ThreadNew),
    ("thread_word_lost", Strict::No, Rule::ThreadKept),
    ("flush_other_thread", Strict::No, Rule::ThreadKept),
    ("after_thread_end", Strict::No, Rule::ThreadLast),
    ("initial_end_missing", Strict::No, Rule::ThreadClean),
    ("region_word_used", Strict::No, Rule::ParallelNew),
    ("work_region_other", Strict::No, Rule::ParallelKept),
    ("region_by_other", Strict::No, Rule::ParallelBy),
    ("region_flags", Strict::No, Rule::ParallelFlags),
    ("region_end_other", Strict::No, Rule::ParallelNesting),
    ("region_end_by_other", Strict::No, Rule::ParallelEndBy),
    ("region_end_flags", Strict::No, Rule::ParallelEndFlags),
    ("member_missing", Strict::No, Rule::ParallelTeam),
    ("primary_end_missing", Strict::No, Rule::ParallelPrimary),
    ("never_complete", Strict::No, Rule::ParallelTasks),
    ("requested_too_few", Strict::No, Rule::ParallelRequested),
    ("implicit_flags", Strict::No, Rule::ImplicitFlags),
    ("implicit_region_over", Strict::No, Rule::ImplicitRegion),
    ("implicit_index", Strict::No, Rule::ImplicitIndex),
    ("implicit_actual", Strict::No, Rule::ImplicitActual),
    ("implicit_swapped", Strict::No, Rule::ImplicitPrimary),
    ("implicit_end_twice", Strict::No, Rule::ImplicitNesting),
    ("implicit_end_region", Strict::No, Rule::ImplicitEndNull),
    ("implicit_end_index", Strict::No, Rule::ImplicitEndIndex),
    ("implicit_end_actual", Strict::No, Rule::ImplicitEndActual),
    ("initial_index", Strict::No, Rule::InitialIndex),
    ("initial_twice", Strict::No, Rule::InitialOnce),
    ("task_word_used", Strict::No, Rule::TaskNew),
    ("word_lost", Strict::No, Rule::TaskKept),
    ("task_flags", Strict::No, Rule::TaskFlags),
    ("task_by_other", Strict::Yes, Rule::TaskBy),
    ("taskwait_end_missing", Strict::No, Rule::TaskScopes),
    ("undeferred_unheard", Strict::No, Rule::TaskUndeferred),
    ("schedule_status", Strict::No, Rule::ScheduleStatus),
    ("schedule_prior_other", Strict::No, Rule::SchedulePrior),
    ("schedule_no_next", Strict::No, Rule::ScheduleNull),
    ("schedule_next_ended", Strict::No, Rule::ScheduleNext),
    ("schedule_next_tied", Strict::No, Rule::ScheduleTied),
    ("implicit_completes", Strict::No, Rule::ScheduleComplete),
    ("fulfilled_early", Strict::No, Rule::ScheduleFulfill),
    ("dependences_not_promised", Strict::No, Rule::DependencesFlag),
    ("dependences_not_reported", Strict::No, Rule::DependencesFlag),
    ("dependences_of_other", Strict::No, Rule::DependencesTask),
    ("dependence_kind", Strict::No, Rule::DependencesKind),
    ("dependence_on_itself", Strict::No, Rule::DependencePair),
    ("sync_kind", Strict::No, Rule::SyncKind),
    ("sync_endpoint", Strict::No, Rule::SyncEndpoint),
    ("sync_by_other", Strict::No, Rule::SyncTask),
    ("sync_no_region", Strict::No, Rule::SyncRegion),
    ("wait_end_missing", Strict::No, Rule::SyncNesting),
    ("sync_begin_missing", Strict::No, Rule::WaitInside),
    ("never_complete", Strict::No, Rule::TaskwaitChildren),
    ("never_complete", Strict::No, Rule::TaskgroupTasks),
    ("never_complete", Strict::No, Rule::BarrierTasks),
    ("barrier_missing", Strict::No, Rule::BarrierCounts),
    ("work_kind", Strict::No, Rule::WorkKind),
    ("work_by_other", Strict::No, Rule::WorkTask),
    ("work_no_region", Strict::No, Rule::WorkRegion),
    ("work_other_kind", Strict::No, Rule::WorkNesting),
    ("work_end_missing", Strict::No, Rule::WorkBarrier),
    ("single_no_executor", Strict::No, Rule::SingleExecutor),
    ("chunk_too_long", Strict::No, Rule::WorkChunks),
    ("chunk_too_short", Strict::No, Rule::WorkChunks),
    ("masked_begin_missing", Strict::No, Rule::MaskedNesting),
    ("dispatch_kind", Strict::No, Rule::DispatchInside),
    ("dispatch_by_other", Strict::No, Rule::DispatchTask),
    ("mutex_kind", Strict::No, Rule::MutexKind),
    ("mutex_no_wait_id", Strict::No, Rule::MutexWait),
    ("acquire_missing", Strict::No, Rule::MutexAcquire),
    ("critical_not_released", Strict::No, Rule::MutexExclusive),
    ("released_other", Strict::No, Rule::MutexRelease),
    ("critical_not_released", Strict::No, Rule::MutexLeft),
    ("nest_lock_end_missing", Strict::No, Rule::NestLock),
    ("destroyed_early", Strict::No, Rule::LockLife),
    ("cancel_flags", Strict::No, Rule::CancelFlags),
    ("cancel_by_other", Strict::No, Rule::CancelTask),
    ("error_severity", Strict::No, Rule::ErrorSeverity),
    ("code_missing", Strict::No, Rule::CodeThere),
    ("code_is_data", Strict::No, Rule::CodeProgram),
    ("frame_no_enter", Strict::Yes, Rule::FrameEnter),
    ("frame_no_exit", Strict::Yes, Rule::FrameExit),
    ("frame_in_barrier", Strict::No, Rule::FrameBarrier),
    ("frame_order", Strict::Yes, Rule::FrameOrder),
    ("frame_flags", Strict::Yes, Rule::FrameFlags),
    ("thread_data", Strict::No, Rule::QueryThread),
    ("task_info_data", Strict::No, Rule::QueryTask),
    ("task_info_flags", Strict::No, Rule::QueryFlags),
    ("task_info_parallel", Strict::No, Rule::QueryRegion),
    ("task_info_number", Strict::No, Rule::QueryNumber),
    ("task_info_ancestor", Strict::No, Rule::QueryAncestor),
    ("parallel_info_data", Strict::No, Rule::QueryParallel),
    ("parallel_info_size", Strict::No, Rule::QuerySize),
    ("state_unknown", Strict::No, Rule::QueryState),
    ("unique_id", Strict::No, Rule::QueryUnique),
];

#[test]
fn each_rule_finds_its_injected_fault() {
    let covered: BTreeSet<Rule> = FAULTS.iter().map(|(.., rule)| *rule).collect();
    let without: Vec<_> = Rule::ALL.iter().filter(|rule| !covered.contains(rule)).map(|rule| rule.about().id).collect();
    assert!(without.is_empty(), "no fault for {without:?}");

    let Some(native) = Native::new("each_rule_finds_its_injected_fault") else { return };
    let mut honest = native.run("none", Strict::No);
    native.repeat(&mut honest, "none", Strict::No, |run| run.checked.len() == Rule::ALL.len());
    assert!(honest.broken.is_empty(), "without a fault: {honest:?}");
    let unmet: Vec<_> = Rule::ALL.iter().filter(|rule| !honest.checked.contains(rule)).map(|r| r.about().id).collect();
    assert!(unmet.is_empty(), "never checked: {unmet:?}");
    let strictly_honest = native.run("none", Strict::Yes);

    let mut missed = Vec::new();
    let mut runs = BTreeMap::new();
    for (fault, strict, rule) in FAULTS {
        let run = runs.entry(fault).or_insert_with(|| native.run(fault, *strict));
        native.repeat(run, fault, *strict, |run| run.broken.contains(rule));
        let others: Vec<_> = run.broken.iter().filter(|broken| *broken != rule).map(|r| r.about().id).collect();
        println!("{:<20} {fault:<26} also: {}", rule.about().id, others.join(" "));
        let holds_otherwise = *strict == Strict::No || !strictly_honest.broken.contains(rule);
        if !run.broken.contains(rule) || !holds_otherwise {
            missed.push((rule.about().id, *fault));
        }
    }
    assert!(missed.is_empty(), "not caught: {missed:?}");
}
