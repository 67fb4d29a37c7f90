//! Regions of `ora stat`, compared with the program's own measurements (`programs/region_rows.c`) in the same run.
//!
//! If a thread loses its processor between reading the program's clock and the library's event, the two differ. So one run that agrees is
//! enough; a wrong measure never agrees. Imbalance is measured by the threads' CPU clocks.

use std::path::{Path, PathBuf};

use compat_tests::suite::{first, whole_matrix};
use serde_json::Value;

use crate::harness::{Folder, LIBOMP, errors, json, ora, run, stat, text};

const RUNS: usize = 12;

/// The program's own measurements of one place.
struct Truth {
    line: u64,
    count: u64,
    work: f64,
    /// Imbalance and gain, without and with the creation of the team.
    without: [f64; 2],
    with: [f64; 2],
}

impl Truth {
    fn read(said: &str) -> Vec<Self> {
        let truth = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let whole = |place: usize| words[place].parse().unwrap();
            let time = |place: usize| words[place].parse().unwrap();
            Self {
                line: whole(0),
                count: whole(1),
                work: time(2),
                without: [time(3), time(4)],
                with: [time(5), time(6)],
            }
        };
        said.lines().map(truth).collect()
    }
}

/// A run: the program's measurements, and the JSON object of its process.
fn watch(program: &Path, how: &str) -> (Vec<Truth>, Value) {
    let folder = Folder::new();
    let file = folder.file("out.json");
    let output = run(ora(&["stat", "--json", "-o"]).arg(&file).arg("--").arg(program).arg(how));
    let mut object: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    (Truth::read(&text(&output)), object["runs"][0]["processes"][0].take())
}

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap_or_else(|| panic!("{of} is no number"))
}

fn row(process: &Value, line: u64) -> &Value {
    let rows = process["regions"].as_array().unwrap();
    rows.iter().find(|row| row["line"] == line).unwrap_or_else(|| panic!("no row for line {line}: {process}"))
}

/// The same program from both compilers, if both are installed.
fn programs(folder: &Folder, name: &str, options: &[&str]) -> Vec<PathBuf> {
    let mut all = vec![folder.compile(name, "by_gcc", &[&["-fopenmp"], options].concat())];
    all.extend(folder.clang(name, "by_clang", &[&["-O1", "-fopenmp"], &LIBOMP[..], options].concat()));
    all
}

/// True within a tenth of everything that the row covers, and of the program's own measurements.
fn agrees(row: &Value, truth: &Truth) -> bool {
    let slack = 0.1 * (truth.work + truth.without[0]);
    let near = |key: &str, place: usize| {
        let (low, high) = (truth.without[place].min(truth.with[place]), truth.without[place].max(truth.with[place]));
        (low - slack..high + slack).contains(&number(&row[key]))
    };
    near("imbalance_ns", 0) && near("gain_ns", 1) && number(&row["work_ns"]) >= truth.work - slack
}

/// Runs until the program and the command agree. Counts and sums must be right in every run.
fn agree(how: &str, ratio: std::ops::Range<f64>) {
    let folder = Folder::new();
    for program in programs(&folder, "region_rows", &["-g"]) {
        let mut last = String::new();
        let agreed = (0..RUNS).any(|_| {
            let (truths, process) = watch(&program, how);
            let right = truths.iter().all(|truth| {
                let row = row(&process, truth.line);
                assert_eq!((row["count"].as_u64(), row["threads"].as_u64()), (Some(truth.count), Some(2)), "{row}");
                assert!(number(&row["longest_ns"]) <= number(&row["total_ns"]), "{row}");
                agrees(row, truth)
            });
            let imbalance = number(&process["load_imbalance"]["value"]);
            last = format!("{imbalance} {}", process["regions"]);
            right && ratio.contains(&imbalance)
        });
        assert!(agreed, "{how} of {}: {last}", program.display());
    }
}

#[test]
fn an_even_loop_has_no_imbalance() {
    agree("even", 0.0..0.15);
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_loop_of_one_to_three_has_a_third() {
    // (3 - 2) / 3.
    agree("primary", 0.25..0.42);
    agree("worker", 0.25..0.42);
}

#[test]
fn a_loop_whose_long_share_changes_hands_has_the_same() {
    agree("turns", 0.25..0.42);
}

#[test]
fn phases_between_barriers_are_uneven_each_for_itself() {
    agree("phases", 0.25..0.42);
}

#[test]
fn two_regions_of_one_function_have_a_row_each() {
    // (4 - 2.5) / 4 of one region, nothing of the other: 12 * 3 ns of 12 * 8 + 6 * 2.
    agree("two", 0.25..0.42);
}

#[test]
fn tasks_that_are_run_in_the_barrier_are_shares() {
    agree("tasks", 0.0..0.2);
}

#[test]
#[ignore = "slow: --all runs it"]
fn none_of_many_short_regions_is_lost() {
    let folder = Folder::new();
    for program in programs(&folder, "region_rows", &["-g"]) {
        let (truths, process) = watch(&program, "tiny");
        let row = row(&process, truths[0].line);
        assert_eq!(
            (truths[0].count, row["count"].as_u64(), row["not_ended"].as_u64()),
            (20_000, Some(20_000), Some(0))
        );
        assert_eq!(process["regions"].as_array().unwrap().len(), 1);
        let [total, mean] = ["total_ns", "mean_ns"].map(|key| number(&row[key]));
        assert!((total - number(&process["regions_total"]["total_ns"])).abs() < 1.0, "{process}");
        assert!((total / 20_000.0 - mean).abs() < 1.0 && number(&row["longest_ns"]) >= mean, "{row}");
        // All work in regions belongs to some row.
        assert!(number(&row["work_ns"]) <= number(&process["time_ns"]["work"]) * 1.001, "{process}");
    }
}

#[test]
fn threads_of_nested_regions_are_named_and_make_no_imbalance() {
    let folder = Folder::new();
    let program = folder.compile("many", "many", &["-g", "-fopenmp"]);
    let object = json(&[], &program, &["300"]);
    let process = &object["runs"][0]["processes"][0];
    assert_eq!(process["threads"].as_array().unwrap().len(), 602, "{process}");
    assert_eq!(process["short_lived_threads"], 600, "{process}");
    let rows = process["regions"].as_array().unwrap();
    let counts: Vec<_> =
        rows.iter().map(|row| (row["count"].as_u64().unwrap(), row["nested"].as_u64().unwrap())).collect();
    assert!(counts.len() == 2 && counts.contains(&(1, 0)) && counts.contains(&(600, 600)), "{process}");
    assert!(rows.iter().all(|row| row["function"] == "main" && row["threads"] == 2), "{process}");
    // Measured by the work of each thread it would be 99 %.
    assert!(number(&process["load_imbalance"]["value"]) < 0.9, "{process}");
    let table = errors(&stat(&[], &program, &["300"]));
    assert!(table.contains(" short-lived threads were created for nested regions"), "{table}");
}

#[test]
fn regions_in_regions_in_regions_are_counted_and_kept_threads_are_not_short_lived() {
    let folder = Folder::new();
    for program in programs(&folder, "deep", &["-g"]) {
        let object = json(&[], &program, &["30"]);
        let (run, process) = (&object["runs"][0], &object["runs"][0]["processes"][0]);
        let rows = process["regions"].as_array().unwrap();
        let mut counts: Vec<_> = rows.iter().map(|row| row["count"].as_u64().unwrap()).collect();
        counts.sort_unstable();
        assert_eq!((counts, run["regions_left_out"].as_u64()), (vec![30, 60, 120], Some(0)), "{process}");
        let kept = process["runtimes"] == serde_json::json!(["libomp"]);
        assert_eq!(process["short_lived_threads"] == 0, kept, "{process}");
    }
}

#[test]
fn the_table_names_regions_by_function_and_line() {
    let folder = Folder::new();
    for program in programs(&folder, "region_rows", &["-g"]) {
        let output = stat(&[], &program, &["two"]);
        let truths = Truth::read(&text(&output));
        let table = errors(&output);
        let place = |truth: &Truth| {
            let found = table.lines().position(|line| line.ends_with(&format!("two at region_rows.c:{}", truth.line)));
            found.unwrap_or_else(|| panic!("no row for line {}: {table}", truth.line))
        };
        let [one, other] = [0, 1].map(|number| place(&truths[number]));
        assert_eq!(one + 1, other, "the one with the larger gain comes first: {table}");
    }
}

#[test]
fn a_region_whose_function_was_inlined_in_several_places_has_one_row() {
    let folder = Folder::new();
    for options in [&["-O2", "-g"][..], &["-O2"]] {
        for program in programs(&folder, "inlined", options) {
            let object = json(&[], &program, &[]);
            let rows = object["runs"][0]["processes"][0]["regions"].as_array().unwrap().clone();
            assert_eq!(rows.len(), 1, "{options:?} {}: {rows:?}", program.display());
            assert_eq!((rows[0]["function"].as_str(), rows[0]["count"].as_u64()), (Some("grow"), Some(33)), "{rows:?}");
        }
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn regions_inside_of_regions_are_uneven_by_running_time_only() {
    let folder = Folder::new();
    for (place, program) in programs(&folder, "teams", &["-g"]).into_iter().enumerate() {
        // Without the long run, one way per compiler.
        let ways = if whole_matrix() { &["even", "inner", "outer"][..] } else { &["inner", "outer"][place..=place] };
        for how in ways {
            let mut last = String::new();
            let agreed = (0..RUNS).any(|_| {
                let file = folder.file("out.json");
                let output = run(ora(&["stat", "--json", "-o"]).arg(&file).arg("--").arg(&program).arg(how));
                let object: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
                let said: Vec<f64> = text(&output).split_whitespace().map(|word| word.parse().unwrap()).collect();
                let [inner, outer] = [(said[0] - said[1]) / said[0], (said[2] - said[3]) / said[2]];
                let rows = object["runs"][0]["processes"][0]["regions"].as_array().unwrap();
                last = format!("inner {inner}, outer {outer}: {rows:?}");
                // Four threads share the processors, no matter what else runs, so none has a processor all the time.
                rows.iter().all(|row| {
                    let truth = if row["nested"] == 0 { outer } else { inner };
                    (number(&row["imbalance"]) - truth).abs() < 0.1
                })
            });
            assert!(agreed, "{how}: by the program {last}");
        }
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn threads_that_share_a_processor_are_no_imbalance() {
    let folder = Folder::new();
    for &(how, least) in first(&[("lasting", 0.3), ("even", 0.0)], 1) {
        // Maximum and mean share of running time, according to the program.
        let runs = (0..RUNS).map(|_| uneven(&folder, &[how, "3", "on one"]));
        let near = |(truth, process): &(f64, Value)| {
            assert!(*truth >= least, "{how}: {truth}");
            (number(&process["load_imbalance"]["value"]) - truth).abs() < 0.1
        };
        let (_, process) = runs.into_iter().find(near).unwrap_or_else(|| panic!("{how} is not told as it is"));
        let waits = ["imbalance_ns", "no_processor_ns", "barrier_cost_ns"];
        for region in process["regions"].as_array().unwrap() {
            let parts: f64 = waits.iter().map(|part| number(&region[part])).sum();
            assert_eq!(parts, number(&region["barrier_ns"]), "{region}");
        }
    }
    let table = errors(&run(ora(&["stat", "--"]).arg(folder.program("uneven")).args(["even", "2", "on one"])));
    assert!(table.contains("for peers without a processor"), "{table}");
}

/// Imbalance that `programs/uneven.c` prints, and the JSON object of its process.
fn uneven(folder: &Folder, arguments: &[&str]) -> (f64, Value) {
    let file = folder.file("out.json");
    let output = run(ora(&["stat", "--json", "-o"]).arg(&file).arg("--").arg(folder.program("uneven")).args(arguments));
    let mut object: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let said: Vec<f64> = text(&output).split_whitespace().map(|word| word.parse().unwrap()).collect();
    ((said[0] - said[1]) / said[0], object["runs"][0]["processes"][0].take())
}
