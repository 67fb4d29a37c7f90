//! Comparison of `ompt_tr2.h` with the report's text.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use compat_tests::c_header::Declared;
use compat_tests::forge::{Forge, Language};
use compat_tests::library::{crate_dir, project_dir};

/// Reads `tables/ompt-tr2-numbers.txt`: name and number on each line, unparsed.
fn table() -> Vec<(String, String)> {
    let text = fs::read_to_string(crate_dir().join("tables/ompt-tr2-numbers.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').unwrap_or_else(|| panic!("{line:?} is no row"))).map(owned).collect()
}

fn owned((name, number): (&str, &str)) -> (String, String) {
    (name.to_owned(), number.to_owned())
}

/// True if a compiler accepts a source without a message.
fn compiles(compiler: &str, standard: &str, source: &Path, more: &[&str]) -> bool {
    let mut command = Command::new(compiler);
    if compiler == "g++" {
        command.args(["-x", "c++"]);
    }
    command.arg(format!("-std={standard}")).args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]);
    command.arg("-I").arg(project_dir().join("headers")).args(more).arg(source);
    let output = command.output().unwrap();
    if !output.status.success() {
        eprintln!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success()
}

/// Writes a source with one assertion for each row of the table; with `wrong`, that row's number is one too large.
fn assertions(wrong: Option<usize>) -> std::path::PathBuf {
    let mut text = "#include <ompt_tr2.h>\n".to_owned();
    for (row, (name, number)) in table().iter().enumerate() {
        let more = if wrong == Some(row) { " + 1" } else { "" };
        writeln!(text, "_Static_assert({name} == {number}{more}, \"{name}\");").unwrap();
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tr2-numbers-{wrong:?}.c"));
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn every_number_is_the_reports() {
    assert_eq!(table().len(), 17 + 61 + 3 + 5);
    assert!(compiles("gcc", "c11", &assertions(None), &[]));
}

#[test]
fn a_wrong_number_would_be_noticed() {
    for row in [0, 16, 17, 77, 80, 85] {
        assert!(!compiles("gcc", "c11", &assertions(Some(row)), &[]), "{row}");
    }
}

#[test]
fn the_header_has_no_number_beyond_the_reports() {
    let declared = Declared::of(&project_dir().join("headers/ompt_tr2.h"), "ompt_");
    assert_eq!(declared.numbers, table().into_iter().map(|(name, _)| name).collect::<BTreeSet<_>>());
}

#[test]
fn every_signature_is_the_reports() {
    let source = crate_dir().join("programs/tr2_signatures.c");
    for (compiler, standard) in [("gcc", "c99"), ("gcc", "c17"), ("g++", "c++11"), ("g++", "c++17")] {
        assert!(compiles(compiler, standard, &source, &[]), "{standard}");
        assert!(!compiles(compiler, standard, &source, &["-DWRONG"]), "{standard}");
    }
}

#[test]
fn a_program_that_calls_ompt_control_runs_without_a_library_that_has_it() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let library = forge.build(Language::C11, &["programs/tr2_control_library.c"], &["-shared", "-fPIC"], ".so");
    for language in [Language::C99, Language::Cxx11] {
        let program = forge.build(language, &["programs/tr2_control.c"], &["-O2"], "");
        let said = |preload: &Path| {
            let output = Command::new(&program).env("LD_PRELOAD", preload).output().unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(said(Path::new("")), "nobody\n");
        assert_eq!(said(&library), "control 1 7\n");
    }
}
