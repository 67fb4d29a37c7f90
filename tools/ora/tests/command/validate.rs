//! `ora validate`, mostly on native libomp: its output and its exit codes. clang compiles programs for it; without clang these tests print
//! a skip.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::harness::{CLANG, Folder, errors, in_crate, ora, run, text};
use crate::reference::document;

/// Compiles a program for libomp. `None` without clang.
fn program(folder: &Folder) -> Option<PathBuf> {
    folder.clang("ends", "ends", &["-std=gnu11", "-g", "-O1", "-fopenmp"])
}

/// Tool between libomp and the validator that violates one rule (see `tools/validate/tool/tests/fault_injector`).
fn fault_injector(folder: &Folder) -> Option<PathBuf> {
    let sources = ["start", "entry_points", "callbacks", "tasks"]
        .map(|part| in_crate(&format!("../validate/tool/tests/fault_injector/{part}.c")));
    let mut clang = Command::new(CLANG);
    clang.args(["-std=gnu11", "-g", "-O1", "-shared", "-fPIC", "-D_GNU_SOURCE"]).args(sources);
    folder.compile_by(&compat_tests::requirements::CLANG, &mut clang, "libfault_injector.so")
}

fn validate(options: &[&str], program: &Path, arguments: &[&str]) -> Output {
    run(ora(&["validate"]).args(options).arg("--").arg(program).args(arguments))
}

/// Run in which the fault injector violates a rule.
fn with_a_fault(options: &[&str], folder: &Folder, program: &Path) -> Option<Output> {
    let beside = Path::new(crate::harness::ORA).parent().unwrap();
    let places = [beside.join("deps"), beside.to_owned()].map(|place| place.join("libora_validator.so"));
    let validator = places.into_iter().find(|file| file.is_file()).unwrap();
    let preload = format!("LD_PRELOAD={}:{}", fault_injector(folder)?.display(), validator.display());
    let mut command = ora(&["validate"]);
    command.args(options).args(["--", "env", &preload, "FAULT=region_flags"]).arg(program);
    Some(run(&mut command))
}

#[test]
fn a_good_program_ends_as_it_does_and_its_output_is_its_own() {
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let output = validate(&[], &program, &[]);
    assert_eq!((output.status.code(), text(&output)), (Some(0), "2\n".to_owned()), "{}", errors(&output));
    let report = errors(&output);
    for part in ["Runtime: LLVM", "           1  parallel_begin", "           0  work", " 0 violations", "Not met: "] {
        assert!(report.contains(part), "no `{part}` in:\n{report}");
    }
    assert!(!report.contains("did not call finalize"), "{report}");
    // The frames of libomp have no flags.
    assert!(report.contains(" known deviations of this runtime were let pass: `ora validate --spec 5.2`"), "{report}");
}

#[test]
fn exit_codes_and_signals_are_the_programs_own() {
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let output = validate(&[], &program, &["exit"]);
    assert_eq!(output.status.code(), Some(7));
    assert!(errors(&output).contains("The program ended with exit code 7."), "{}", errors(&output));
    let output = validate(&[], &program, &["abort"]);
    assert_eq!(output.status.signal(), Some(libc::SIGABRT));
    let report = errors(&output);
    assert!(report.contains("           1  parallel_begin") && report.contains("did not call finalize"), "{report}");
}

#[test]
fn a_broken_rule_is_told_with_its_place_and_is_a_failure() {
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let Some(output) = with_a_fault(&[], &folder, &program) else { return };
    assert_eq!((output.status.code(), text(&output)), (Some(1), "2\n".to_owned()));
    let report = errors(&output);
    for part in
        ["parallel.flags: a region is invoked", "4.4.4.21", "seen: flags 0x80000003", "called from region at ends.c:"]
    {
        assert!(report.contains(part), "no `{part}` in:\n{report}");
    }
}

/// The tool is found at the first call of a libgomp to which nothing is bound yet. The thread has an initial task by then.
#[test]
fn the_first_region_of_a_library_that_is_opened_breaks_no_rule() {
    let folder = Folder::new();
    let program = folder.compile("libraries", "libraries", &["-ldl"]);
    let library = folder.compile("in_library", "opened.so", &["-shared", "-fPIC", "-fopenmp", "-DNAME=opened"]);
    let output = validate(&[], &program, &[library.to_str().unwrap(), "opened"]);
    let report = errors(&output);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert!(report.contains("Runtime: GNU libgomp") && report.contains(" 0 violations"), "{report}");
}

#[test]
fn a_program_in_which_nothing_was_checked_is_a_failure() {
    let output = run(&mut ora(&["validate", "--", "true"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("Nothing was checked"), "{}", errors(&output));
    let output = run(&mut ora(&["validate", "--", "false"]));
    assert_eq!(output.status.code(), Some(1));
    let output = run(&mut ora(&["validate", "--", "/no/such/program"]));
    assert_eq!(output.status.code(), Some(127));
}

#[test]
fn the_json_has_violations() {
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let (file, trace) = (folder.file("out.json"), folder.file("trace"));
    let options = ["--json", "-o", file.to_str().unwrap(), "--trace", trace.to_str().unwrap()];
    let Some(output) = with_a_fault(&options, &folder, &program) else { return };
    assert_eq!((output.status.code(), errors(&output)), (Some(1), String::new()));
    let object = document(fs::read(&file).unwrap());
    assert_eq!((&object["good"], &object["exit_code"]), (&Value::from(false), &Value::from(0)));
    let process = &object["processes"][0];
    // The wrong flag is reported at the begin event, and the end event has the right flags.
    assert_eq!(process["violation_count"], 2, "{process}");
    assert_eq!(process["violations"][0]["rule"], "parallel.flags");
    assert_eq!(process["callbacks"][2]["events"], 1);
    let lines = fs::read_to_string(&trace).unwrap();
    assert!(lines.contains("parallel_begin by task") && lines.contains("!! parallel.flags: flags"), "{lines}");
}

/// libgomp then frees a region's team before its workers have left the last barrier: an additional region would wait for them for ever.
#[test]
fn workers_are_left_alone_at_the_end_if_libgomp_gave_the_thread_a_team_of_its_own() {
    let folder = Folder::new();
    let program = folder.program("own_team");
    // The end of the worker is reported in an additional region.
    for (construct, ends) in [("0", 2), ("1", 1), ("2", 1), ("3", 1), ("4", 1), ("5", 1)] {
        let output = validate(&["--json"], &program, &[construct]);
        assert!(output.status.success(), "{}", errors(&output));
        let callbacks = &document(output.stderr)["processes"][0]["callbacks"];
        let end = callbacks.as_array().unwrap().iter().find(|callback| callback["name"] == "thread_end").unwrap();
        assert_eq!(end["events"], ends, "construct {construct}");
    }
}

#[test]
fn forked_children_are_counted_and_programs_that_follow_are_checked() {
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let output = validate(&[], &program, &["fork"]);
    let report = errors(&output);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert_eq!(report.matches("A forked child, whose runtime was not initialized again").count(), 1, "{report}");
    assert_eq!(report.matches(" 0 violations").count(), 2, "{report}");
}

#[test]
fn a_release_takes_no_exceptions_for_libomp_and_is_in_the_json() {
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let out = folder.file("out.json");
    let output = validate(&["--spec", "5.2", "--json", "-o", out.to_str().unwrap()], &program, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    let json: Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!((&json["spec"], &json["processes"][0]["let_pass"]), (&"5.2".into(), &0.into()));
    let rules = json["processes"][0]["rules"].as_array().unwrap();
    let broken = |id: &str| rules.iter().any(|rule| rule["id"] == id && rule["broken"].as_u64() > Some(0));
    assert!(broken("frame.flags") && !broken("release.values"), "{json:#}");
    let output = validate(&["--spec", "4.5"], &program, &[]);
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert!(errors(&output).contains("5.0, 5.1, 5.2 or 6.0"), "{}", errors(&output));
}

/// Table of the system's libgomp and another runtime.
fn matrix(runtime: &Path) -> String {
    let output = run(ora(&["validate", "--matrix"]).arg(runtime));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    errors(&output)
}

/// Cells of a Markdown table, with an empty one at both ends of each row.
fn rows(table: &str) -> Vec<Vec<&str>> {
    let rows = table.lines().filter(|line| line.starts_with("| "));
    rows.map(|line| line.split('|').map(str::trim).collect()).collect()
}

#[test]
fn the_matrix_has_a_column_for_each_runtime_and_none_of_libgomps_rules_is_broken() {
    let folder = Folder::new();
    if program(&folder).is_none() {
        return;
    }
    let listed = Command::new("clang-19").args(["-print-file-name=libomp.so"]).output().unwrap();
    let runtime = String::from_utf8(listed.stdout).unwrap();
    let table = matrix(Path::new(runtime.trim()));
    let rows = rows(&table);
    assert!(rows.len() > 80 && rows.iter().all(|row| row.len() == 5), "{table}");
    assert!(rows[0][1..4] == ["rule", "libgomp", runtime.trim()], "{table}");
    let rules = &rows[1..rows.len() - 1];
    assert!(rules.iter().all(|row| ["kept", ""].contains(&row[2])), "{table}");
    assert!(rules.iter().any(|row| row[3].starts_with("**")), "{table}");
    let output = run(ora(&["validate", "--matrix"]).arg("/nowhere/libomp.so"));
    assert!(!output.status.success() && errors(&output).contains("cannot open the runtime"), "{}", errors(&output));
}

#[test]
fn the_matrix_takes_a_libgomp_that_is_not_the_systems() {
    let folder = Folder::new();
    let listed = Command::new("gcc").arg("-print-file-name=libgomp.so").output().unwrap();
    let own = Path::new(String::from_utf8(listed.stdout).unwrap().trim()).canonicalize().unwrap();
    let copy = folder.file("libgomp-of-another-release.so");
    fs::copy(own, &copy).unwrap();
    let table = matrix(&copy);
    let rows = rows(&table);
    assert!(rows.len() > 80 && rows[0][1..4] == ["rule", "libgomp", copy.to_str().unwrap()], "{table}");
    let rules = &rows[1..rows.len() - 1];
    assert!(rules.iter().all(|row| ["kept", ""].contains(&row[3])), "{table}");
    assert!(rules.iter().filter(|row| row[3] == "kept").count() > 80 && !table.contains("The program "), "{table}");
    let output = run(ora(&["validate", "--matrix"]).arg("/nowhere/libgomp.so.1"));
    assert!(errors(&output).contains("Give a libgomp.so.1"), "{}", errors(&output));
}

#[test]
fn the_matrix_runs_programs_on_the_libgomp_that_it_is_given() {
    let folder = Folder::new();
    let (source, library) = (folder.file("empty.c"), folder.file("libgomp.so.1"));
    // It lacks the other functions that programs call.
    fs::write(&source, "void GOMP_parallel(void) {}\n").unwrap();
    let done = Command::new("gcc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap();
    assert!(done.success());
    let table = matrix(&library);
    assert!(table.contains("- The program constructs ended with exit code"), "{table}");
}
