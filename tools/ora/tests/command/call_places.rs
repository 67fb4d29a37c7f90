//! Places of regions and waits in optimized code, in which a call's own surroundings do not tell what it is made for (`programs/call_places.c`).

use std::path::Path;

use serde_json::Value;

use crate::harness::{Folder, LIBOMP, json, source};

/// The line of the program that contains a text.
fn line(text: &str) -> usize {
    let program = std::fs::read_to_string(source("call_places")).unwrap();
    program.lines().position(|line| line.contains(text)).unwrap() + 1
}

#[test]
fn a_critical_section_is_not_named_after_a_region_whose_body_had_its_register() {
    let folder = Folder::new();
    let program = folder.compile("call_places", "call_places", &["-g", "-O2", "-fopenmp"]);
    let document = json(&[], &program, &["critical", "20"]);
    let findings = document["runs"][0]["processes"][0]["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["id"] == "critical").unwrap_or_else(|| panic!("{document:#}"));
    let place = format!("in contended at call_places.c:{}", line("omp critical(held)"));
    assert!(finding["what"].as_str().unwrap().ends_with(&place), "{place}: {finding}");
}

/// Functions, lines and counts of the regions of `ora stat`.
fn regions(program: &Path) -> Vec<(String, usize, u64)> {
    let document = json(&[], program, &["last", "10"]);
    let row = |row: &Value| {
        let line = usize::try_from(row["line"].as_u64()?).ok()?;
        Some((row["function"].as_str()?.to_owned(), line, row["count"].as_u64()?))
    };
    let rows = document["runs"][0]["processes"][0]["regions"].as_array().unwrap().iter();
    let mut rows: Vec<_> = rows.map(|it| row(it).unwrap_or_else(|| panic!("{document:#}"))).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn a_region_that_a_function_begins_by_its_last_jump_has_the_place_of_the_region() {
    let folder = Folder::new();
    let options = ["-g", "-O2", "-fopenmp"];
    let by_gcc = folder.compile("call_places", "by_gcc", &options);
    let by_clang = folder.clang("call_places", "by_clang", &[&options[..], &LIBOMP].concat());
    for program in [Some(by_gcc), by_clang].into_iter().flatten() {
        let place = |function: &str, text: &str, count| (function.to_owned(), line(text), count);
        let unclear = place("last_calls", "/* both */", 10);
        assert_eq!(
            regions(&program),
            [unclear, place("one", "/* one */", 10), place("other", "/* other */", 10)],
            "{}",
            program.display()
        );
    }
}
