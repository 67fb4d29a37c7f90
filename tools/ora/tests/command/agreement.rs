//! Figures of `ora stat` and `ora report` for one program agree with each other, and with those that the program prints.
//!
//! They come from different runs, on a machine with other users. So figures are compared by their part of the CPU time, which the program's
//! threads measure by their own clocks. Figures that depend on the wall clock are compared only on an idle machine.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};
use crate::known_causes::on_an_idle_machine;

/// Number of attempts: one run in which all agree is enough, and a wrong measure never agrees.
const RUNS: usize = 6;
/// Tolerance: a twentieth of each figure, plus a hundredth of the total CPU time. At 1000 samples per second of CPU time, of which the
/// program takes one, that is ten samples.
const PART: f64 = 0.05;
const SAMPLES: f64 = 0.01;

/// Name, and value.
type Figures = Vec<(&'static str, f64)>;

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap_or_else(|| panic!("{of} is no number"))
}

fn region<'v>(of: &'v Value, function: &str) -> &'v Value {
    let rows = of.as_array().unwrap();
    rows.iter().find(|row| row["function"] == function).unwrap_or_else(|| panic!("no {function}: {of:#}"))
}

/// Figures that the program has printed.
fn said(output: &str) -> [f64; 5] {
    let words: Vec<f64> = output.split_whitespace().map(|word| word.parse().unwrap()).collect();
    words.try_into().unwrap()
}

fn by_program([serial, uneven, even, asleep, cpu]: [f64; 5]) -> Figures {
    let in_regions = uneven + even;
    vec![
        ("all", 1.0),
        ("serial", serial / cpu),
        ("work", in_regions / cpu),
        ("imbalance", 0.25),
        ("imbalance of even work", 0.0),
        ("asleep", asleep),
    ]
}

/// Figures of the process, in parts of the CPU time that the program printed.
fn by_stat(folder: &Folder, program: &Path) -> (Figures, Figures) {
    let file = folder.file("stat.json");
    let mut watched = ora(&["stat", "--json", "-o"]);
    let output = run(watched.arg(&file).arg("--").arg(program).env("OMP_WAIT_POLICY", "passive"));
    let own = said(&text(&output));
    let object: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let process = &object["runs"][0]["processes"][0];
    let regions = &process["regions"];
    for (function, count) in [("uneven", 10), ("even", 10), ("asleep", 2)] {
        assert_eq!(
            (&region(regions, function)["count"], &region(regions, function)["threads"]),
            (&count.into(), &2.into())
        );
    }
    let cpu_ns = own[4] * 1e9;
    let running = &process["running_by_activity_ns"];
    let figures = vec![
        ("all", number(&process["running_ns"]) / cpu_ns),
        ("serial", number(&running["serial"]) / cpu_ns),
        ("work", number(&running["work"]) / cpu_ns),
        ("imbalance", number(&region(regions, "uneven")["imbalance"])),
        ("imbalance of even work", number(&region(regions, "even")["imbalance"])),
        ("asleep", number(&region(regions, "asleep")["work_ns"]) / 1e9),
        ("blocked", number(&process["blocked_ns"]) / 1e9),
        ("waits", number(&process["openmp_wait_ns"]) / 1e9),
        ("waits at barriers", number(&region(regions, "uneven")["barrier_ns"]) / 1e9),
    ];
    (figures, by_program(own))
}

fn by_report(folder: &Folder, program: &Path) -> (Figures, Figures) {
    let profile = folder.file("profile");
    // Removes the folder of the previous attempt.
    let _ = std::fs::remove_dir_all(&profile);
    let mut watched = ora(&["profile", "-F", "1000", "-o"]);
    let output = run(watched.arg(&profile).arg("--").arg(program).env("OMP_WAIT_POLICY", "passive"));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let own = said(&text(&output));
    let report: Value = serde_json::from_str(&text(&run(ora(&["report", "--json"]).arg(&profile)))).unwrap();
    let process = &report["processes"][0];
    assert_eq!(process["last_region"], 22, "{process:#}");
    let regions = &report["regions"];
    let cpu_ns = own[4] * 1e9;
    let state = |name: &str| number(&report["states"][name]["cpu_ns"]) / cpu_ns;
    let figures = vec![
        ("all", number(&process["running_ns"]) / cpu_ns),
        ("serial", state("serial")),
        ("work", state("work")),
        ("imbalance", number(&region(regions, "uneven")["imbalance"])),
        ("imbalance of even work", number(&region(regions, "even")["imbalance"])),
        ("asleep", number(&region(regions, "asleep")["work_ns"]) / 1e9),
        ("blocked", number(&process["blocked_ns"]) / 1e9),
        ("waits", number(&report["total"]["wait_ns"]) / 1e9),
        ("waits at barriers", number(&region(regions, "uneven")["barrier_ns"]) / 1e9),
    ];
    (figures, by_program(own))
}

/// The first figure in which the two lists differ too much. A figure that is in one list only is not compared.
fn apart(one: &Figures, other: &Figures) -> Option<String> {
    let idle = on_an_idle_machine();
    let by_wall_clock = |name: &str| matches!(name, "blocked" | "waits" | "waits at barriers");
    let differs = |(name, value): &(&str, f64)| {
        let (_, second) = other.iter().find(|(second, _)| second == name)?;
        // For a thread that was held up, sometimes only its total running time is known.
        let samples = if name.starts_with("imbalance") && !idle { 0.1 } else { SAMPLES };
        // A sleeping thread may get a processor late.
        let late = if *name == "asleep" && !idle { 0.3 * value.max(*second) } else { 0.0 };
        let apart = (value - second).abs() > PART * value.max(*second) + samples + late;
        (apart && (idle || !by_wall_clock(name))).then(|| format!("{name}: {value} and {second}"))
    };
    one.iter().find_map(differs)
}

#[test]
#[ignore = "slow: --all runs it"]
fn stat_and_report_say_the_same_and_what_the_program_says() {
    let folder = Folder::new();
    let program = folder.compile("agreed", "agreed", &["-g", "-fopenmp"]);
    let mut last = String::new();
    let agreed = (0..RUNS).any(|_| {
        let (stat, by_stats_program) = by_stat(&folder, &program);
        let (report, by_reports_program) = by_report(&folder, &program);
        let lines = [
            ("stat and the program", apart(&stat, &by_stats_program)),
            ("report and the program", apart(&report, &by_reports_program)),
            ("stat and report", apart(&stat, &report)),
        ];
        last = format!("{lines:?}\n{stat:?}\n{report:?}");
        println!("{last}");
        lines.iter().all(|(_, apart)| apart.is_none())
    });
    assert!(agreed, "{last}");
}
