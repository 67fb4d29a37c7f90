//! `ora report` on programs that measure themselves: the reported times agree with their measurements.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};

/// Figures that a program has printed, and the report on it.
struct Run {
    said: Vec<f64>,
    report: Value,
}

impl Run {
    fn of(folder: &Folder, program: &Path, arguments: &[&str]) -> Self {
        let profile = folder.file("profile");
        let output = run(ora(&["profile", "-F", "1000", "-o"])
            .arg(&profile)
            .arg("--")
            .arg(program)
            .args(arguments)
            .env("OMP_DYNAMIC", "false"));
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let said = text(&output).split_whitespace().map(|word| word.parse().unwrap()).collect();
        let report = run(ora(&["report", "--json"]).arg(&profile));
        Self { said, report: serde_json::from_str(&text(&report)).unwrap() }
    }

    /// Seconds in a state, by a clock (`total_ns`, `cpu_ns`).
    fn state(&self, state: &str, clock: &str) -> f64 {
        seconds(&self.report["states"][state][clock])
    }
}

fn seconds(ns: &Value) -> f64 {
    ns.as_f64().unwrap_or(0.0) / 1e9
}

/// Checks bounds that neither chance nor a busy machine reaches.
fn about(found: f64, truth: f64, what: &str) {
    assert!(found > 0.75 * truth && found < 1.25 * truth, "{what}: {found} s, by the program {truth} s");
}

#[test]
#[ignore = "slow: --all runs it"]
fn free_locks_are_the_runtimes_time_and_no_work() {
    let folder = Folder::new();
    let found = Run::of(&folder, &folder.program("inside"), &[]);
    let [locked, worked] = found.said[..] else { panic!("{:?}", found.said) };
    about(found.state("runtime", "cpu_ns"), locked, "runtime");
    about(found.state("work", "cpu_ns"), worked, "work");
}

/// Share of imbalance of the region, according to the report and to the program.
fn imbalance(arguments: &[&str]) -> (f64, f64, Run) {
    let folder = Folder::new();
    let found = Run::of(&folder, &folder.program("uneven"), arguments);
    let [longest, mean] = found.said[..] else { panic!("{:?}", found.said) };
    let region = &found.report["regions"][0];
    let ns = |key: &str| region[key].as_u64().unwrap();
    let parts = ns("imbalance_ns") + ns("no_processor_ns") + ns("barrier_cost_ns");
    assert_eq!(parts, ns("barrier_ns"), "{region:#}");
    assert!(ns("work_ns") > 0 && ns("gain_ns") <= ns("imbalance_ns"), "{region:#}");
    (region["imbalance"].as_f64().unwrap(), (longest - mean) / longest, found)
}

#[test]
#[ignore = "slow: --all runs it"]
fn imbalance_is_that_of_running_time_always_the_same_or_by_turns() {
    for how in ["lasting", "round"] {
        let (found, truth, _) = imbalance(&[how, "2"]);
        assert!((found - truth).abs() < 0.1, "{how}: {found}, by the program {truth}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn threads_that_share_a_processor_are_told_first_and_are_no_imbalance() {
    let (found, truth, run) = imbalance(&["even", "3", "on one"]);
    assert!(truth < 0.02 && found < 0.1, "{found}, by the program {truth}");
    assert_eq!(run.report["findings"][0]["id"], "crowded", "{:#}", run.report["findings"]);
    let findings = run.report["findings"].to_string();
    assert!(!findings.contains("schedule") && !findings.contains("less to do"), "{findings}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn sleep_outside_of_openmp_is_no_regions_work_and_threads_outside_are_in_no_sum() {
    let folder = Folder::new();
    let found = Run::of(&folder, &folder.program("asleep"), &[]);
    let [slept, worked, beside, interrupted] = found.said[..] else { panic!("{:?}", found.said) };
    assert!(interrupted == 0.0, "a system call returned early");
    let functions = found.report["functions"].as_array().unwrap();
    let asleep = functions.iter().find(|one| one["name"] == "<asleep outside of OpenMP>").expect("it slept");
    about(seconds(&asleep["own"]["total_ns"]), slept, "asleep");
    assert_eq!(asleep["own"]["cpu_ns"], 0);
    about(found.state("work", "cpu_ns"), worked, "work");
    let region = &found.report["regions"][0]["own"];
    let off = seconds(&region["work_ns"]) - seconds(&region["cpu_ns"]);
    let ready: f64 =
        found.report["threads"].as_array().unwrap().iter().map(|thread| seconds(&thread["ready_ns"])).sum();
    assert!(off < 0.3 * slept + ready, "no sleep is the region's: {region:#}, without a processor {ready} s");
    let outside = &found.report["outside_of_openmp"];
    about(seconds(&outside["sum"]["cpu_ns"]), beside, "the thread outside");
    let threads = found.report["threads"].as_array().unwrap();
    assert_eq!(threads.iter().filter(|thread| thread["outside_of_openmp"] == true).count(), 1);
    let inside = threads.iter().filter(|thread| thread["outside_of_openmp"] == false);
    let sum: u64 = inside.map(|thread| thread["sum"]["total_ns"].as_u64().unwrap()).sum();
    assert_eq!(found.report["total"]["total_ns"].as_u64(), Some(sum));
}
