//! The minimal collector and tools that the guide shows: they count regions.

use std::path::Path;
use std::process::Command;

use crate::harness::{Folder, errors, ora, run};

#[test]
fn the_collector_and_the_tools_of_the_guide_count_regions() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (source, option) in [("collector", "--collector"), ("openmp5_tool", "--tool"), ("tr2_tool", "--tool")] {
        let folder = Folder::new();
        let library = folder.file("libcount.so");
        let mut compiler = Command::new("gcc");
        compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg("-I").arg(project.join("headers"));
        let done = compiler.arg(project.join(format!("examples/minimal/{source}.c"))).status();
        assert!(done.unwrap().success(), "{source}");
        let mut ora = ora(&["run", option]);
        let output = run(ora.arg(&library).arg("--").arg(folder.program("regions")).arg("7"));
        assert_eq!(errors(&output), "7 parallel regions\n", "{source}");
    }
}
