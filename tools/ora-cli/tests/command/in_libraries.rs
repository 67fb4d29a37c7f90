//! Places in libraries that are loaded one after the other: a thread gets from each to the runtime in the same way.

use std::path::PathBuf;
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

/// A program whose regions run on one runtime, and a library whose regions, inside of these, run on another one. `None`: no clang.
fn on_two_runtimes(folder: &Folder, test: &str, steps: u32) -> Option<[PathBuf; 2]> {
    let library = folder.file("in_llvm.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/command/programs/in_library.c");
    let mut clang = Command::new("clang-19");
    clang.args(["-fopenmp", "-O1", "-g", "-shared", "-fPIC", "-DNAME=in_llvm", "-L", LLVM, "-Wl,-rpath", LLVM]);
    clang.arg(format!("-DSTEPS={steps}")).arg("-o").arg(&library).arg(source);
    if !clang.status().is_ok_and(|status| status.success()) {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "clang-19 is missing, and CI must run every test");
        eprintln!("SKIP: {test}: no clang-19");
        return None;
    }
    Some([folder.program("two_runtimes"), library])
}

/// The name of a runtime's file.
fn runtime(path: &Value) -> Option<String> {
    path.as_str().and_then(|path| path.rsplit('/').next()?.split(".so").next().map(str::to_owned))
}

/// The runtimes of regions by function, sorted.
fn of_regions(regions: &Value) -> Vec<(&str, Option<String>)> {
    let mut found = Vec::new();
    for region in regions.as_array().unwrap() {
        found.push((region["function"].as_str().unwrap_or_default(), runtime(&region["runtime"])));
    }
    found.sort_unstable();
    found
}

#[test]
fn regions_and_workers_are_told_by_their_runtime() {
    let folder = Folder::new();
    let Some([program, library]) = on_two_runtimes(&folder, "regions_and_workers_are_told_by_their_runtime", 0) else {
        return;
    };
    let process = json(&[], &program, &[library.to_str().unwrap(), "in_llvm"])["runs"][0]["processes"][0].clone();
    let [gnu, llvm] = ["libgomp", "libomp"].map(|name| Some(name.to_owned()));
    assert_eq!(of_regions(&process["regions"]), [("in_llvm", llvm.clone()), ("main", gnu.clone())], "{process}");
    let used = process["runtimes_used"].as_array().unwrap().iter();
    let mut used: Vec<_> =
        used.map(|one| (runtime(&one["path"]), one["regions"].as_u64(), one["workers"].as_u64())).collect();
    used.sort_unstable();
    assert_eq!(used, [(gnu, Some(3), Some(1)), (llvm, Some(3), Some(1))], "{process}");
    assert_eq!(process["runtimes"], serde_json::json!(["libgomp", "libomp"]));
}

#[test]
fn a_report_splits_regions_and_workers_by_runtime_too() {
    let folder = Folder::new();
    let test = "a_report_splits_regions_and_workers_by_runtime_too";
    let Some([program, library]) = on_two_runtimes(&folder, test, 300_000) else { return };
    let profile = folder.file("profile");
    let mut watched = ora(&["profile", "-F", "1000", "-o"]);
    watched.arg(&profile).arg("--").arg(&program).arg(&library).args(["in_llvm", "100"]);
    let output = run(&mut watched);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let report: Value = serde_json::from_str(&text(&run(ora(&["report", "--json"]).arg(&profile)))).unwrap();
    let [gnu, llvm] = ["libgomp", "libomp"].map(|name| Some(name.to_owned()));
    assert_eq!(of_regions(&report["regions"]), [("in_llvm", llvm.clone()), ("main", gnu.clone())], "{report:#}");
    let mut workers: Vec<_> =
        report["threads"].as_array().unwrap().iter().filter_map(|thread| runtime(&thread["runtime"])).collect();
    workers.sort_unstable();
    assert_eq!(workers, ["libgomp", "libomp"], "{report:#}");
    let used = &report["processes"][0]["runtimes_used"];
    let find = |name: &Option<String>| {
        used.as_array().unwrap().iter().find(|one| runtime(&one["path"]) == *name).unwrap_or_else(|| panic!("{used:#}"))
    };
    let ns = |of: &Option<String>, key: &str| find(of)[key].as_f64().unwrap();
    assert_eq!((find(&gnu)["workers"].as_u64(), find(&llvm)["workers"].as_u64()), (Some(1), Some(1)), "{used:#}");
    // One lies in the other.
    assert!(ns(&gnu, "region_ns") > ns(&llvm, "region_ns") && ns(&llvm, "region_ns") > 0.0, "{used:#}");
    // Idle time is that of threads in this state, each with the runtime of its pool.
    let threads = report["threads"].as_array().unwrap();
    for name in [&gnu, &llvm] {
        let idle = |thread: &&Value| thread["states"]["idle"]["total_ns"].as_f64().unwrap_or(0.0);
        let own = threads.iter().filter(|thread| runtime(&thread["runtime"]) == *name);
        assert_eq!(own.map(|thread| idle(&thread)).sum::<f64>(), ns(name, "idle_ns"), "{used:#}");
    }
    let shown = text(&run(ora(&["report"]).arg(&profile)));
    let (_, table) =
        shown.split_once("OpenMP runtimes, each with a pool of its own").unwrap_or_else(|| panic!("{shown}"));
    let named = |name: &str| table.lines().skip(2).take(3).any(|line| line.contains(name));
    assert!(named("libgomp.so") && named("libomp.so"), "{table}");
}
