//! The project's examples, built and run by the commands of their README.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use compat_tests::checkout::{Checkout, blocks};
use compat_tests::library::project_dir;
use compat_tests::llvm::{self, clang_is_here};

/// Prepares a folder with the library and the program to watch; `None`, and prints a skip, if the library has a sanitizer's checks in it.
fn prepared(test: &str) -> Option<Checkout> {
    let checkout = Checkout::new(env!("CARGO_TARGET_TMPDIR"), test)?;
    run(&checkout, "Before all others", 0);
    Some(checkout)
}

/// Runs a block of commands from the section of the README with this heading.
fn run(checkout: &Checkout, heading: &str, block: usize) -> String {
    let readme = fs::read_to_string(project_dir().join("examples/README.md")).unwrap();
    let (_, section) = readme.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no `{heading}`"));
    let section = section.split("\n## ").next().unwrap_or_default();
    checkout.run(&blocks(section, "sh")[block])
}

/// Rows of a table that start with a number.
fn rows(output: &str) -> Vec<&str> {
    let begins_with_number =
        |line: &&str| line.split_whitespace().next().is_some_and(|word| word.parse::<u32>().is_ok());
    output.lines().filter(begins_with_number).collect()
}

/// True if a table has these counts in its first column; prints the difference otherwise.
fn has_counts(output: &str, counts: &[&str]) -> bool {
    let first: Vec<_> = rows(output).iter().filter_map(|row| row.split_whitespace().next()).collect();
    if first != counts {
        eprintln!("{first:?} instead of {counts:?} in\n{output}");
    }
    first == counts
}

/// True if CMake is installed. If not, prints that the test is skipped; on CI that is a failure.
fn cmake_is_here(test: &str) -> bool {
    compat_tests::requirements::CMAKE.is_here(test)
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_collector_counts_regions_and_samples_states() {
    let Some(checkout) = prepared("the_collector_counts_regions_and_samples_states") else { return };
    let said = run(&checkout, "A collector", 0);
    for text in ["done\n", "60 parallel regions, ", " % of CPU time: work in parallel regions\n"] {
        assert!(said.contains(text), "no `{text}` in\n{said}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_tool_of_tr2_shows_each_thread() {
    let Some(checkout) = prepared("the_tool_of_tr2_shows_each_thread") else { return };
    let said = run(&checkout, "A tool of TR2", 0);
    let kinds: Vec<_> = rows(&said).iter().filter_map(|row| row.split_whitespace().nth(1)).collect();
    assert_eq!(kinds, ["worker", "initial"], "{said}");
    assert!(!said.contains("doesn't always report"), "{said}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_tool_of_openmp_5_shows_each_region() {
    let Some(checkout) = prepared("the_tool_of_openmp_5_shows_each_region") else { return };
    let said = run(&checkout, "A tool of OpenMP 5", 0);
    assert!(has_counts(&said, &["20"; 3]));
    assert!(rows(&said).iter().all(|row| row.contains("target/examples/program 0x")), "{said}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_tool_in_rust_shows_the_balance_of_each_region_on_gccs_and_llvms_runtime() {
    let test = "the_tool_in_rust_shows_the_balance_of_each_region_on_gccs_and_llvms_runtime";
    let Some(checkout) = prepared(test) else { return };
    let mut outputs = vec![run(&checkout, "A tool of OpenMP 5 in Rust", 0)];
    if clang_is_here(test) {
        outputs.push(run(&checkout, "A tool of OpenMP 5 in Rust", 1));
    }
    for said in outputs {
        assert!(has_counts(&said, &["20"; 3]));
        assert!(said.contains("load balance on ") && !said.contains("not always reported"), "{said}");
        for row in rows(&said) {
            let balance: f64 = row.split_whitespace().nth(3).and_then(|word| word.parse().ok()).unwrap();
            assert!(balance > 0.0 && balance <= 100.0, "{said}");
        }
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_runtime_is_seen_by_the_command_and_by_each_tool() {
    let Some(checkout) = prepared("the_runtime_is_seen_by_the_command_and_by_each_tool") else { return };
    let said = run(&checkout, "A runtime", 0);
    let counted = |line: &str| line.split_whitespace().take(3).eq(["parallel", "regions", "10"]);
    assert!(said.contains("316.727\n") && said.lines().any(counted), "{said}");
    for tool in ["A collector", "A tool of TR2", "A tool of OpenMP 5"] {
        run(&checkout, tool, 0);
    }
    let said = run(&checkout, "A runtime", 1);
    assert!(said.contains("10 parallel regions, "), "{said}");
    // Three threads, and one place in the code that has regions.
    let thread = |row: &&&str| row.contains("worker") || row.contains("initial");
    assert_eq!(rows(&said).iter().filter(thread).count(), 3, "{said}");
    assert!(rows(&said).iter().any(|row| row.trim_start().starts_with("10 ") && row.contains("pool 0x")), "{said}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_cmake_project_finds_an_installation() {
    let test = "the_cmake_project_finds_an_installation";
    if !cmake_is_here(test) {
        return;
    }
    let Some(checkout) = prepared(test) else { return };
    let said = run(&checkout, "A CMake project", 0);
    let regions: Vec<_> = said.lines().filter(|line| line.contains("cmake/program 0x")).collect();
    assert_eq!(regions.len(), 3, "{said}");
}

/// Finds the C sources below a folder.
fn c_sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            c_sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            into.push(path);
        }
    }
}

#[test]
fn the_sources_compile_without_a_warning() {
    let test = "the_sources_compile_without_a_warning";
    let mut sources = Vec::new();
    c_sources(&project_dir().join("examples"), &mut sources);
    let (mpi, others): (Vec<_>, Vec<_>) = sources.into_iter().partition(|path| path.ends_with("triangle.c"));
    assert!(mpi.len() == 1 && others.len() > 12, "{mpi:?} {others:?}");
    let compilers = [
        ("gcc", true, others.clone()),
        (llvm::clang(), clang_is_here(test), others),
        ("mpicc", compat_tests::requirements::MPI.is_here(test), mpi),
    ];
    for (compiler, _, sources) in compilers.into_iter().filter(|(_, is_here, _)| *is_here) {
        let mut command = Command::new(compiler);
        command.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fopenmp", "-fsyntax-only", "-I"]);
        let output = command.arg(project_dir().join("headers")).args(sources).output().unwrap();
        assert!(output.status.success(), "{compiler}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
