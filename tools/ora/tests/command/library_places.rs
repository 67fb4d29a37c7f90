//! Call sites in libraries that are loaded one after the other: a thread reaches the runtime from each of them in the same way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::harness::{Folder, LIBOMP, errors, json, ora, run, text};

const PRIVATE: &str = "libgomp-24e2ab19";

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
            // The command line contains the name as well, but not as a function's name.
            let function = format!("\"function\": \"{name}\"");
            let compact = format!("\"function\":\"{name}\"");
            assert!(said.contains(&function) || said.contains(&compact), "{command}: {name} is not in {said}");
        }
    }
}

/// `dlopen` holds the dynamic linker's lock while constructors run, and waits for the threads of the region.
#[test]
fn a_constructor_may_have_a_region_while_its_library_is_opened() {
    let folder = Folder::new();
    let library = folder.compile("region_in_constructor", "constructor.so", &["-shared", "-fPIC", "-fopenmp"]);
    let program = folder.compile("opens", "opens", &["-fopenmp", "-Wl,--no-as-needed", "-ldl"]);
    let profile = folder.file("profile");
    for command in [&["stat"][..], &["tasks"], &["profile", "-o", profile.to_str().unwrap()]] {
        let output = run(ora(command).arg("--").arg(&program).arg(&library));
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", errors(&output));
        assert!(text(&output).contains("4950\n"), "{command:?}: {}", text(&output));
    }
}

/// Builds a program whose regions run on one runtime, and a library whose regions, nested in these, run on another one. Returns the command
/// line for this number of regions; `None` without clang.
fn on_two_runtimes(folder: &Folder, steps: u32, regions: &str) -> Option<Vec<String>> {
    let own = ["-O1", "-g", "-fopenmp", "-shared", "-fPIC", "-DNAME=in_llvm", &format!("-DSTEPS={steps}")];
    let library = folder.clang("in_library", "in_llvm.so", &[&own, &LIBOMP[..]].concat())?;
    let program = folder.program("two_runtimes");
    Some([program.to_str()?, library.to_str()?, "in_llvm", regions].map(str::to_owned).to_vec())
}

/// Name of a runtime's file.
fn runtime(path: &Value) -> Option<String> {
    path.as_str().and_then(|path| path.rsplit('/').next()?.split(".so").next().map(str::to_owned))
}

/// Runtimes of regions by function, sorted.
fn of_regions(regions: &Value) -> Vec<(&str, Option<String>)> {
    let mut found = Vec::new();
    for region in regions.as_array().unwrap() {
        found.push((region["function"].as_str().unwrap_or_default(), runtime(&region["runtime"])));
    }
    found.sort_unstable();
    found
}

/// Builds a program without regions, and two libraries with regions: one on the system's libgomp, and one on a private copy, as in Python
/// packages. Returns the command line.
fn on_two_libgomps(folder: &Folder, steps: u32) -> Vec<String> {
    let copy = private_libgomp(folder);
    let link = format!("-Wl,-rpath,{}", copy.parent().unwrap().display());
    let steps = format!("-DSTEPS={steps}");
    let options = ["-shared", "-fPIC", "-fopenmp", "-g", &steps];
    let system = folder.compile("in_library", "in_system.so", &[&options[..], &["-DNAME=in_system"]].concat());
    // -fopenmp adds the system's libgomp at the end; as no undefined symbol is left for it, it isn't recorded.
    let own = ["-DNAME=in_private", &link, "-Wl,--no-as-needed", copy.to_str().unwrap(), "-Wl,--as-needed"];
    let private = folder.compile("in_library", "in_private.so", &[&options[..], &own].concat());
    let program = folder.compile("libraries", "libraries", &["-ldl"]);
    let calls = [system.to_str().unwrap(), "in_system", private.to_str().unwrap(), "in_private"];
    [program.to_str().unwrap()].into_iter().chain([calls; 3].into_iter().flatten()).map(str::to_owned).collect()
}

/// Copies the system's libgomp to a file named as in Python packages. Its soname is replaced by another one of the same length, so that
/// nothing else in it changes.
fn private_libgomp(folder: &Folder) -> PathBuf {
    let (name, own) = ("libqomp.so.1", "libgomp.so.1");
    let asked = Command::new("gcc").arg(format!("-print-file-name={own}")).output().expect("gcc is installed");
    let mut bytes = fs::read(String::from_utf8_lossy(&asked.stdout).trim()).unwrap();
    let places: Vec<usize> =
        bytes.windows(own.len()).enumerate().filter(|(_, text)| *text == own.as_bytes()).map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "libgomp does not name itself");
    for at in places {
        bytes[at..at + own.len()].copy_from_slice(name.as_bytes());
    }
    fs::write(folder.file(&format!("{PRIVATE}.so.1.0.0")), bytes).unwrap();
    let link = folder.file(name);
    std::os::unix::fs::symlink(format!("{PRIVATE}.so.1.0.0"), &link).unwrap();
    link
}

#[test]
fn regions_and_workers_are_told_by_their_runtime() {
    let folder = Folder::new();
    if let Some(words) = on_two_runtimes(&folder, 0, "3") {
        stat_splits(&words, [("in_llvm", "libomp"), ("main", "libgomp")], &["libgomp", "libomp"]);
    }
}

#[test]
fn regions_and_workers_are_told_by_their_copy_of_libgomp() {
    let folder = Folder::new();
    let words = on_two_libgomps(&folder, 0);
    stat_splits(&words, [("in_private", PRIVATE), ("in_system", "libgomp")], &["libgomp"]);
}

/// Checks `ora stat` on a program with three regions in each of these functions, on these runtimes, which are of these `kinds`.
fn stat_splits(words: &[String], regions: [(&str, &str); 2], kinds: &[&str]) {
    let (program, words) = words.split_first().unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let process = json(&[], Path::new(program), &words)["runs"][0]["processes"][0].clone();
    let regions = regions.map(|(function, runtime)| (function, Some(runtime.to_owned())));
    assert_eq!(of_regions(&process["regions"]), regions, "{process}");
    let used = process["runtimes_used"].as_array().unwrap();
    for (_, of) in &regions {
        let one = used.iter().find(|one| runtime(&one["path"]) == *of).unwrap_or_else(|| panic!("{process}"));
        assert_eq!((one["regions"].as_u64(), one["workers"].as_u64()), (Some(3), Some(1)), "{process}");
        // Idle time belongs to the pool's own worker.
        let threads = process["threads"].as_array().unwrap().iter();
        let own: Vec<u64> = threads
            .filter(|thread| runtime(&thread["runtime"]) == *of)
            .map(|thread| thread["time_ns"]["idle"].as_u64().unwrap())
            .collect();
        assert!(own.len() == 1 && own[0] > 0 && one["idle_ns"].as_u64() == Some(own[0]), "{process}");
    }
    assert_eq!(used.len(), 2, "{process}");
    assert_eq!(process["runtimes"], serde_json::json!(kinds));
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_report_splits_regions_and_workers_by_runtime_too() {
    let folder = Folder::new();
    if let Some(words) = on_two_runtimes(&folder, 300_000, "100") {
        report_splits(&folder, &words, [("in_llvm", "libomp"), ("main", "libgomp")]);
    }
}

#[test]
fn a_report_splits_regions_and_workers_by_copies_of_libgomp_too() {
    let folder = Folder::new();
    let words = on_two_libgomps(&folder, 20_000_000);
    report_splits(&folder, &words, [("in_private", PRIVATE), ("in_system", "libgomp")]);
}

/// Checks `ora report` on a program with regions in these functions, on these runtimes.
fn report_splits(folder: &Folder, words: &[String], regions: [(&str, &str); 2]) {
    let names = regions.map(|(_, name)| name);
    let profile = folder.file("profile");
    let output = run(ora(&["profile", "-F", "1000", "-o"]).arg(&profile).arg("--").args(words));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let report: Value = serde_json::from_str(&text(&run(ora(&["report", "--json"]).arg(&profile)))).unwrap();
    let regions = regions.map(|(function, runtime)| (function, Some(runtime.to_owned())));
    assert_eq!(of_regions(&report["regions"]), regions, "{report:#}");
    let threads = report["threads"].as_array().unwrap();
    let used = &report["processes"][0]["runtimes_used"];
    for (_, of) in &regions {
        let one = used.as_array().unwrap().iter().find(|one| runtime(&one["path"]) == *of);
        let one = one.unwrap_or_else(|| panic!("{used:#}"));
        assert!(one["workers"].as_u64() == Some(1) && one["region_ns"].as_f64().unwrap() > 0.0, "{used:#}");
        // Idle time belongs to threads in this state, each with the runtime of its pool.
        let own = threads.iter().filter(|thread| runtime(&thread["runtime"]) == *of);
        let idle: Vec<f64> = own.map(|thread| thread["states"]["idle"]["total_ns"].as_f64().unwrap_or(0.0)).collect();
        assert!(idle.len() == 1 && one["idle_ns"].as_f64() == Some(idle[0]), "{report:#}");
    }
    let shown = text(&run(ora(&["report"]).arg(&profile)));
    let (_, table) =
        shown.split_once("OpenMP runtimes, each with a pool of its own").unwrap_or_else(|| panic!("{shown}"));
    let named = |name: &str| table.lines().skip(2).take(3).any(|line| line.contains(&format!("{name}.so")));
    assert!(names.iter().all(|name| named(name)), "{table}");
}

/// Frame pointers lead through code that the profiler doesn't know yet.
#[test]
fn functions_of_a_library_that_is_opened_late_are_named_though_it_has_frame_pointers() {
    let folder = Folder::new();
    let options =
        ["-shared", "-fPIC", "-Wno-unknown-pragmas", "-fno-omit-frame-pointer", "-DSTEPS=100000000", "-DNAME=in_late"];
    let library = folder.compile("in_library", "late.so", &options);
    let program = folder.compile("libraries", "libraries", &["-ldl"]);
    let profile = folder.file("profile");
    let mut recorded = ora(&["profile", "-F", "1000", "-o"]);
    let output = run(recorded.arg(&profile).arg("--").arg(&program).arg(&library).arg("in_late"));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let report: Value = serde_json::from_str(&text(&run(ora(&["report", "--json"]).arg(&profile)))).unwrap();
    let functions = report["functions"].as_array().unwrap().iter();
    let busiest = functions.max_by_key(|function| function["own"]["samples"].as_u64()).unwrap();
    assert_eq!((&busiest["name"], &busiest["object"]), (&"in_late".into(), &"late.so".into()), "{report:#}");
}
