//! Checked-in tables: they agree with the library.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use compat_tests::forge::Forge;
use compat_tests::library::{crate_dir, libora, project_dir};
use compat_tests::run::Launch;

/// Reads `tables/gomp-events.txt`: number, name and answer on each line.
fn events_table() -> BTreeMap<i32, (String, String)> {
    let text = fs::read_to_string(crate_dir().join("tables/gomp-events.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let [number, name, answer] = words.as_slice() else { panic!("{line:?} is no row") };
        (number.parse().unwrap(), ((*name).to_owned(), (*answer).to_owned()))
    };
    lines.map(row).collect()
}

/// Answers to a program's REGISTER requests.
fn answers(program: &str, openmp: bool) -> BTreeMap<i32, i32> {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let path = if openmp { forge.program(program) } else { forge.plain_program(program) };
    let launch = Launch::of(&forge, &path).threads(2).with_ora().with_collector(&forge.collector("probing.c"));
    launch.run().succeeded().trace().answers
}

fn compare_with_table(answers: &BTreeMap<i32, i32>) {
    let word = |ec: &i32| match ec {
        0 => "OK".to_owned(),
        2 => "UNKNOWN".to_owned(),
        3 => "UNSUPPORTED".to_owned(),
        other => format!("error {other}"),
    };
    let table = events_table();
    assert_eq!(table.keys().collect::<Vec<_>>(), (1..=35).collect::<Vec<_>>().iter().collect::<Vec<_>>());
    for (number, (name, answer)) in &table {
        assert_eq!(answers.get(number).map(word).as_ref(), Some(answer), "REGISTER of {number} {name}");
    }
}

#[test]
fn register_answers_on_libgomp_as_the_table_says() {
    compare_with_table(&answers("barriers.c", true));
}

#[test]
fn register_answers_without_any_openmp_as_the_table_says() {
    compare_with_table(&answers("no_openmp.c", false));
}

#[test]
fn the_tables_names_are_the_headers() {
    let header = fs::read_to_string(project_dir().join("headers/omp_collector_api.h")).unwrap();
    for (number, (name, _)) in events_table() {
        assert!(header.contains(&format!(" {name} = {number},")), "{name} = {number} is not in the header");
    }
}

#[test]
fn the_library_exports_what_the_list_says_and_nothing_else() {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(libora()).output().unwrap();
    assert!(output.status.success(), "nm: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut exported: Vec<_> = text.lines().filter_map(|line| line.split_whitespace().last()).collect();
    exported.sort_unstable();
    let list = fs::read_to_string(project_dir().join("ora/exports.txt")).unwrap();
    let mut listed: Vec<_> = list.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).collect();
    listed.sort_unstable();
    assert_eq!(exported, listed);
}

#[test]
fn what_programs_test_for_is_not_exported() {
    let list = fs::read_to_string(project_dir().join("ora/exports.txt")).unwrap();
    for line in list.lines() {
        assert!(!line.starts_with("omp_get_"), "{line} would look like a runtime");
    }
}

/// Reads `tables/gomp-passes-by.txt`: a name and a reason on each line.
fn passes_by() -> BTreeMap<String, String> {
    let text = fs::read_to_string(crate_dir().join("tables/gomp-passes-by.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split_once(' ').map(|(name, why)| (name.to_owned(), why.to_owned())).unwrap()).collect()
}

#[test]
fn every_entry_point_of_libgomp_is_ours_or_passes_by_for_a_reason() {
    let libgomp = compat_tests::private_libgomp::original();
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(&libgomp).output().unwrap();
    assert!(output.status.success(), "nm {}", libgomp.display());
    let listing = String::from_utf8(output.stdout).unwrap();
    // Names of versions are symbols as well ("A"); plugins' functions are for libgomp's own parts.
    let is_entry =
        |(kind, name): &(&str, &str)| *kind == "T" && name.starts_with("GOMP_") && !name.starts_with("GOMP_PLUGIN_");
    let entries: Vec<&str> = listing
        .lines()
        .filter_map(|line| line.split_once(' ')?.1.split_once(' '))
        .filter(is_entry)
        .map(|(_, name)| name.split('@').next().unwrap_or(name))
        .collect();
    assert!(entries.len() > 100, "{} has {} entry points", libgomp.display(), entries.len());
    let exports = fs::read_to_string(project_dir().join("ora/exports.txt")).unwrap();
    let passing = passes_by();
    for entry in entries {
        let ours = exports.lines().any(|line| line == entry);
        assert!(ours != passing.contains_key(entry), "{entry}: interposed {ours}, and passes by {}", !ours);
    }
    for (name, why) in &passing {
        assert!(!exports.lines().any(|line| line == name), "{name} is interposed, and in the list of what passes by");
        assert!(why.len() > 5, "{name}: no reason");
    }
}
