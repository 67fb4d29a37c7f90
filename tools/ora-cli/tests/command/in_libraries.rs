//! Places in libraries that are loaded one after the other: a thread gets from each to the runtime in the same way.

use std::process::Command;

use serde_json::Value;

use crate::harness::{Folder, errors, json, ora, run, text};

const LLVM: &str = "/usr/lib/llvm-19/lib";

#[test]
fn regions_and_tasks_of_every_library_are_named() {
    let folder = Folder::new();
    let program = folder.compile("libraries", "libraries", &["-ldl"]);
    let names = ["in_first", "in_second", "in_third"];
    let libraries = names.map(|name| {
        folder.compile(
            "in_library",
            &format!("{name}.so"),
            &["-shared", "-fPIC", "-fopenmp", &format!("-DNAME={name}")],
        )
    });
    for command in ["stat", "tasks"] {
        let mut watched = ora(&[command, "--json", "-o", "-", "--"]);
        watched.arg(&program).env("OMP_NUM_THREADS", "2");
        for (library, name) in libraries.iter().zip(names) {
            watched.arg(library).arg(name);
        }
        let output = run(&mut watched);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let said = text(&output);
        for name in names {
            // The command line has the name, too, but not as a function's.
            let function = format!("\"function\": \"{name}\"");
            let compact = format!("\"function\":\"{name}\"");
            assert!(said.contains(&function) || said.contains(&compact), "{command}: {name} is not in {said}");
        }
    }
}

/// A region on one runtime whose first thread calls a library that has one on another runtime.
#[test]
fn regions_and_workers_are_told_by_their_runtime() {
    let folder = Folder::new();
    let library = folder.file("in_llvm.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/command/programs/in_library.c");
    let mut clang = Command::new("clang-19");
    clang.args(["-fopenmp", "-O1", "-shared", "-fPIC", "-DNAME=in_llvm", "-L", LLVM, "-Wl,-rpath", LLVM, "-o"]);
    if !clang.arg(&library).arg(source).status().is_ok_and(|status| status.success()) {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "clang-19 is missing, and CI must run every test");
        return eprintln!("SKIP: regions_and_workers_are_told_by_their_runtime: no clang-19");
    }
    let program = folder.program("two_runtimes");
    let process = json(&[], &program, &[library.to_str().unwrap(), "in_llvm"])["runs"][0]["processes"][0].clone();
    let name =
        |path: &Value| path.as_str().and_then(|path| path.rsplit('/').next()?.split(".so").next().map(str::to_owned));
    let regions = process["regions"].as_array().unwrap().iter();
    let mut regions: Vec<_> =
        regions.map(|region| (region["function"].as_str().unwrap_or_default(), name(&region["runtime"]))).collect();
    regions.sort_unstable();
    let [gnu, llvm] = ["libgomp", "libomp"].map(|name| Some(name.to_owned()));
    assert_eq!(regions, [("in_llvm", llvm.clone()), ("main", gnu.clone())], "{process}");
    let used = process["runtimes_used"].as_array().unwrap().iter();
    let mut used: Vec<_> =
        used.map(|one| (name(&one["path"]), one["regions"].as_u64(), one["workers"].as_u64())).collect();
    used.sort_unstable();
    assert_eq!(used, [(gnu, Some(3), Some(1)), (llvm, Some(3), Some(1))], "{process}");
    assert_eq!(process["runtimes"], serde_json::json!(["libgomp", "libomp"]));
}
