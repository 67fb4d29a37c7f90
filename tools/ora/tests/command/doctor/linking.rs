//! Findings about the linking of a program: its libraries, and the order of their functions.

use std::path::Path;
use std::process::Command;

use super::harness::{Answer, Folder, doctor};
use crate::skips::has;

const LIBGOMP_A: &str = "libgomp.a";

/// Links a program with libgomp.a; prints a skip if that is missing.
fn with_archive(folder: &Folder, to: &str, more: &[&str]) -> bool {
    if !has(&compat_tests::requirements::LIBGOMP_A) {
        return false;
    }
    let path = Command::new("gcc").arg(format!("-print-file-name={LIBGOMP_A}")).output().unwrap().stdout;
    let path = String::from_utf8(path).unwrap().trim().to_owned();
    folder.compile("region", "region.o", &["-fopenmp", "-c"]);
    folder.link(to, &[&["region.o", &path, "-lpthread", "-ldl"], more].concat());
    true
}

#[test]
fn a_program_by_gcc_would_be_seen_stripped_or_not() {
    let folder = Folder::new();
    for options in [&["-fopenmp"][..], &["-fopenmp", "-s"], &["-fopenmp", "-no-pie"]] {
        let answer = Answer::about(&folder.compile("region", "region", options));
        answer.expect("seen", &[]);
        assert_eq!(answer.runtimes(), [("libgomp", "reported")]);
        assert!(answer.json.to_string().contains("as ldd does"), "{:#}", answer.json);
        assert_eq!(answer.json.to_string().contains("stripped (no problem)"), options.contains(&"-s"));
    }
}

#[test]
fn a_program_for_the_race_detector_is_known_by_its_calls() {
    let folder = Folder::new();
    for (name, options) in [("plain", &["-fopenmp"][..]), ("sanitized", &["-fopenmp", "-fsanitize=thread"])] {
        let answer = Answer::about(&folder.compile("region", name, options));
        answer.expect("seen", &[]);
        let says = answer.json.to_string();
        assert_eq!(says.contains("`ora race` finds them"), name == "sanitized", "{says}");
    }
}

#[test]
fn events_are_told_with_their_limits_and_their_use() {
    let folder = Folder::new();
    let answer = Answer::about(&folder.compile("tasks", "tasks", &["-fopenmp"]));
    answer.expect("seen", &[]);
    let event = |name: &str| {
        let events = answer.json["events"].as_array().unwrap();
        events.iter().find(|event| event["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    assert_eq!((&event("tasks")["raised"], &event("tasks")["used"]), (&"yes".into(), &true.into()));
    assert_eq!((&event("SINGLE")["raised"], &event("SINGLE")["used"]), (&"partly".into(), &true.into()));
    assert_eq!((&event("LKWT")["raised"], &event("LKWT")["used"]), (&"yes".into(), &false.into()));
    assert!(event("MASTER")["why"].as_str().unwrap().contains("inlines"));
}

#[test]
fn a_libgomp_inside_is_found_by_symbols_or_when_stripped_by_its_messages() {
    let folder = Folder::new();
    if !with_archive(&folder, "inside", &[]) || !with_archive(&folder, "stripped", &["-s"]) {
        return;
    }
    for (program, sure) in [("inside", "certain"), ("stripped", "likely")] {
        let answer = Answer::about(&folder.file(program));
        answer.expect("not_seen", &["static_runtime"]);
        assert_eq!(answer.json["reasons"][0]["sure"], sure);
        assert_eq!(answer.runtimes(), [("libgomp", "built_in")]);
    }
}

#[test]
fn a_static_program_is_out_of_reach() {
    let folder = Folder::new();
    for (name, options) in [
        ("region", &["-fopenmp", "-static"][..]),
        ("region", &["-fopenmp", "-static", "-s"]),
        ("region", &["-fopenmp", "-static-pie"]),
        ("plain", &["-static"]),
    ] {
        let answer = Answer::about(&folder.compile(name, "static", options));
        answer.expect("not_seen", &["static_program"]);
        assert_eq!(answer.runtimes().len(), usize::from(name == "region"), "{options:?}");
    }
}

#[test]
fn a_program_that_is_linked_to_the_library_and_to_no_runtime_gets_one_from_it() {
    let folder = Folder::new();
    let beside = Path::new(env!("CARGO_BIN_EXE_ora")).parent().unwrap();
    let library = [beside.join("deps/libora.so"), beside.join("libora.so")].into_iter().find(|f| f.is_file()).unwrap();
    let folders = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
    let program =
        folder.compile("region", "region", &["-fopenmp", "-Wl,--as-needed", library.to_str().unwrap(), &folders]);
    let answer = Answer::about(&program);
    answer.expect("seen", &[]);
    assert_eq!(answer.runtimes(), [("libgomp", "reported")]);
}

#[test]
fn no_openmp_is_said() {
    let folder = Folder::new();
    Answer::about(&folder.compile("plain", "plain", &[])).expect("not_seen", &["no_openmp"]);
    let opener = folder.compile("opener", "opener", &[]);
    Answer::about(&opener).expect("unknown", &["loaded_later"]);
}

#[test]
fn entry_points_of_its_own_come_first() {
    let folder = Folder::new();
    for (to, options) in [("with", &["-fopenmp"][..]), ("without", &["-fopenmp", "-nodefaultlibs", "-lc"])] {
        let answer = Answer::about(&folder.compile("own_entry", to, options));
        assert_eq!(answer.verdict(), "not_seen");
        assert!(answer.reasons().contains(&"own_entries"), "{:#}", answer.json);
    }
}

#[test]
fn a_library_that_binds_to_itself_hides_a_part() {
    let folder = Folder::new();
    folder.compile("own_entry", "libown.so", &["-shared", "-fPIC", "-Wl,-Bsymbolic", "-Dmain=own"]);
    let own = ["-fopenmp", "-Wl,--no-as-needed", &folder.library_path(), "-lown", "-Wl,-rpath,$ORIGIN"];
    let program = folder.compile("region", "region", &own);
    Answer::about(&program).expect("partly_seen", &["symbolic"]);
}

#[test]
fn runtimes_with_ompt_are_reported_as_their_tool_unless_omp_tool_forbids_it() {
    let folder = Folder::new();
    folder.compile("other_runtime", "libomp.so", &["-shared", "-fPIC", "-Wl,-soname,libomp.so"]);
    let own = [&folder.library_path(), "-Wl,-rpath,$ORIGIN", "-Wl,--no-as-needed", "-lomp"];
    let clang = folder.compile("clang_code", "clang_code", &own);
    folder.compile("region", "region.o", &["-fopenmp", "-c"]);
    let mixed = folder.link("mixed", &[&["region.o"], &own[..]].concat());
    let silent = |program: &std::path::Path| Answer::of(doctor(&[]).env("OMP_TOOL", "disabled"), program, &[]);
    for program in [clang, mixed] {
        let answer = Answer::about(&program);
        answer.expect("seen", &[]);
        assert_eq!(answer.runtimes(), [("libomp", "reported")]);
        assert_eq!(answer.json["runtimes"][0]["host"], "ompt");
        assert!(answer.json["events"].as_array().unwrap().iter().all(|event| event["host"] == "ompt"));
        let silent = silent(&program);
        silent.expect("not_seen", &["omp_tool_disabled"]);
        assert_eq!(silent.runtimes(), [("libomp", "undisturbed")]);
        assert!(silent.json["events"].as_array().unwrap().is_empty());
    }
    // With libgomp first, each adapter serves its own code: gcc's and clang's.
    let both = folder.compile("region", "both", &["-fopenmp", "-Wl,--no-as-needed", "-lgomp", own[0], own[1], own[3]]);
    let answer = Answer::about(&both);
    answer.expect("seen", &[]);
    assert_eq!(answer.runtimes(), [("libgomp", "reported"), ("libomp", "reported")]);
    // Nothing runs on the other runtime.
    silent(&both).expect("seen", &[]);
}

#[test]
fn a_sanitizer_wants_to_be_first_and_may() {
    let folder = Folder::new();
    let program = folder.compile("region", "region", &["-fopenmp", "-fsanitize=address"]);
    let answer = Answer::about(&program);
    answer.expect("not_seen", &["sanitizer_first"]);
    let advice = answer.json["reasons"][0]["what_to_do"].as_str().unwrap();
    let library = advice.split("LD_PRELOAD=").nth(1).unwrap().split(' ').next().unwrap();
    Answer::of(doctor(&[]).env("LD_PRELOAD", library), &program, &[]).expect("seen", &[]);
    // And the advice is right if it is followed.
    let run =
        Answer::of(doctor(&["--run"]).env("LD_PRELOAD", library).env("ASAN_OPTIONS", "detect_leaks=0"), &program, &[]);
    run.expect("seen", &[]);
    assert_eq!(run.json["run"]["regions"], 1);
}

#[test]
fn a_missing_library_is_named() {
    let folder = Folder::new();
    folder.compile("part", "libpart.so", &["-shared", "-fPIC", "-fopenmp"]);
    let program =
        folder.compile("region", "region", &["-fopenmp", "-Wl,--no-as-needed", &folder.library_path(), "-lpart"]);
    let answer = Answer::about(&program);
    answer.expect("not_seen", &["library_not_found"]);
    assert!(answer.json["reasons"][0]["what"].as_str().unwrap().contains("libpart.so"));
}
