//! Places of regions and waits in optimized code, in which a call's own surroundings do not tell what it is made for (`programs/call_places.c`).

use crate::harness::{Folder, json, source};

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
