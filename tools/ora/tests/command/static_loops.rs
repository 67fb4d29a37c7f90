//! Loops that gcc distributes statically, and the barriers at their ends, identified by the table of call sites that the command passes on.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use compat_tests::requirements::GCC;
use serde_json::Value;

use crate::attach::Running;
use crate::attach_elsewhere::{NOBODY, started_with};
use crate::harness::{Folder, errors, json, ora, run, text};
use crate::reference::document;
use crate::skips::may_run;

fn program(folder: &Folder, options: &[&str]) -> PathBuf {
    folder.compile("static_loops", "static_loops", &[&["-fopenmp"], options].concat())
}

/// Number of barriers at which `ora stat` has seen threads: implicit ones and explicit ones.
fn barriers(program: &Path) -> [u64; 2] {
    let document = json(&[], program, &[]);
    let waits = &document["runs"][0]["processes"][0]["waits"];
    ["implicit_barrier", "explicit_barrier"].map(|kind| waits[kind].as_u64().unwrap_or_else(|| panic!("{document:#}")))
}

#[test]
fn implicit_barriers_of_loops_and_singles_are_told_from_explicit_ones() {
    let folder = Folder::new();
    // Each thread ends 12 regions, 10 loops and 10 single constructs, and reaches 10 explicit barriers. The last loop of a region ends with
    // the region.
    assert_eq!(barriers(&program(&folder, &["-g", "-O0"])), [2 * (12 + 10 + 10), 2 * 10]);
    // Without line information nothing distinguishes them.
    assert_eq!(barriers(&program(&folder, &["-O0"])), [2 * 12, 2 * 30]);
}

/// Number of starts and ends of work-sharing constructs that a tool of OpenMP 5 gets.
fn work(program: &Path, setting: Option<&str>) -> u64 {
    let folder = Folder::new();
    let mut command = ora(&["validate", "--json", "-o"]);
    command.arg(folder.file("out.json")).arg("--").arg(program);
    let output = run(command.envs(setting.map(|setting| ("ORA_CALL_SITES", setting))));
    assert!(output.status.success(), "{}", errors(&output));
    let document: Value = serde_json::from_slice(&fs::read(folder.file("out.json")).unwrap()).unwrap();
    assert_eq!(document["good"], true, "{document:#}");
    let callbacks = document["processes"][0]["callbacks"].as_array().unwrap();
    callbacks.iter().find(|callback| callback["name"] == "work").unwrap()["events"].as_u64().unwrap()
}

#[test]
fn static_loops_are_reported_to_tools_and_shares_by_hand_are_not() {
    let folder = Folder::new();
    let all = program(&folder, &["-g", "-O0"]);
    // Single constructs, loops, and the loop that is a region, of two threads, each with a start and an end.
    assert_eq!(work(&all, None), 2 * 2 * (10 + 20 + 1));
    assert_eq!(work(&all, Some("none")), 2 * 2 * 10);
    // From -O1 on, the second loop of a function makes no call when it starts.
    assert_eq!(work(&program(&folder, &["-g", "-O2"]), None), 2 * 2 * (10 + 10 + 1));
    assert_eq!(work(&program(&folder, &["-O2"]), None), 2 * 2 * 10);
}

#[test]
fn a_loop_without_a_barrier_ends_before_the_next_construct() {
    let folder = Folder::new();
    let program = folder.compile("nowait", "nowait", &["-fopenmp", "-g", "-O0"]);
    // Each of two threads: four static loops, a single construct of each kind, sections, and a dynamic loop.
    assert_eq!(work(&program, None), 2 * 2 * 8);
}

#[test]
fn waits_at_the_end_of_a_loop_are_named_by_the_loop() {
    let folder = Folder::new();
    let program = program(&folder, &["-g", "-O0"]);
    let trace = folder.file("trace");
    let traced = run(ora(&["trace", "-o"]).arg(&trace).arg("--").arg(&program));
    assert!(traced.status.success(), "{}", errors(&traced));
    let report = text(&run(ora(&["report", "--rows", "all"]).arg(&trace)));
    for said in ["implicit barrier, end of the loop at static_loops.c:13", "explicit barrier at static_loops.c:18"] {
        assert!(report.contains(said), "no {said:?} in {report}");
    }
}

/// Barriers at which `ora attach` has seen threads: implicit ones and explicit ones.
fn barriers_of(running: &Running, setting: Option<&str>) -> [u64; 2] {
    let mut command = ora(&["attach", &running.pid(), "--seconds", "0.3", "--json"]);
    let output = run(command.envs(setting.map(|setting| ("ORA_CALL_SITES", setting))));
    assert!(output.status.success(), "{}", errors(&output));
    let document = document(output.stdout);
    let waits = &document["runs"][0]["processes"][0]["waits"];
    ["implicit_barrier", "explicit_barrier"].map(|kind| waits[kind].as_u64().unwrap_or_else(|| panic!("{document:#}")))
}

#[test]
fn a_running_process_gets_the_table_of_its_files() {
    let folder = Folder::new();
    let program = folder.compile("attached", "attached", &["-fopenmp", "-g"]);
    // The program has no explicit barrier. Without the table the ends of its loops count as such.
    for (words, setting) in [(&[][..], None), (&[], Some("none")), (&NOBODY, None)] {
        if !words.is_empty() && !may_run(words, "true") {
            continue;
        }
        let running = started_with(words, &program, "statics");
        let [implicit, explicit] = barriers_of(&running, setting);
        assert!(implicit > 0 && (explicit > 0) == setting.is_some(), "{implicit} and {explicit}, {words:?}");
        running.ends_as_before();
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_trace_of_a_running_process_names_the_ends_of_its_loops() {
    let folder = Folder::new();
    let program = folder.compile("attached", "attached", &["-fopenmp", "-g", "-O0"]);
    let running = Running::start(&program, &["statics"]);
    let trace = folder.file("trace");
    let traced = run(ora(&["attach", &running.pid(), "trace", "--seconds", "0.1", "-o"]).arg(&trace));
    assert!(traced.status.success(), "{}", errors(&traced));
    let report = text(&run(ora(&["report", "--rows", "all"]).arg(&trace)));
    assert!(report.contains("implicit barrier, end of the loop at attached.c:"), "{report}");
    running.ends_as_before();
}

/// Implicit barriers of a program under `ora stat` with this cache.
fn with_cache(program: &Path, folder: &Path) -> u64 {
    let place = Folder::new();
    let file = place.file("out.json");
    let mut command = ora(&["stat", "--json", "-o", file.to_str().unwrap(), "--"]);
    let output = run(command.arg(program).env("ORA_CACHE", folder));
    assert!(output.status.success(), "{}", errors(&output));
    document(fs::read(file).unwrap())["runs"][0]["processes"][0]["waits"]["implicit_barrier"].as_u64().unwrap()
}

#[test]
fn what_was_found_in_a_file_is_kept_by_its_build_id() {
    let folder = Folder::new();
    let (cache, all) = (folder.file("cache"), 2 * (12 + 10 + 10));
    let program = program(&folder, &["-g", "-O0"]);
    assert_eq!(with_cache(&program, &cache), all);
    let kept: Vec<PathBuf> =
        fs::read_dir(cache.join("call-sites")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = &kept[..] else { panic!("{kept:?}") };
    let content = fs::read(file).unwrap();
    // The command uses the cached entry: one without call sites makes the loops disappear. It replaces a damaged entry.
    let build_id = content[16..48].to_vec();
    let empty = [&content[..8], &1_u32.to_le_bytes(), &[0; 4], &build_id, &content[48..52], &[0; 4]].concat();
    fs::write(file, empty).unwrap();
    assert_eq!(with_cache(&program, &cache), 2 * 12);
    fs::write(file, &content[..40]).unwrap();
    assert_eq!(with_cache(&program, &cache), all);
    assert_eq!(fs::read(file).unwrap(), content);
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    fs::remove_file(file).unwrap();
    assert_eq!(with_cache(&program, &cache), all);
    assert!(!file.exists(), "kept where others may write");
}

#[test]
fn a_program_whose_path_and_source_are_not_utf_8_is_searched() {
    let (folder, none) = (Folder::new(), Path::new("none"));
    let place = folder.file("").join(OsStr::from_bytes(b"r\xff"));
    let (source, program) = (place.join("moved.c"), place.join("moved"));
    fs::create_dir(&place).unwrap();
    fs::copy(crate::harness::source("static_loops"), &source).unwrap();
    let mut gcc = Command::new("gcc");
    let compiled = folder.compile_by(&GCC, gcc.args(["-g", "-O0", "-fopenmp"]).arg(&source), "compiled").unwrap();
    fs::rename(&compiled, &program).unwrap();
    assert_eq!(with_cache(&program, none), 2 * (12 + 10 + 10));
    let doctor = text(&run(ora(&["doctor"]).arg(&program)));
    assert!(doctor.contains("3 static loops and 2 implicit barriers"), "{doctor}");
}

#[test]
fn a_file_whose_sources_are_missing_is_searched_again() {
    let folder = Folder::new();
    let source = folder.file("moved.c");
    fs::copy(crate::harness::source("static_loops"), &source).unwrap();
    let mut gcc = Command::new("gcc");
    let program = folder.compile_by(&GCC, gcc.args(["-g", "-O0", "-fopenmp"]).arg(&source), "moved").unwrap();
    let (cache, away) = (folder.file("cache"), folder.file("away.c"));
    fs::rename(&source, &away).unwrap();
    assert_eq!(with_cache(&program, &cache), 2 * 12);
    fs::rename(&away, &source).unwrap();
    assert_eq!(with_cache(&program, &cache), 2 * (12 + 10 + 10));
}
