//! Planted hangs: each is named, with the lines that are involved.

use compat_tests::suite::{one_of_each, whole_matrix};

use super::harness::{Running, on_llvms_runtime};
use crate::harness::Folder;
use crate::instrumented::libgomp;

/// Case of `programs/hangs.c`: its name, the kind of the finding, the number of threads that are involved, and words that the finding
/// contains.
type Case = (&'static str, &'static str, usize, &'static [&'static str]);

const CASES: [Case; 22] = [
    ("lock_cycle", "lock-cycle", 2, &["lock first", "lock second", "hangs.c:", "in lock_cycle", "holds it"]),
    ("lock_cycle_of_three", "lock-cycle", 3, &["lock first", "lock second", "lock third"]),
    ("nest_lock_cycle", "lock-cycle", 2, &["nestable lock nest_first", "nestable lock nest_second"]),
    ("critical_cycle", "lock-cycle", 2, &["critical section left", "critical section right"]),
    ("critical_within_itself", "taken-twice", 1, &["critical section count", "in count", "in critical_within_itself"]),
    ("lock_twice", "taken-twice", 1, &["lock first", "which it holds itself"]),
    ("barrier_in_critical", "barrier-incomplete", 2, &["critical section count", "waits at a barrier", "is not there"]),
    ("barrier_of_some", "barriers-differ", 2, &["waits at a barrier", "at the end of its parallel region"]),
    ("lock_over_barrier", "barrier-incomplete", 2, &["waits at a barrier", "waits for lock first", "holds it"]),
    ("lock_forgotten", "not-released", 3, &["Nobody releases lock first", "Its holder isn't known"]),
    ("ordered_out_of_turn", "ordered", 2, &["waits for its turn", "waits for lock first", "has to come first"]),
    ("doacross_without_source", "doacross", 1, &["doacross"]),
    ("taskwait_with_lock", "task-cycle", 2, &["taskwait", "executes a task", "waits for lock first"]),
    ("task_never_fulfilled", "barrier-unopened", 2, &["omp_fulfill_event"]),
    ("task_depends_on_one_that_does_not_end", "taskwait", 1, &["waits for its child tasks"]),
    ("tasks_that_wait_for_each_other", "taken-twice", 1, &["lock first", "which it holds itself"]),
    ("thread_has_left", "member-left", 2, &["one thread of the team has left", "hangs.c:"]),
    ("mutex_over_barrier", "barrier-incomplete", 2, &["waits for mutex mutex", "holds it"]),
    ("nested_barrier", "barrier-incomplete", 2, &["waits at a barrier", "waits for lock first"]),
    ("join_with_lock", "wait-cycle", 2, &["pthread_join()", "waits for lock first", "in wants_lock"]),
    ("condition_without_signal", "outside", 1, &["pthread_cond_wait()"]),
    ("section_waits_for_section", "lock-cycle", 2, &["critical section count", "lock first"]),
];

/// Number of threads of a case that wait without sleeping: libgomp waits for doacross loops only in this way.
fn awake(case: &str) -> usize {
    usize::from(case == "doacross_without_source")
}

/// Checks that each case is named, and that it is the only finding.
fn named(options: &[&str]) {
    let folder = Folder::new();
    let options = [options, &["-g", "-fopenmp"]].concat();
    let program = folder.compile("hangs", "hangs", &options);
    for (case, kind, threads, words) in CASES {
        let running = Running::start(&program, case, &[]);
        running.stands_still(awake(case));
        // On a busy machine a thread that doesn't sleep may have had no processor between two observations.
        let mut answers = (0..if awake(case) > 0 { 20 } else { 0 }).map(|_| running.answer(&[]));
        let (answer, code) = answers.find(|(_, code)| *code == Some(3)).unwrap_or_else(|| running.answer(&[]));
        let findings = answer["findings"].as_array().unwrap();
        let kinds: Vec<&str> = findings.iter().map(|finding| finding["kind"].as_str().unwrap()).collect();
        assert_eq!((kinds.as_slice(), code), (&[kind][..], Some(3)), "{case} {options:?}: {answer:#}");
        assert_eq!(findings[0]["threads"].as_array().unwrap().len(), threads, "{case} {options:?}: {answer:#}");
        let text = findings[0].to_string();
        let missing: Vec<_> = words.iter().filter(|word| !text.contains(**word)).collect();
        assert!(missing.is_empty(), "{case} {options:?}: no {missing:?} in {text}");
    }
}

#[test]
fn each_planted_hang_is_named_in_optimised_code() {
    named(&["-O2"]);
}

#[test]
fn each_planted_hang_is_named_in_plain_code() {
    if whole_matrix() {
        named(&["-O0"]);
        named(&["-O1"]);
        named(&["-O3"]);
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_hang_of_threads_that_wait_without_sleeping_is_named() {
    let folder = Folder::new();
    let program = folder.compile("hangs", "hangs", &["-g", "-O2", "-fopenmp"]);
    for (case, kind) in [("lock_cycle", "lock-cycle"), ("critical_cycle", "lock-cycle")] {
        // With more threads than processors libgomp doesn't spin, unless it is asked to.
        let spin = [("OMP_WAIT_POLICY", "active"), ("GOMP_SPINCOUNT", "infinity")];
        let running = Running::start(&program, case, &spin);
        let found = || {
            let (answer, code) = running.answer(&[]);
            (code == Some(3)).then(|| answer["findings"][0]["kind"].as_str().unwrap().to_owned())
        };
        // On a busy machine a thread may have had no processor between two observations.
        assert_eq!((0..20).find_map(|_| found()).as_deref(), Some(kind), "{case}");
    }
}

/// Cases that are also named on LLVM's runtime, where threads wait for locks without sleeping, and teams are unknown.
const ON_LLVMS: [(&str, &str, &str); 13] = [
    ("lock_cycle_of_three", "lock-cycle", "lock third"),
    ("nest_lock_cycle", "lock-cycle", "nestable lock nest_second"),
    ("critical_cycle", "lock-cycle", "critical section right"),
    ("section_waits_for_section", "lock-cycle", "critical section count"),
    ("critical_within_itself", "taken-twice", "critical section count"),
    ("lock_twice", "taken-twice", "lock first"),
    ("tasks_that_wait_for_each_other", "taken-twice", "lock first"),
    ("barrier_in_critical", "barrier-incomplete", "waits at a barrier"),
    ("barrier_of_some", "barrier-incomplete", "waits at a barrier"),
    ("thread_has_left", "barrier-incomplete", "waits at a barrier"),
    ("mutex_over_barrier", "barrier-incomplete", "waits at a barrier"),
    ("join_with_lock", "wait-cycle", "waits for lock first"),
    ("condition_without_signal", "barrier-incomplete", "at the end of its parallel region"),
];

#[test]
#[ignore = "slow: --all runs it"]
fn hangs_on_llvms_runtime_are_named() {
    let folder = Folder::new();
    let Some(program) = on_llvms_runtime(&folder, "hangs", "-O1") else { return };
    for (case, kind, words) in one_of_each(&ON_LLVMS, |(_, kind, words)| (*kind, *words)) {
        let running = Running::start(&program, case, &[]);
        // It takes a while until threads hang, and on a busy machine one may have had no processor between two observations.
        let named = |_| {
            let (answer, code) = running.answer(&[]);
            let findings = answer["findings"].as_array().unwrap();
            let is_it = |finding: &&serde_json::Value| finding["kind"] == kind && finding.to_string().contains(words);
            code == Some(3) && findings.iter().any(|finding| is_it(&finding))
        };
        assert!((0..40).any(named), "{case}: {:#}", running.answer(&[]).0);
    }
}

#[test]
fn a_hang_in_a_static_runtime_is_named_with_what_each_thread_waits_for() {
    let folder = Folder::new();
    let archive = ["-Wl,--as-needed,--whole-archive", &libgomp(), "-Wl,--no-whole-archive"];
    let program = folder.compile("hangs", "hangs", &[&["-g", "-O2", "-fopenmp"], &archive[..]].concat());
    for (case, kind, words) in [
        ("lock_cycle", "lock-cycle", "lock second"),
        ("barrier_of_some", "barriers-differ", "at the end of its parallel region"),
    ] {
        let running = Running::start(&program, case, &[]);
        running.stands_still(0);
        let (answer, code) = running.answer(&[]);
        assert_eq!((answer["findings"][0]["kind"].as_str(), code), (Some(kind), Some(3)), "{answer:#}");
        assert!(answer["findings"][0].to_string().contains(words), "{answer:#}");
        assert!(answer["limits"].to_string().contains("linked statically"), "{answer:#}");
    }
}

#[test]
fn a_hang_under_another_command_is_named() {
    let folder = Folder::new();
    let program = folder.compile("hangs", "hangs", &["-g", "-O2", "-fopenmp"]);
    for command in [&["stat"][..], &["run", "--standby"], &["tasks"]] {
        for (case, kind) in
            [("lock_cycle", "lock-cycle"), ("barrier_of_some", "barriers-differ"), ("taskwait_with_lock", "task-cycle")]
        {
            let mut ora = crate::harness::ora(command);
            ora.arg("--").arg(&program).arg(case);
            let under =
                Running::begin(ora.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()), case);
            let child = child(under.pid());
            super::harness::stands_still(child, 0);
            let output = crate::harness::run(&mut crate::harness::ora(&["hang", &child.to_string(), "--json"]));
            crate::harness::run(std::process::Command::new("kill").args(["-KILL", &child.to_string()]));
            let answer: serde_json::Value = serde_json::from_str(&crate::harness::text(&output)).unwrap();
            assert_eq!(answer["findings"][0]["kind"], kind, "{command:?} {case}: {answer:#}");
        }
    }
}

/// Process that a command runs: its child, or the command itself after it has executed the program.
fn child(parent: u32) -> u32 {
    let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).unwrap();
    let children =
        |task: std::io::Result<std::fs::DirEntry>| std::fs::read_to_string(task.unwrap().path().join("children"));
    let all: Vec<String> = tasks.filter_map(|task| children(task).ok()).collect();
    all.iter().flat_map(|children| children.split_whitespace()).next().map_or(parent, |child| child.parse().unwrap())
}
