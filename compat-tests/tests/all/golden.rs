//! Golden tests, bytes in and bytes out: the scripts in `golden/` were written by hand from the white paper and the interface's own
//! documentation page.

use compat_tests::forge::{Forge, Language};
use compat_tests::library::crate_dir;
use compat_tests::run::Launch;

/// Runs a script in a program that is linked with libgomp.
fn golden(script: &str) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    play(script, Launch::of(&forge, &forge.program("golden.c")));
}

fn play(script: &str, launch: Launch) {
    let path = crate_dir().join("golden").join(script);
    let outcome = launch.arg(&path.to_string_lossy()).with_ora().run();
    let text = outcome.text();
    let cases = text.lines().last().and_then(|line| line.split_once(" cases, 0 failures"));
    let cases = cases.and_then(|(count, _)| count.parse::<usize>().ok());
    let calls = std::fs::read_to_string(path).unwrap_or_default();
    let calls = calls.lines().filter(|l| ["ret ", "call-null ", "called "].iter().any(|p| l.starts_with(p))).count();
    assert!(outcome.status.success() && cases == Some(calls), "{}", outcome.describe());
}

#[test]
fn a_list_is_walked_as_the_page_says() {
    golden("walk.txt");
}

#[test]
fn registrations_are_answered_as_the_page_says() {
    golden("register.txt");
}

#[test]
fn both_layouts_of_a_struct_are_understood() {
    golden("layouts.txt");
}

#[test]
fn queries_outside_of_regions_are_answered_as_the_page_says() {
    golden("queries.txt");
}

#[test]
fn queries_inside_of_regions_and_callbacks_are_answered_as_the_page_says() {
    golden("places.txt");
}

#[test]
fn queries_and_the_walk_are_the_same_without_any_openmp() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    // The same source without -fopenmp: the process contains no libgomp.
    let program = forge.build(Language::C11, &["programs/golden.c"], &["-O2", "-pthread"], "-plain");
    play("queries.txt", Launch::of(&forge, &program));
    play("walk.txt", Launch::of(&forge, &program));
}
