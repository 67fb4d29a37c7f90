//! Programs instrumented by OPARI: more events are reported than the runtime's adapter sees.

use std::path::{Path, PathBuf};
use std::process::Command;

use compat_tests::requirements::OPARI;

use super::callbacks::says_what_tools_are_answered;
use super::harness::{Answer, Folder, headers};
use crate::harness::ORA;
use crate::skips::has;

/// Program with a master region, instrumented and plain. `None` if OPARI is missing, and then a skip is printed.
fn programs(folder: &Folder) -> Option<[PathBuf; 2]> {
    let plain = folder.compile("masters", "plain", &["-fopenmp"]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/doctor/programs/masters.c");
    std::fs::copy(source, folder.file("masters.c")).unwrap();
    if !has(&OPARI) {
        return None;
    }
    let done = Command::new("opari2").args(["masters.c", "calls.c"]).current_dir(folder.file("")).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let beside = Path::new(ORA).parent().unwrap();
    let library = [beside.join("deps/libora.so"), beside.join("libora.so")].into_iter().find(|f| f.is_file()).unwrap();
    let library = library.to_str().unwrap();
    let calls = folder.link("calls", &["-fopenmp", "-w", &headers(), "calls.c", "-Wl,--as-needed", library]);
    Some([plain, calls])
}

#[test]
fn what_oparis_calls_tell_is_in_the_tables() {
    let folder = Folder::new();
    let Some([plain, instrumented]) = programs(&folder) else { return };
    let raised = |program: &Path, name: &str| {
        let answer = Answer::about(program);
        let events = answer.json["events"].as_array().unwrap();
        events.iter().find(|event| event["name"] == name).unwrap()["raised"].as_str().unwrap().to_owned()
    };
    let both = |name| [&plain, &instrumented].map(|program| raised(program, name));
    assert_eq!(both("MASTER"), ["no", "yes"]);
    assert_eq!(both("SINGLE"), ["partly", "yes"]);
    assert_eq!(both("IBAR"), ["partly", "yes"]);
    assert_eq!(both("FORK, JOIN"), ["yes", "yes"]);
    let run = Answer::run(&instrumented, &[]);
    let events = run.json["events"].as_array().unwrap();
    assert!(events.iter().any(|event| event["name"] == "MASTER" && event["raised"] == "yes"), "{:#}", run.json);
    says_what_tools_are_answered(&folder, &instrumented);
}
