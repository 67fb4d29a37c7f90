//! Programs that measure by their own clocks what `ora stat` and `ora report` should print, even on a machine with other users.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use compat_tests::suite::{first, whole_matrix};
use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};

/// Number of attempts: one run that agrees with the program is enough, and a wrong measure never agrees.
const RUNS: usize = 6;

/// True if nothing else runs on the machine, according to `ORA_TEST_IDLE`: figures are exact within 5 %. Otherwise the bounds are wide.
pub(crate) fn on_an_idle_machine() -> bool {
    std::env::var_os("ORA_TEST_IDLE").is_some()
}

/// Other programs, one for each processor, killed on drop.
struct Competitors(Vec<Child>);

impl Competitors {
    fn new(folder: &Folder) -> Self {
        let spin = folder.compile("forever", "forever", &[]);
        let count = std::thread::available_parallelism().unwrap().get();
        let one = || Command::new(&spin).stdin(Stdio::null()).spawn().unwrap();
        Self((0..count).map(|_| one()).collect())
    }
}

impl Drop for Competitors {
    fn drop(&mut self) {
        for one in &mut self.0 {
            let _ = one.kill();
            let _ = one.wait();
        }
    }
}

/// Figures that the program has printed, and the JSON object of its process.
fn stat(folder: &Folder, program: &Path, arguments: &[&str]) -> (Vec<Vec<f64>>, Value) {
    let file = folder.file("out.json");
    let output = run(ora(&["stat", "--json", "-o"]).arg(&file).arg("--").arg(program).args(arguments));
    let mut object: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let words = |line: &str| line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    (text(&output).lines().map(words).collect(), object["runs"][0]["processes"][0].take())
}

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap_or_else(|| panic!("{of} is no number"))
}

/// Share of imbalance that the program has printed.
fn share(said: &[f64]) -> f64 {
    (said[0] - said[1]) / said[0]
}

#[test]
#[ignore = "slow: --all runs it"]
fn uneven_work_is_as_uneven_beside_other_programs() {
    let folder = Folder::new();
    let program = folder.program("uneven");
    let _competitors = Competitors::new(&folder);
    for &how in first(&["random", "even", "round"], 1) {
        let mut last = String::new();
        let agreed = (0..RUNS).any(|_| {
            let (said, process) = stat(&folder, &program, &[how, "2"]);
            let (truth, found) = (share(&said[0]), number(&process["load_imbalance"]["value"]));
            last = format!("{found}, by the program {truth}: {process}");
            (found - truth).abs() < if on_an_idle_machine() { 0.05 } else { 0.1 }
        });
        assert!(agreed, "stat, {how}: {last}");
    }
    if whole_matrix() {
        let table = errors(&run(ora(&["stat", "--"]).arg(&program).args(["even", "2"])));
        assert!(table.contains("Finding: Threads were ready without a processor"), "{table}");
    }
    let profile = folder.file("profile");
    let output = run(ora(&["profile", "-F", "1000", "-o"]).arg(&profile).arg("--").arg(&program).args(["even", "2"]));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let report: Value = serde_json::from_str(&text(&run(ora(&["report", "--json"]).arg(&profile)))).unwrap();
    assert_eq!(report["findings"][0]["id"], "busy_machine", "{:#}", report["findings"]);
    assert!(!report["findings"].to_string().contains("schedule"), "{:#}", report["findings"]);
}

#[test]
#[ignore = "slow: --all runs it"]
fn regions_of_a_microsecond_to_a_second_are_counted_and_timed() {
    let folder = Folder::new();
    let program = folder.compile("lengths", "lengths", &["-g", "-fopenmp"]);
    let (said, process) = stat(&folder, &program, &["20"]);
    let (cpu, regions) = said.split_last().unwrap();
    for said in regions {
        let [line, count, worked, begun] = said[..] else { panic!("{said:?}") };
        let rows = process["regions"].as_array().unwrap();
        let rows: Vec<&Value> = rows.iter().filter(|row| number(&row["line"]) == line).collect();
        let sum = |key: &str| rows.iter().map(|row| number(&row[key])).sum::<f64>();
        assert_eq!(sum("count"), count, "{process}");
        let work = sum("work_ns");
        assert!(work >= worked * 0.999, "{work}, by the program {worked}: {process}");
        // The start of a region counts as work as well.
        let with_begin = (worked + begun) * 1.05 + count * 1e3;
        assert!(!on_an_idle_machine() || work <= with_begin, "{work}, by the program {worked} and {begun}: {process}");
    }
    let running = number(&process["running_ns"]);
    assert!((running - cpu[0]).abs() < cpu[0] * 0.05, "{running}, by the program {}: {process}", cpu[0]);
}
