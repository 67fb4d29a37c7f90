//! Tables of Sun Collector API events per runtime adapter.

use std::collections::BTreeSet;

use serde::Serialize;

use super::runtime::Runtime;

/// Extent to which an event family is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Extent {
    /// Always.
    Yes,
    /// In part.
    Partly,
    /// Never.
    No,
}

/// An event.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Event {
    /// Runtime adapter that raises it: `"gomp"` or `"ompt"`.
    pub(crate) host: &'static str,
    /// Numbers of the interface; empty for a state that has no events.
    pub(crate) numbers: &'static [u32],
    /// Its name, in short.
    pub(crate) name: &'static str,
    /// Extent to which it is raised.
    pub(crate) raised: Extent,
    /// The limit or the reason; may be empty.
    pub(crate) why: &'static str,
    /// True if the program or a library of it calls something that raises it; `null`: no call shows that.
    pub(crate) used: Option<bool>,
}

type Row = (&'static [u32], &'static str, Extent, &'static str, &'static [&'static str]);

/// Events of the adapter for libgomp. The last column contains names of calls which show that a program uses the
/// event.
const GOMP: [Row; 14] = [
    (&[1, 2], "FORK, JOIN", Extent::Yes, "", &["GOMP_parallel"]),
    (&[3, 4], "IDLE", Extent::Yes, "with ORA_IBAR=late reported when the worker wakes", &["GOMP_parallel"]),
    (
        &[5, 6],
        "IBAR",
        Extent::Partly,
        "static loops and `single` end with the call that `barrier` is: EBAR there without -g",
        &["GOMP_parallel", "GOMP_loop", "GOMP_sections"],
    ),
    (&[7, 8], "EBAR", Extent::Yes, "without -g also the end of static loops and of `single`", &["GOMP_barrier"]),
    (&[9, 10], "LKWT", Extent::Yes, "only when a thread really waits", &["omp_set_lock", "omp_set_nest_lock"]),
    (&[11, 12], "CTWT", Extent::Yes, "only when a thread really waits", &["GOMP_critical"]),
    (
        &[13, 14],
        "ODWT",
        Extent::Yes,
        "only when a thread really waits",
        &["GOMP_ordered", "GOMP_loop_ordered", "GOMP_loop_ull_ordered"],
    ),
    (&[15, 16], "MASTER", Extent::No, "gcc inlines master and masked regions: there is no call", &[]),
    (
        &[17, 18],
        "SINGLE",
        Extent::Partly,
        "the end shows at the thread's next barrier, loop or region end only",
        &["GOMP_single"],
    ),
    (&[19, 20], "ORDERED", Extent::Yes, "", &["GOMP_ordered"]),
    (
        &[21, 22],
        "ATWT",
        Extent::Partly,
        "only atomics that take the runtime's lock; gcc makes instructions of most",
        &["GOMP_atomic"],
    ),
    (
        &[23, 24, 25, 28, 29, 30, 31, 32, 33, 34, 35],
        "tasks",
        Extent::Yes,
        "what libgomp does to clean up after a task does not show; no task is stolen, as a team has one queue",
        &["GOMP_task"],
    ),
    (&[26, 27], "task scheduling", Extent::No, "not visible from outside of the runtime", &[]),
    (&[], "REDUC (a state)", Extent::No, "gcc inlines reductions: their time is work", &[]),
];

/// Events of the adapter for runtimes with their own OMPT.
const OMPT: [Row; 14] = [
    (&[1, 2], "FORK, JOIN", Extent::Yes, "", &["__kmpc_fork_call", "GOMP_parallel"]),
    (
        &[3, 4],
        "IDLE",
        Extent::Partly,
        "its start is reported when the worker wakes up",
        &["__kmpc_fork_call", "GOMP_parallel"],
    ),
    (
        &[5, 6],
        "IBAR",
        Extent::Partly,
        "a worker's end of a region's last barrier is reported when it wakes; gcc's code calls others as `barrier`: EBAR there",
        &["__kmpc_fork_call", "__kmpc_for", "GOMP_parallel"],
    ),
    (
        &[7, 8],
        "EBAR",
        Extent::Yes,
        "of gcc's code also ends of worksharing constructs",
        &["__kmpc_barrier", "GOMP_barrier"],
    ),
    (&[9, 10], "LKWT", Extent::Yes, "only when a thread really waits", &["omp_set_lock", "omp_set_nest_lock"]),
    (&[11, 12], "CTWT", Extent::Yes, "only when a thread really waits", &["__kmpc_critical", "GOMP_critical"]),
    (&[13, 14], "ODWT", Extent::Yes, "only when a thread really waits", &["__kmpc_ordered", "GOMP_ordered"]),
    (
        &[15, 16],
        "MASTER",
        Extent::Partly,
        "gcc inlines master and masked regions; clang's are reported",
        &["__kmpc_master", "__kmpc_masked"],
    ),
    (
        &[17, 18],
        "SINGLE",
        Extent::Partly,
        "of gcc's code the end shows at the thread's next barrier, loop or region end only",
        &["__kmpc_single", "GOMP_single"],
    ),
    (&[19, 20], "ORDERED", Extent::Yes, "", &["__kmpc_ordered", "GOMP_ordered"]),
    (
        &[21, 22],
        "ATWT",
        Extent::Partly,
        "only atomics that take gcc's lock: compilers make instructions of most",
        &["__kmpc_atomic", "GOMP_atomic"],
    ),
    (&[23, 24, 25, 28, 29, 32, 33, 34, 35], "tasks", Extent::Yes, "", &["__kmpc_omp_task", "GOMP_task"]),
    (&[26, 27, 30, 31], "task scheduling", Extent::No, "these runtimes don't report it", &[]),
    (
        &[],
        "REDUC (a state)",
        Extent::No,
        "these runtimes don't report reductions: their time is work or a barrier",
        &["__kmpc_reduce"],
    ),
];

/// Events from code that OPARI has instrumented. They replace rows with the same numbers, which the runtime's adapter
/// can't see in full.
const OPARI: [Row; 3] = [
    (
        &[5, 6],
        "IBAR",
        Extent::Yes,
        "of static loops and of `single` by OPARI's calls: EBAR in code that it has not instrumented",
        &["GOMP_parallel", "GOMP_loop", "GOMP_sections"],
    ),
    (&[15, 16], "MASTER", Extent::Yes, BY_OPARI, &["POMP2_Master", "pomp2_master"]),
    (
        &[17, 18],
        "SINGLE",
        Extent::Yes,
        "the end by OPARI's calls: at the thread's next barrier in code that it has not instrumented",
        &["GOMP_single"],
    ),
];

/// Reason text of an event that OPARI's calls raise and the runtime's adapter doesn't see.
pub(crate) const BY_OPARI: &str = "by OPARI's calls, in the code that it has instrumented";

/// True if OPARI's calls raise the event.
pub(crate) fn is_raised_by_opari(event: &Event) -> bool {
    event.raised == Extent::Yes && event.why == BY_OPARI
}

/// Event table of the adapter for libgomp. `calls`: the functions that the program and its libraries import.
pub(crate) fn of_gomp(calls: &BTreeSet<String>) -> Vec<Event> {
    table("gomp", &GOMP, calls)
}

/// Event table of the adapter for runtimes with OMPT. `calls` as for [`of_gomp`].
pub(crate) fn of_ompt(calls: &BTreeSet<String>) -> Vec<Event> {
    table("ompt", &OMPT, calls)
}

/// Event tables of the adapters that report these runtimes.
pub(crate) fn of(runtimes: &[Runtime], calls: &BTreeSet<String>) -> Vec<Event> {
    let has = |host| runtimes.iter().any(|runtime| runtime.host == Some(host));
    let gomp = has("gomp").then(|| of_gomp(calls));
    let ompt = has("ompt").then(|| of_ompt(calls));
    gomp.into_iter().chain(ompt).flatten().collect()
}

fn table(host: &'static str, rows: &[Row], calls: &BTreeSet<String>) -> Vec<Event> {
    // For code that isn't compiled by gcc, the runtime reports all these events itself.
    let begins = |with: &str| calls.iter().any(|call| call.starts_with(with));
    let instrumented = begins("GOMP_") && (begins("POMP2_") || begins("pomp2_"));
    let by_opari = |row: &Row| OPARI.into_iter().find(|(numbers, ..)| instrumented && *numbers == row.0);
    rows.iter()
        .map(|row| by_opari(row).unwrap_or(*row))
        .map(|(numbers, name, raised, why, shown_by)| Event {
            host,
            numbers,
            name,
            raised,
            why,
            used: (!shown_by.is_empty())
                .then(|| calls.iter().any(|call| shown_by.iter().any(|prefix| call.starts_with(prefix)))),
        })
        .collect()
}

impl Extent {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Partly => "partly",
            Self::No => "no",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_table_says_what_the_library_answers() {
        let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../compat-tests/tables/gomp-events.txt");
        let table = std::fs::read_to_string(table).unwrap();
        let rows = of_gomp(&BTreeSet::new());
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number: u32 = words[0].parse().unwrap();
            let row = rows.iter().filter(|row| row.numbers.contains(&number)).collect::<Vec<_>>();
            assert_eq!(row.len(), 1, "{line}");
            assert_eq!(row[0].raised == Extent::No, words[2] == "UNSUPPORTED", "{line}");
        }
    }

    #[test]
    fn what_oparis_calls_tell_is_in_the_tables() {
        let raised = |calls: &[&str], name: &str| {
            let calls = calls.iter().map(|call| (*call).to_owned()).collect();
            let row = of_gomp(&calls).into_iter().find(|row| row.name == name).unwrap();
            (row.raised, row.used)
        };
        let calls = ["GOMP_parallel", "POMP2_Parallel_fork", "POMP2_Master_begin"];
        assert_eq!(raised(&calls, "MASTER"), (Extent::Yes, Some(true)));
        assert_eq!(raised(&calls[..2], "MASTER"), (Extent::Yes, Some(false)));
        assert_eq!(raised(&["GOMP_parallel", "pomp2_master_begin_"], "MASTER"), (Extent::Yes, Some(true)));
        assert_eq!(raised(&calls[..1], "MASTER"), (Extent::No, None));
        assert_eq!(raised(&calls, "SINGLE"), (Extent::Yes, Some(false)));
        // The runtime of code compiled by clang reports everything itself.
        assert_eq!(raised(&["__kmpc_fork_call", "POMP2_Master_begin"], "MASTER"), (Extent::No, None));
    }

    #[test]
    fn what_a_program_calls_shows_what_it_uses() {
        let calls = ["GOMP_parallel", "GOMP_taskloop"].map(str::to_owned).into_iter().collect();
        let used = |name: &str| of_gomp(&calls).iter().find(|row| row.name == name).unwrap().used;
        assert_eq!((used("tasks"), used("SINGLE"), used("MASTER")), (Some(true), Some(false), None));
    }
}
