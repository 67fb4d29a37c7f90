//! Tables of OMPT callbacks per runtime adapter, by the answer of `ompt_set_callback` (TR2, table 3; OpenMP 5.0,
//! 4.4.4.2).

use serde::Serialize;

use self::Answer::{Always, ByRelease, Never, Sometimes};
use super::events::{self, Event};
use super::runtime::Runtime;
use linking::tool::Interface::{self, OpenMp5, Tr2};

/// Callbacks.
///
/// The callbacks of one interface with the same answer of `ompt_set_callback`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Callbacks {
    /// Runtime adapter that dispatches them: `"gomp"` or `"ompt"`.
    pub(crate) host: &'static str,
    /// Interface of the callbacks.
    #[cfg_attr(test, schemars(with = "schemas::Interface"))]
    pub(crate) interface: Interface,
    /// The answer (TR2, table 3; OpenMP 5.0, 4.4.4.2).
    pub(crate) answer: Answer,
    /// Names of the callbacks, without `ompt_event_` or `ompt_callback_`.
    pub(crate) names: &'static [&'static str],
    /// The limit or the reason; empty for `"always"`.
    pub(crate) why: &'static str,
}

/// Frequency with which a callback is invoked when its event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// Each event.
    Always,
    /// Some events.
    Sometimes,
    /// No event.
    Never,
    /// Always or never, by the runtime's release.
    ByRelease,
}

impl Answer {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Sometimes => "sometimes",
            Self::Never => "never",
            Self::ByRelease => "by release",
        }
    }
}

/// Callback tables of the adapters that report these runtimes. `events`: the events that the adapters raise for the
/// program.
pub(crate) fn of(runtimes: &[Runtime], events: &[Event]) -> Vec<Callbacks> {
    let adapters: [(&str, &[Row]); 2] = [("gomp", &GOMP), ("ompt", &OMPT)];
    let reports = |host: &str| runtimes.iter().any(|runtime| runtime.host == Some(host));
    let by_opari = |host| events.iter().any(|event| event.host == host && events::is_raised_by_opari(event));
    let reported = adapters.into_iter().filter(|(host, _)| reports(host));
    reported.flat_map(|(host, rows)| table(host, rows, by_opari(host))).collect()
}

fn table(host: &'static str, rows: &'static [Row], by_opari: bool) -> impl Iterator<Item = Callbacks> {
    rows.iter().map(move |(interface, answer, names, why)| {
        let masters = by_opari && names.iter().all(|name| MASTERS.contains(name));
        let (answer, why) = if masters { (Always, events::BY_OPARI) } else { (*answer, *why) };
        Callbacks { host, interface: *interface, answer, names, why }
    })
}

/// Callbacks that OPARI's calls add to those of an adapter that sees none of these events.
const MASTERS: [&str; 3] = ["master_begin", "master_end", "masked"];

type Row = (Interface, Answer, &'static [&'static str], &'static str);

#[rustfmt::skip]
const GOMP: [Row; 13] = [
    (Tr2, Always, &[
        "parallel_begin", "parallel_end", "task_begin", "task_end", "thread_begin", "thread_end", "control",
        "runtime_shutdown", "idle_begin", "idle_end", "wait_barrier_begin", "wait_barrier_end", "wait_taskwait_begin",
        "wait_taskwait_end", "wait_taskgroup_begin", "wait_taskgroup_end", "release_lock", "release_nest_lock_last",
        "release_critical", "release_ordered", "implicit_task_begin", "implicit_task_end", "initial_task_begin",
        "initial_task_end", "task_switch", "sections_begin", "sections_end", "single_in_block_begin",
        "single_in_block_end", "single_others_begin", "single_others_end", "barrier_begin", "barrier_end",
        "taskwait_begin", "taskwait_end", "taskgroup_begin", "taskgroup_end", "release_nest_lock_prev", "wait_lock",
        "wait_nest_lock", "wait_critical", "wait_atomic", "wait_ordered", "acquired_lock", "acquired_nest_lock_first",
        "acquired_nest_lock_next", "acquired_critical", "acquired_ordered", "init_lock", "init_nest_lock",
        "destroy_lock", "destroy_nest_lock",
    ], ""),
    (Tr2, Always, &["loop_begin", "loop_end", "release_atomic", "acquired_atomic"],
        "where gcc's code calls libgomp: it shares loops of a static schedule out by itself, and makes instructions of \
         most atomic updates"),
    (Tr2, Never, &["workshare_begin", "workshare_end", "flush"], "gcc's code makes no call for them"),
    (Tr2, Never, &["master_begin", "master_end"], "gcc's code makes no call for them"),
    (OpenMp5, Always, &[
        "thread_begin", "thread_end", "parallel_begin", "parallel_end", "task_create", "task_schedule", "implicit_task",
        "control_tool", "sync_region_wait", "mutex_released", "dependences", "sync_region", "lock_init", "lock_destroy",
        "mutex_acquire", "mutex_acquired", "nest_lock", "error", "device_initialize", "device_finalize", "device_load",
        "device_unload",
    ], ""),
    (OpenMp5, Always, &["target", "target_emi", "target_submit", "target_submit_emi"],
        "of a deferred construct on a device the end of the call stands for the end"),
    (OpenMp5, Sometimes, &["work"],
        "gcc's code makes no call for loops of a static schedule, distribute loops, and scopes without task reductions"),
    (OpenMp5, Sometimes, &["dispatch", "cancel"], "what libgomp drops when it cancels a construct can't all be seen"),
    (OpenMp5, Sometimes, &["target_data_op", "target_data_op_emi"],
        "what a device's plug-in does by functions of newer releases for rectangles is not seen"),
    (OpenMp5, Never, &["flush", "reduction"], "gcc's code makes no call for them"),
    (OpenMp5, Never, &["masked"], "gcc's code makes no call for them"),
    (OpenMp5, Never, &["target_map", "target_map_emi"], "which memory a construct maps is decided inside of libgomp"),
    (OpenMp5, Sometimes, &["task_dependence"],
        "undeferred tasks have waited when they are created, and what target constructs wait for stays inside of libgomp"),
];

#[rustfmt::skip]
const OMPT: [Row; 7] = [
    (Tr2, Always, &[
        "parallel_begin", "parallel_end", "task_begin", "task_end", "thread_begin", "thread_end", "control",
        "runtime_shutdown", "idle_begin", "idle_end", "wait_barrier_begin", "wait_barrier_end", "wait_taskwait_begin",
        "wait_taskwait_end", "taskwait_begin", "taskwait_end", "wait_taskgroup_begin",
        "wait_taskgroup_end", "release_lock", "release_nest_lock_last", "release_critical", "release_ordered",
        "implicit_task_begin", "implicit_task_end", "initial_task_begin", "initial_task_end", "task_switch", "sections_begin",
        "sections_end", "single_in_block_begin", "single_in_block_end", "single_others_begin", "single_others_end",
        "barrier_begin", "barrier_end", "taskgroup_begin", "taskgroup_end", "release_nest_lock_prev", "wait_lock",
        "wait_nest_lock", "wait_critical", "wait_ordered", "acquired_lock", "acquired_nest_lock_first",
        "acquired_nest_lock_next", "acquired_critical", "acquired_ordered", "init_lock", "init_nest_lock", "destroy_lock",
        "destroy_nest_lock",
    ], ""),
    (Tr2, Always, &[
        "loop_begin", "loop_end", "master_begin", "master_end", "wait_atomic", "release_atomic", "acquired_atomic",
    ], "where the code calls the runtime: gcc's makes no call for master regions and for loops of a static schedule, and \
        most atomic updates are instructions"),
    (Tr2, Never, &["workshare_begin", "workshare_end", "flush"], "compilers make other constructs, or an instruction, of them"),
    (OpenMp5, Always, &[
        "thread_begin", "thread_end", "parallel_begin", "parallel_end", "task_create", "task_schedule", "implicit_task",
        "control_tool", "sync_region_wait", "mutex_released", "dependences", "task_dependence", "sync_region", "lock_init",
        "lock_destroy", "mutex_acquire", "mutex_acquired", "nest_lock", "cancel", "error",
    ], ""),
    (OpenMp5, Always, &["work", "masked", "flush", "reduction"],
        "by the runtime's own answer, which it also gives where compiled code makes no call: gcc's for master regions and \
         loops of a static schedule"),
    (OpenMp5, ByRelease, &[
        "dispatch", "target", "target_data_op", "target_submit", "target_emi", "target_data_op_emi", "target_submit_emi",
        "device_initialize", "device_finalize", "device_load", "device_unload",
    ], "the runtime's own answer, for the first tool"),
    (OpenMp5, Never, &["target_map", "target_map_emi"], "the runtime's own answer"),
];
