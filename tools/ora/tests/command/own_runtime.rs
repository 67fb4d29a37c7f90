//! A runtime of the program's own, which reports itself (`ora_embed.h`) and is linked into the program: names of regions and tasks, and
//! remedies that the program has.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use compat_tests::requirements;
use serde_json::Value;

use crate::harness::{Folder, errors, json, ora, run};
use crate::instrumented::library;

/// Program and runtime in one file. `options` are further ones of gcc.
fn program(folder: &Folder, options: &[&str]) -> PathBuf {
    let (library, embed) = (library(), Path::new(env!("CARGO_MANIFEST_DIR")).join("../../compat-tests/embed"));
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu11", "-g", "-O1", "-pthread", "-I"]).arg(embed.join("../../headers")).arg("-I").arg(&embed);
    gcc.args(options).args(["teams.c", "teams_program.c"].map(|name| embed.join(name)));
    gcc.arg(&library).arg(format!("-Wl,-rpath,{}", library.parent().unwrap().display()));
    folder.compile_by(&requirements::GCC, &mut gcc, "teams").expect("gcc is installed")
}

/// Function and line of a place.
fn place(of: &Value) -> (&str, u64) {
    (of["function"].as_str().unwrap_or_default(), of["line"].as_u64().unwrap_or_default())
}

#[test]
fn regions_and_tasks_are_named_by_the_programs_calls_also_where_the_runtime_is_linked_in() {
    let folder = Folder::new();
    // Exported, and not.
    for options in [&["-rdynamic"][..], &[]] {
        let program = program(&folder, options);
        let document = json(&[], &program, &[]);
        let process = &document["runs"][0]["processes"][0];
        assert_eq!(place(&process["regions"][0]), ("main", 24), "{:#}", process["regions"]);
        assert_eq!(process["runtimes"], serde_json::json!(["own"]));
        let file = folder.file("tasks.json");
        let output = run(ora(&["tasks", "--json", "-o"]).arg(&file).arg("--").arg(&program));
        let tasks = fs::read(&file).unwrap_or_else(|_| panic!("{}", errors(&output)));
        let tasks: Value = serde_json::from_slice(&tasks).unwrap();
        let process = &tasks["processes"][0];
        let construct = &process["constructs"][0];
        assert_eq!(place(&construct["place"]), ("body", 16), "{construct:#}");
        assert_eq!((&construct["tasks"], &construct["cleanup_ns"]["count"]), (&36.into(), &36.into()), "{construct:#}");
    }
}

#[test]
fn a_profile_names_regions_of_an_own_runtime_by_the_programs_calls() {
    let folder = Folder::new();
    let program = program(&folder, &[]);
    let profile = folder.file("profile");
    let output = run(ora(&["profile", "-F", "10000", "-o"]).arg(&profile).arg("--").arg(&program));
    assert!(output.status.success(), "{}", errors(&output));
    let report = run(ora(&["report", "--json"]).arg(&profile));
    let document: Value = serde_json::from_slice(&report.stdout).unwrap_or_else(|_| panic!("{}", errors(&report)));
    let region = &document["regions"][0];
    assert!(region.to_string().contains("teams_program.c"), "{region:#}");
    assert!(!region.to_string().contains("teams.c"), "{region:#}");
}

#[test]
fn no_variable_is_tried_or_proposed_where_the_runtime_need_not_read_it() {
    let folder = Folder::new();
    let program = program(&folder, &[]);
    let output = run(ora(&["tune", "--"]).arg(&program));
    let said = errors(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("No setting was tried") && said.contains("a runtime that need not read them"), "{said}");
    assert!(!said.contains("OMP_"), "{said}");
    let said = errors(&run(ora(&["stat", "--"]).arg(&program))).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("one of the program's own, which reports itself (ora_embed.h)"), "{said}");
    // Below the findings the settings are listed.
    let (findings, _) = said.split_once(" runtime one of").unwrap();
    assert!(!findings.contains("OMP_") && !findings.contains("`ora tune`"), "{said}");
}
