//! Text table of `ora stat`: its content and its destination.

use std::fs;

use crate::harness::{Folder, errors, json, ora, run, stat, text};

/// The first number in the line that starts with these words.
fn number(table: &str, label: &str) -> f64 {
    let line = table.lines().find(|line| line.trim_start().starts_with(label));
    let line = line.unwrap_or_else(|| panic!("no line {label:?} in {table}"));
    let rest = line.trim_start().trim_start_matches(label);
    rest.split_whitespace().find_map(|word| word.parse().ok()).unwrap_or_else(|| panic!("no number in {line:?}"))
}

#[test]
fn regions_and_threads_are_counted() {
    let folder = Folder::new();
    let table = errors(&stat(&[], &folder.program("regions"), &["17"]));
    assert_eq!(number(&table, "parallel regions"), 17.0, "{table}");
    assert_eq!(number(&table, "threads"), 2.0, "{table}");
    assert!(table.contains("GNU libgomp"), "{table}");
    for said in [
        "load imbalance",
        "(max - mean) / max",
        "OpenMP Work",
        "OpenMP Wait",
        "0 initial",
        "1 worker",
        "implicit barrier",
    ] {
        assert!(table.contains(said), "no {said:?} in {table}");
    }
    // Things that didn't occur have no row and need no footnote.
    for missing in
        ["\n   lock ", "explicit barrier", "* explicit, or end of a static loop or single in code by gcc without -g"]
    {
        assert!(!table.contains(missing), "{missing:?} in {table}");
    }
}

#[test]
fn barriers_that_gccs_code_does_not_tell_apart_have_a_footnote() {
    let folder = Folder::new();
    let table = errors(&stat(&[], &folder.program("constructs"), &[]));
    assert!(number(&table, "explicit barrier *") >= 0.0, "{table}");
    assert!(table.contains("* explicit, or end of a static loop or single in code by gcc without -g"), "{table}");
}

#[test]
fn stdout_and_exit_code_are_the_programs() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let bare = run(std::process::Command::new(&program).args(["3", "42"]));
    let watched = stat(&[], &program, &["3", "42"]);
    assert_eq!((bare.status.code(), &bare.stdout), (Some(42), &b"6\n".to_vec()));
    assert_eq!((watched.status.code(), &watched.stdout), (Some(42), &bare.stdout));
    assert!(errors(&watched).contains("exit code 42"));
}

#[test]
fn the_table_goes_to_a_file_on_demand() {
    let folder = Folder::new();
    let file = folder.file("table.txt");
    let output = stat(&["-o", file.to_str().unwrap()], &folder.program("regions"), &[]);
    assert_eq!(errors(&output), "");
    assert!(fs::read_to_string(file).unwrap().contains("parallel regions"));
}

#[test]
fn a_program_without_openmp_gets_a_hint() {
    let output = run(ora(&["stat"]).args(["--", "/bin/echo", "-n", "x"]));
    let table = errors(&output);
    assert_eq!(text(&output), "x");
    assert!(table.contains("no OpenMP runtime was loaded") && table.contains("-fopenmp"), "{table}");
}

#[test]
fn a_program_that_the_collector_cannot_enter_gets_a_hint() {
    let folder = Folder::new();
    let program = folder.compile("regions", "static", &["-fopenmp", "-static"]);
    let output = stat(&[], &program, &["2"]);
    assert_eq!(text(&output), "4\n");
    assert!(errors(&output).contains("linked statically"), "{}", errors(&output));
}

#[test]
fn a_library_that_is_switched_off_gets_a_hint() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let output = run(ora(&["stat", "--"]).arg(&program).env("ORA_DISABLE", "1"));
    assert_eq!(text(&output), "2\n");
    assert!(errors(&output).contains("ORA_DISABLE"), "{}", errors(&output));
}

#[test]
fn several_runs_give_means_with_deviations() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let output = stat(&["-r", "3"], &program, &["5"]);
    let table = errors(&output);
    assert_eq!(text(&output), "10\n10\n10\n");
    assert!(table.contains("(3 runs: means, +- standard deviation)"), "{table}");
    assert_eq!(number(&table, "parallel regions"), 5.0, "{table}");
    assert!(table.contains("+- %"), "{table}");

    let object = json(&["-r", "3"], &program, &["5"]);
    assert_eq!(object["runs"].as_array().unwrap().len(), 3);
    assert_eq!(object["summary"]["runs"], 3);
    assert_eq!(object["summary"]["regions"]["mean"], 5.0);
    assert_eq!(object["summary"]["regions"]["standard_deviation"], 0.0);
    let walls: Vec<f64> =
        object["runs"].as_array().unwrap().iter().map(|run| run["wall_ns"].as_f64().unwrap()).collect();
    let mean = walls.iter().sum::<f64>() / 3.0;
    assert!((object["summary"]["wall_ns"]["mean"].as_f64().unwrap() - mean).abs() < 1.0);
}

#[test]
fn many_threads_are_drawn_together_unless_asked() {
    let folder = Folder::new();
    let program = folder.program("many");
    let few = errors(&stat(&["--rows", "2"], &program, &["4"]));
    assert!(few.contains("mean of 8 more") && few.contains("--rows all"), "{few}");
    let all = errors(&stat(&["--rows", "all"], &program, &["4"]));
    assert!(all.contains("9 worker") && !all.contains("mean of"), "{all}");
}
