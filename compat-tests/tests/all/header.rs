//! The headers that C programs include.

use std::path::Path;
use std::process::{Command, Output};

use compat_tests::library::{crate_dir, project_dir};
use compat_tests::llvm::{self, clang_is_here};

/// Compiles `programs/header_numbers.c` in a language; true if the compiler prints no message.
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

/// Compiles a source in a language.
fn compiled(source: &Path, compiler: &str, standard: &str) -> Output {
    let mut command = Command::new(compiler);
    command.args(["-x", if standard.starts_with("c++") { "c++" } else { "c" }, &format!("-std={standard}")]);
    command.args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I"]);
    command.arg(project_dir().join("headers")).arg(source).output().unwrap()
}

fn all_compile(c: &str, cxx: &str) {
    for header in ["omp_collector_api", "ora_embed", "omp_tools", "ompt_tr2"] {
        let source = crate_dir().join(format!("programs/uses_{header}.c"));
        for (compiler, standard) in [(c, "c99"), (c, "c11"), (c, "c17"), (cxx, "c++11"), (cxx, "c++17")] {
            let output = compiled(&source, compiler, standard);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.is_empty(), "{header}, {compiler} {standard}: {said}");
        }
    }
}

#[test]
fn the_headers_compile_without_a_warning_as_c_and_as_cpp() {
    all_compile("gcc", "g++");
}

#[test]
fn clang_has_nothing_to_say_about_the_headers_either() {
    if clang_is_here("clang_has_nothing_to_say_about_the_headers_either") {
        all_compile(llvm::clang(), llvm::clangxx());
    }
}

#[test]
fn the_two_headers_of_ompt_say_that_they_exclude_each_other() {
    let (five, tr2) = ("#include \"omp-tools.h\"\n", "#include \"ompt_tr2.h\"\n");
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("both-headers.c");
    for text in [[five, tr2].concat(), [tr2, five].concat()] {
        std::fs::write(&source, text).unwrap();
        let output = compiled(&source, "gcc", "gnu11");
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains("a file can include one of them"));
    }
}
