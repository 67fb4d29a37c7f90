//! Findings for classic mistakes (`programs/mistakes.c`), and advice that must never be given.
//!
//! Other load sometimes hides a mistake. So one run that names it is enough; if the rule is wrong, no run does.

use std::path::Path;

use compat_tests::suite::whole_matrix;
use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, stat, text};

/// Number of attempts on a busy machine; on an idle one the first run succeeds.
const RUNS: usize = 20;

/// A mistake, the findings that name it, and words of each.
type Mistake = (&'static str, &'static [(&'static str, &'static str)]);

const MISTAKES: [Mistake; 8] = [
    (
        "triangular",
        &[("imbalance", "try schedule(dynamic) with chunks of some 10 us of work or more, or parts of more even size")],
    ),
    ("chunks", &[("overhead", "larger chunks of loops"), ("runtime", "larger tasks, chunks and regions")]),
    ("contended", &[("critical", "waits for critical sections")]),
    ("prepared", &[("imbalance", "share the work before its barriers more evenly")]),
    ("last_task", &[("imbalance", "its work is tasks: make the longest ones smaller")]),
    (
        "small_tasks",
        &[("small_tasks", "make them larger (`ora tasks` shows where they are created, and how long they run)")],
    ),
    ("between", &[("serial", "make that parallel as well"), ("small_regions", "join them")]),
    ("crowded", &[("crowded", "OMP_THREAD_LIMIT=")]),
];

/// Approximate duration of a mistake, in milliseconds. If other programs leave only one processor, chunks and small tasks cost a tenth,
/// which must still exceed the 20 ms of threads' time that a finding requires.
fn length(mistake: &str) -> &'static str {
    match mistake {
        "chunks" => "2400",
        "small_tasks" => "1200",
        _ => "300",
    }
}

/// Mistakes that take longer: without the long run, the faults of `planted_faults` replace them.
const LONG: [&str; 2] = ["chunks", "small_tasks"];

/// Mistakes in loops whose shares do become uneven, either by themselves or because other programs take a thread's processor.
const UNEVEN_LOOPS: [&str; 2] = ["triangular", "crowded"];

fn program(folder: &Folder) -> std::path::PathBuf {
    folder.compile("mistakes", "mistakes", &["-O2", "-g", "-fopenmp"])
}

/// Findings of `ora report`: identifiers and sentences.
fn findings(program: &Path, mistake: &str) -> Vec<(String, String)> {
    let folder = Folder::new();
    let profile = folder.file("profile");
    let watched = run(ora(&["profile", "-F", "1000", "-o"])
        .arg(&profile)
        .arg("--")
        .arg(program)
        .args([mistake, length(mistake)]));
    assert_eq!(watched.status.code(), Some(0), "{}", errors(&watched));
    let report: Value = serde_json::from_str(&text(&run(ora(&["report", "--json"]).arg(&profile)))).unwrap();
    let word = |of: &Value| of.as_str().unwrap().to_owned();
    let found = report["findings"].as_array().unwrap().iter();
    found.map(|one| (word(&one["id"]), format!("{}: {}", word(&one["what"]), word(&one["fix"])))).collect()
}

/// Findings about the machine's own load, which come first.
const OF_THE_MACHINE: [&str; 2] = ["busy_machine", "spinning"];

#[test]
#[ignore = "slow: --all runs it"]
fn the_first_finding_of_a_report_names_the_mistake() {
    let folder = Folder::new();
    let program = program(&folder);
    for (mistake, right) in MISTAKES.into_iter().filter(|(mistake, _)| whole_matrix() || !LONG.contains(mistake)) {
        let mut last = Vec::new();
        let named = (0..RUNS).any(|_| {
            last = findings(&program, mistake);
            let no_schedule =
                last.iter().all(|(_, text)| UNEVEN_LOOPS.contains(&mistake) || !text.contains("schedule("));
            let first = last.iter().find(|(id, _)| !OF_THE_MACHINE.contains(&id.as_str()));
            no_schedule
                && first.is_some_and(|(id, text)| right.iter().any(|(one, words)| id == one && text.contains(words)))
        });
        assert!(named, "{mistake}: {last:#?}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_findings_of_stat_name_what_costs_the_most() {
    let findings = [
        ("triangular", "is imbalance in triangular at mistakes.c:"),
        ("contended", "% of that in contended at mistakes.c:"),
        ("prepared", "is imbalance in prepared at mistakes.c:"),
        ("last_task", "is imbalance in last_task at mistakes.c:"),
        ("small_tasks", "goes into small_tasks at mistakes.c:"),
        ("between", "are spent in code outside of parallel regions"),
        ("chunks", "goes into chunks at mistakes.c:"),
    ];
    let folder = Folder::new();
    let program = program(&folder);
    for (mistake, words) in findings.into_iter().filter(|(mistake, _)| whole_matrix() || *mistake != "chunks") {
        let mut last = String::new();
        let named = (0..RUNS).any(|_| {
            last = errors(&stat(&[], &program, &[mistake, length(mistake)]));
            // The source declares what is a loop.
            let may_have = mistake == "chunks" || UNEVEN_LOOPS.contains(&mistake);
            let no_schedule = may_have || !last.contains("schedule(");
            let mut findings = last.lines().filter(|line| line.trim_start().starts_with("Finding: "));
            let first = findings.find(|line| !line.contains("Threads were ready without a processor"));
            no_schedule && first.is_some_and(|line| line.contains(words))
        });
        assert!(named, "{mistake}: {last}");
    }
}

#[test]
fn tasks_says_which_are_too_long_or_too_small() {
    let lines = [
        ("last_task", "no other thread had a task while", " of last_task at mistakes.c:"),
        ("small_tasks", "too small: they ran for less than", " in one task would save about"),
    ];
    let folder = Folder::new();
    let program = program(&folder);
    for (mistake, words, more) in lines {
        let mut last = String::new();
        let named = (0..RUNS).any(|_| {
            last = errors(&run(ora(&["tasks", "--"]).arg(&program).args([mistake, "300"])));
            last.contains(words) && last.contains(more) && (mistake == "last_task") == last.contains("   long tasks  ")
        });
        assert!(named, "{mistake}: {last}");
    }
}

#[test]
fn fewer_threads_are_had_as_the_finding_says() {
    let folder = Folder::new();
    let program = program(&folder);
    let table = errors(&stat(&[], &program, &["crowded", "100"]));
    let finding = table.lines().find(|line| line.contains(" OpenMP threads for ")).unwrap_or_else(|| panic!("{table}"));
    let (_, setting) = finding.split_once("OMP_THREAD_LIMIT=").unwrap_or_else(|| panic!("{table}"));
    let limit = setting.split(|other: char| !other.is_ascii_digit()).next().unwrap();
    let again = run(ora(&["stat", "--"]).arg(&program).args(["crowded", "100"]).env("OMP_THREAD_LIMIT", limit));
    assert!(!errors(&again).contains(" OpenMP threads for "), "{}", errors(&again));
}
