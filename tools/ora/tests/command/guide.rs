//! The sources that the guide shows: all compile without a warning, and its collector and tools count regions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use compat_tests::requirements;

use crate::harness::{Folder, errors, ora, run};
use crate::skips::has;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The C sources of a page that stand alone, in order.
fn sources(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let blocks = text.split("\n```c\n").skip(1).map(|block| block.split("```").next().unwrap_or_default().to_owned());
    let begins = ["int main(", "__attribute__((constructor))", " *ompt_start_tool(", "int ompt_initialize("];
    blocks.filter(|block| begins.iter().any(|begin| block.contains(begin))).collect()
}

/// A compiler with warnings as errors and the project's headers.
fn compiler(name: &str) -> Command {
    let mut compiler = Command::new(name);
    compiler.args(["-Wall", "-Wextra", "-Werror", "-fopenmp", "-I"]).arg(project().join("headers"));
    compiler
}

#[test]
fn each_source_of_the_guide_compiles_without_a_warning() {
    let folder = Folder::new();
    let mut compiled = 0;
    for page in fs::read_dir(project().join("docs/guide")).unwrap().map(|entry| entry.unwrap().path()) {
        for source in sources(&page) {
            let name = if source.contains("<mpi.h>") { "mpicc" } else { "gcc" };
            fs::write(folder.file("source.c"), &source).unwrap();
            if name == "mpicc" && !has(&requirements::MPI) {
                continue;
            }
            let output = run(compiler(name).args(["-fsyntax-only"]).arg(folder.file("source.c")));
            assert!(output.status.success(), "{}: {}", page.display(), errors(&output));
            compiled += 1;
        }
    }
    assert!(compiled >= 7, "{compiled} sources");
}

#[test]
fn the_program_of_the_guide_is_an_example() {
    let [source] = &sources(&project().join("docs/guide/stat.md"))[..] else { panic!("not one source") };
    assert_eq!(*source, fs::read_to_string(project().join("examples/heat.c")).unwrap());
}

#[test]
fn the_collector_and_the_tools_of_the_guide_count_regions() {
    for (page, option) in [("collector", "--collector"), ("openmp5-tool", "--tool"), ("tr2-tool", "--tool")] {
        let folder = Folder::new();
        let library = folder.file("libcount.so");
        let [source] = &sources(&project().join(format!("docs/guide/{page}.md")))[..] else {
            panic!("{page}: not one source")
        };
        fs::write(folder.file("count.c"), source).unwrap();
        let done = compiler("gcc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(folder.file("count.c")).status();
        assert!(done.unwrap().success(), "{page}");
        let mut ora = ora(&["run", option]);
        let output = run(ora.arg(&library).arg("--").arg(folder.program("regions")).arg("7"));
        assert_eq!(errors(&output), "7 parallel regions\n", "{page}");
    }
}
