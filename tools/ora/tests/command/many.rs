//! Programs with very many threads, mappings or regions: the cost of watching each of them, and what is printed if there is no space left.

use std::path::Path;
use std::process::Command;

use crate::harness::{Folder, errors, json, ora, run, text};

/// Bytes that a program has read by its end, with this many rounds.
fn read_by(program: &Path, command: &[&str], rounds: u32) -> i64 {
    let mut run_it = if command.is_empty() { Command::new(program) } else { ora(command) };
    if !command.is_empty() {
        run_it.arg(program);
    }
    let output = run(run_it.args(["1000", &rounds.to_string()]));
    text(&output).trim().parse().unwrap_or_else(|_| panic!("{}", errors(&output)))
}

/// The list of mappings has 60 kB in this program.
#[test]
fn a_new_thread_reads_no_list_of_mappings() {
    let folder = Folder::new();
    let program = folder.program("thread_churn");
    let (few, many) = (2, 42);
    let file = folder.file("out");
    let file = file.to_str().unwrap();
    for command in [&["stat", "-o", file, "--"][..], &["tasks", "-o", file, "--"], &["run", "--"]] {
        let grown = read_by(&program, command, many) - read_by(&program, command, few);
        assert!(grown < 2000 * i64::from(many - few), "{command:?}: {grown}");
    }
    for kind in ["profile", "trace"] {
        let grown = [few, many].map(|rounds| {
            let folder = folder.file(&format!("{kind}{rounds}"));
            read_by(&program, &[kind, "-o", folder.to_str().unwrap(), "--"], rounds)
        });
        assert!(grown[1] - grown[0] < 2000 * i64::from(many - few), "{kind}: {grown:?}");
    }
}

/// Members of a team are counted, no matter how many there are.
#[test]
fn a_team_of_more_than_a_thousand_has_its_waits_and_its_gain() {
    let folder = Folder::new();
    let program = folder.program("large_team");
    let whole = json(&[], &program, &["1100"]);
    let run = whole.get("runs").map_or(&whole, |runs| &runs[0]);
    let region = &run["processes"][0]["regions"][0];
    assert_eq!(region["threads"], 1100, "{region}");
    // One of them works for 50 ms, and the others wait for it.
    let wait_ns = region["wait_ns"].as_f64().unwrap();
    assert!(wait_ns > 1000.0 * 40e6 && region["gain_ns"].as_f64().unwrap() > 10e6, "{region}");
}

#[test]
fn regions_without_room_are_told() {
    let folder = Folder::new();
    let program = folder.program("crowded");
    let output = run(ora(&["stat", "--"]).arg(&program));
    let table = errors(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(text(&output), "280 1\n");
    assert!(table.contains("more than 128 regions were open at a time"), "{table}");
    assert!(table.contains("2 regions have no times in the table of regions"), "{table}");
    let whole = json(&[], &program, &[]);
    let run = whole.get("runs").map_or(&whole, |runs| &runs[0]);
    assert_eq!((&run["regions_too_deep"], &run["objects_left_out"]), (&2.into(), &0.into()), "{run}");
    assert!(run["shares_left_out"].as_u64().unwrap() >= 1, "{run}");
}

#[test]
fn work_in_tasks_that_are_too_deep_is_work_and_told() {
    let folder = Folder::new();
    let program = folder.program("deep_waits");
    let output = run(ora(&["stat", "--"]).arg(&program));
    let table = errors(&output);
    assert!(table.contains("of work may have been waits: in tasks nested more than 63 deep"), "{table}");
    let whole = json(&[], &program, &[]);
    let run = whole.get("runs").map_or(&whole, |runs| &runs[0]);
    let process = &run["processes"][0];
    let too_deep_ns = process["work_too_deep_ns"].as_u64().unwrap();
    assert!(too_deep_ns > 40_000_000, "{process}");
    assert!(process["time_ns"]["taskwait"].as_u64().unwrap() < too_deep_ns / 4, "{process}");
}

#[test]
fn a_program_with_a_long_path_has_its_names() {
    let folder = Folder::new();
    let program = folder.program("deep_waits");
    let deep = folder.file("a".repeat(200).as_str()).join("b".repeat(200));
    std::fs::create_dir_all(&deep).unwrap();
    let copy = deep.join("copy");
    std::fs::copy(&program, &copy).unwrap();
    for command in ["stat", "tasks"] {
        let table = errors(&run(ora(&[command, "--"]).arg(&copy)));
        assert!(table.contains("(copy+0x"), "{table}");
    }
}

#[test]
fn executions_of_regions_without_a_row_are_told() {
    let folder = Folder::new();
    let program = folder.program("many_places");
    let output = run(ora(&["stat", "--"]).arg(&program));
    assert_eq!((text(&output).as_str(), errors(&output).contains("executions of regions omitted")), ("72000\n", true));
    let whole = json(&[], &program, &[]);
    let run = whole.get("runs").map_or(&whole, |runs| &runs[0]);
    let rows = run["processes"][0]["regions"].as_array().unwrap();
    let counted: u64 = rows.iter().map(|row| row["count"].as_u64().unwrap()).sum();
    let omitted = run["regions_left_out"].as_u64().unwrap();
    assert!(counted + omitted == 72_000 && omitted >= 2000, "{counted} {omitted}");
}
