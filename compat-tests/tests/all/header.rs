//! The header that C programs include.

use std::process::Command;

use compat_tests::library::{crate_dir, project_dir};

/// Compiles `programs/header_numbers.c` in a language; true without a message of the compiler.
fn compiles(compiler: &str, standard: &str, more: &[&str]) -> bool {
    let mut command = Command::new(compiler);
    if compiler == "g++" {
        command.args(["-x", "c++"]);
    }
    command.arg(format!("-std={standard}")).args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]);
    command.arg("-I").arg(project_dir().join("headers")).args(more);
    command.arg(crate_dir().join("programs/header_numbers.c"));
    let output = command.output().unwrap();
    if !output.status.success() {
        eprintln!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success() && output.stderr.is_empty()
}

#[test]
fn every_constant_has_the_white_papers_value_in_c() {
    for standard in ["c99", "c11", "c17"] {
        assert!(compiles("gcc", standard, &[]), "{standard}");
    }
}

#[test]
fn every_constant_has_the_white_papers_value_in_cxx() {
    for standard in ["c++11", "c++17", "c++20"] {
        assert!(compiles("g++", standard, &[]), "{standard}");
    }
}

#[test]
fn a_wrong_number_would_be_noticed() {
    for (compiler, standard) in [("gcc", "c99"), ("gcc", "c17"), ("g++", "c++11")] {
        assert!(!compiles(compiler, standard, &["-DWRONG"]), "{standard}");
    }
}
