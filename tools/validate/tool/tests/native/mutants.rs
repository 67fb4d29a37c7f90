//! Each rule detects an injected fault. A tool between native libomp and the validator (`fault_injector/`) passes everything
//! on, but falsifies one event or result; without a fault nothing is found. Faults in places where libomp itself deviates are
//! injected in strict mode, in which the validator doesn't recognize libomp and doesn't accept deviations; the rule must hold
//! there without the fault. So must the rule about releases, for which libomp is checked against one.
use std::collections::{BTreeMap, BTreeSet};

use validate_layout::rule::Rule;

use crate::harness::{Mode, Native, Run};

/// The fault, the mode, and the rule that detects it.
const FAULTS: &[(&str, Mode, Rule)] = &[
    ("lookup_null", Mode::Usual, Rule::ToolLookup),
    ("set_error", Mode::Usual, Rule::ToolSet),
    ("get_other", Mode::Usual, Rule::ToolGet),
    ("set_never", Mode::Usual, Rule::ToolNever),
    ("state_unnamed", Mode::Usual, Rule::ToolStates),
    ("mutexes_endless", Mode::Usual, Rule::ToolMutexes),
    ("place_num", Mode::Usual, Rule::ToolPlaces),
    ("in_target", Mode::Usual, Rule::ToolDevices),
    ("finalize_twice", Mode::Usual, Rule::ToolFinalize),
    ("thread_begin_missing", Mode::Usual, Rule::ThreadFirst),
    ("thread_begin_twice", Mode::Usual, Rule::ThreadOnce),
    ("thread_kind", Mode::Usual, Rule::ThreadKind),
    ("thread_word_used", Mode::Usual, Rule::ThreadNew),
    ("thread_word_lost", Mode::Usual, Rule::ThreadKept),
    ("flush_other_thread", Mode::Usual, Rule::ThreadKept),
    ("after_thread_end", Mode::Usual, Rule::ThreadLast),
    ("initial_end_missing", Mode::Usual, Rule::ThreadClean),
    ("region_word_used", Mode::Usual, Rule::ParallelNew),
    ("work_region_other", Mode::Usual, Rule::ParallelKept),
    ("region_by_other", Mode::Usual, Rule::ParallelBy),
    ("region_flags", Mode::Usual, Rule::ParallelFlags),
    ("region_end_other", Mode::Usual, Rule::ParallelNesting),
    ("region_end_by_other", Mode::Usual, Rule::ParallelEndBy),
    ("region_end_flags", Mode::Usual, Rule::ParallelEndFlags),
    ("member_missing", Mode::Usual, Rule::ParallelTeam),
    ("primary_end_missing", Mode::Usual, Rule::ParallelPrimary),
    ("never_complete", Mode::Usual, Rule::ParallelTasks),
    ("requested_too_few", Mode::Usual, Rule::ParallelRequested),
    ("implicit_flags", Mode::Usual, Rule::ImplicitFlags),
    ("implicit_region_over", Mode::Usual, Rule::ImplicitRegion),
    ("implicit_index", Mode::Usual, Rule::ImplicitIndex),
    ("implicit_actual", Mode::Usual, Rule::ImplicitActual),
    ("implicit_swapped", Mode::Usual, Rule::ImplicitPrimary),
    ("implicit_end_twice", Mode::Usual, Rule::ImplicitNesting),
    ("implicit_end_region", Mode::Usual, Rule::ImplicitEndNull),
    ("implicit_end_index", Mode::Usual, Rule::ImplicitEndIndex),
    ("implicit_end_actual", Mode::Usual, Rule::ImplicitEndActual),
    ("initial_index", Mode::Usual, Rule::InitialIndex),
    ("initial_twice", Mode::Usual, Rule::InitialOnce),
    ("task_word_used", Mode::Usual, Rule::TaskNew),
    ("word_lost", Mode::Usual, Rule::TaskKept),
    ("task_flags", Mode::Usual, Rule::TaskFlags),
    ("task_by_other", Mode::Strict, Rule::TaskBy),
    ("taskwait_end_missing", Mode::Usual, Rule::TaskScopes),
    ("undeferred_unheard", Mode::Usual, Rule::TaskUndeferred),
    ("schedule_status", Mode::Usual, Rule::ScheduleStatus),
    ("schedule_prior_other", Mode::Usual, Rule::SchedulePrior),
    ("schedule_no_next", Mode::Usual, Rule::ScheduleNull),
    ("schedule_next_ended", Mode::Usual, Rule::ScheduleNext),
    ("schedule_next_tied", Mode::Usual, Rule::ScheduleTied),
    ("implicit_completes", Mode::Usual, Rule::ScheduleComplete),
    ("fulfilled_early", Mode::Usual, Rule::ScheduleFulfill),
    ("dependences_not_promised", Mode::Usual, Rule::DependencesFlag),
    ("dependences_not_reported", Mode::Usual, Rule::DependencesFlag),
    ("dependences_of_other", Mode::Usual, Rule::DependencesTask),
    ("dependence_kind", Mode::Usual, Rule::DependencesKind),
    ("dependence_on_itself", Mode::Usual, Rule::DependencePair),
    ("sync_kind", Mode::Usual, Rule::SyncKind),
    ("sync_endpoint", Mode::Usual, Rule::SyncEndpoint),
    ("sync_by_other", Mode::Usual, Rule::SyncTask),
    ("sync_no_region", Mode::Usual, Rule::SyncRegion),
    ("wait_end_missing", Mode::Usual, Rule::SyncNesting),
    ("sync_begin_missing", Mode::Usual, Rule::WaitInside),
    ("never_complete", Mode::Usual, Rule::TaskwaitChildren),
    ("never_complete", Mode::Usual, Rule::TaskgroupTasks),
    ("never_complete", Mode::Usual, Rule::BarrierTasks),
    ("barrier_missing", Mode::Usual, Rule::BarrierCounts),
    ("work_kind", Mode::Usual, Rule::WorkKind),
    ("work_by_other", Mode::Usual, Rule::WorkTask),
    ("work_no_region", Mode::Usual, Rule::WorkRegion),
    ("work_other_kind", Mode::Usual, Rule::WorkNesting),
    ("work_end_missing", Mode::Usual, Rule::WorkBarrier),
    ("single_no_executor", Mode::Usual, Rule::SingleExecutor),
    ("chunk_too_long", Mode::Usual, Rule::WorkChunks),
    ("chunk_too_short", Mode::Usual, Rule::WorkChunks),
    ("masked_begin_missing", Mode::Usual, Rule::MaskedNesting),
    ("dispatch_kind", Mode::Usual, Rule::DispatchInside),
    ("dispatch_by_other", Mode::Usual, Rule::DispatchTask),
    ("mutex_kind", Mode::Usual, Rule::MutexKind),
    ("mutex_no_wait_id", Mode::Usual, Rule::MutexWait),
    ("acquire_missing", Mode::Usual, Rule::MutexAcquire),
    ("critical_not_released", Mode::Usual, Rule::MutexExclusive),
    ("released_other", Mode::Usual, Rule::MutexRelease),
    ("critical_not_released", Mode::Usual, Rule::MutexLeft),
    ("nest_lock_end_missing", Mode::Usual, Rule::NestLock),
    ("destroyed_early", Mode::Usual, Rule::LockLife),
    ("cancel_flags", Mode::Usual, Rule::CancelFlags),
    ("cancel_by_other", Mode::Usual, Rule::CancelTask),
    ("work_of_6_0", Mode::Spec, Rule::ReleaseValues),
    ("error_severity", Mode::Usual, Rule::ErrorSeverity),
    ("code_missing", Mode::Usual, Rule::CodeThere),
    ("code_is_data", Mode::Usual, Rule::CodeProgram),
    ("frame_no_enter", Mode::Strict, Rule::FrameEnter),
    ("frame_no_exit", Mode::Strict, Rule::FrameExit),
    ("frame_in_barrier", Mode::Usual, Rule::FrameBarrier),
    ("frame_order", Mode::Strict, Rule::FrameOrder),
    ("frame_flags", Mode::Strict, Rule::FrameFlags),
    ("thread_data", Mode::Usual, Rule::QueryThread),
    ("task_info_data", Mode::Usual, Rule::QueryTask),
    ("task_info_flags", Mode::Usual, Rule::QueryFlags),
    ("task_info_parallel", Mode::Usual, Rule::QueryRegion),
    ("task_info_number", Mode::Usual, Rule::QueryNumber),
    ("task_info_ancestor", Mode::Usual, Rule::QueryAncestor),
    ("parallel_info_data", Mode::Usual, Rule::QueryParallel),
    ("parallel_info_size", Mode::Usual, Rule::QuerySize),
    ("state_unknown", Mode::Usual, Rule::QueryState),
    ("unique_id", Mode::Usual, Rule::QueryUnique),
];

#[test]
#[ignore = "slow: --all runs it"]
fn each_rule_finds_its_injected_fault() {
    let covered: BTreeSet<Rule> = FAULTS.iter().map(|(.., rule)| *rule).collect();
    let without: Vec<_> = Rule::ALL.iter().filter(|rule| !covered.contains(rule)).map(|rule| rule.about().id).collect();
    assert!(without.is_empty(), "no fault for {without:?}");

    let Some(native) = Native::new("each_rule_finds_its_injected_fault") else { return };
    let mut honest = native.run("none", Mode::Usual);
    let held = native.run("none", Mode::Spec);
    let checked = |run: &Run, rule: &Rule| run.checked.contains(rule) || held.checked.contains(rule);
    native.repeat(&mut honest, "none", Mode::Usual, |run| Rule::ALL.iter().all(|rule| checked(run, rule)));
    assert!(honest.broken.is_empty(), "without a fault: {honest:?}");
    let unmet: Vec<_> = Rule::ALL.iter().filter(|rule| !checked(&honest, rule)).map(|r| r.about().id).collect();
    assert!(unmet.is_empty(), "never checked: {unmet:?}");
    let strictly_honest = native.run("none", Mode::Strict);

    let mut missed = Vec::new();
    let mut runs = BTreeMap::new();
    for (fault, mode, rule) in FAULTS {
        let run = runs.entry(fault).or_insert_with(|| native.run(fault, *mode));
        native.repeat(run, fault, *mode, |run| run.broken.contains(rule));
        let others: Vec<_> = run.broken.iter().filter(|broken| *broken != rule).map(|r| r.about().id).collect();
        println!("{:<20} {fault:<26} also: {}", rule.about().id, others.join(" "));
        let holds_otherwise = match mode {
            Mode::Usual => true,
            Mode::Strict => !strictly_honest.broken.contains(rule),
            Mode::Spec => !held.broken.contains(rule),
        };
        if !run.broken.contains(rule) || !holds_otherwise {
            missed.push((rule.about().id, *fault));
        }
    }
    assert!(missed.is_empty(), "not caught: {missed:?}");
}
