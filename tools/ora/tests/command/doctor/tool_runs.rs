//! OMPT tools in a run, and in a process: what actually happened.

use std::path::Path;
use std::process::{Command, Stdio};

use super::harness::{Answer, Folder, Waiting, doctor, headers, tool5};
use crate::compiled::copy_program;
use crate::harness::ORA;

/// `ora doctor --run` with a tool of each form.
fn run(folder: &Folder, program: &Path, variables: &[(&str, &str)]) -> Answer {
    let (five, two) = (folder.tool("tool5", "five.so", &[]), folder.tool("tool2", "two.so", &[]));
    let mut command = doctor(&["--run", "--tool", five.to_str().unwrap(), "--tool", two.to_str().unwrap()]);
    Answer::of(command.envs(variables.iter().copied()), program, &[])
}

#[test]
fn who_attached_and_who_declined_is_told() {
    let folder = Folder::new();
    let program = folder.region();
    let [two, five] = ["tr2 two.so preloaded", "openmp_5 five.so omp_tool_libraries"];
    let answer = run(&folder, &program, &[]);
    answer.expect("seen", &[]);
    assert_eq!(answer.tools(), [format!("{two} attached"), format!("{five} attached")]);
    assert_eq!(answer.json["run"]["regions"], 1);

    let answer = run(&folder, &program, &[("TOOL5", "decline")]);
    answer.expect("partly_seen", &["tool_declined"]);
    assert_eq!(answer.tools(), [format!("{two} attached"), format!("{five} declined")]);
    let answer = run(&folder, &program, &[("TOOL2", "decline")]);
    answer.expect("partly_seen", &["tool_declined"]);
    assert_eq!(answer.tools(), [format!("{two} declined"), format!("{five} attached")]);

    let answer = run(&folder, &program, &[("OMP_TOOL", "disabled")]);
    answer.expect("partly_seen", &["tool_disabled"]);
    assert_eq!(answer.tools(), [format!("{two} not_asked"), format!("{five} not_asked")]);
    let answer = run(&folder, &folder.compile("plain", "idle", &["-Wl,--no-as-needed", "-lgomp"]), &[]);
    assert_eq!(answer.tools(), [format!("{two} not_asked"), format!("{five} not_asked")]);
    assert_eq!(answer.json["tools"][0]["why"], "no process used OpenMP");
}

#[test]
fn a_tool_that_never_answered_is_named() {
    let folder = Folder::new();
    let answer = run(&folder, &folder.region(), &[("TOOL5", "exit")]);
    assert_eq!(answer.json["run"]["exit_code"], 9);
    assert!(answer.reasons().contains(&"tool_no_answer"), "{:#}", answer.json);
    assert_eq!(answer.tools()[1], "openmp_5 five.so omp_tool_libraries unknown");
}

#[test]
fn the_tool_that_attached_first_keeps_others_away() {
    let folder = Folder::new();
    let (headers, tool) = (headers(), tool5());
    let own = folder.compile("region", "own", &["-fopenmp", &headers, &tool]);
    let answer = run(&folder, &own, &[]);
    answer.expect("seen", &[]);
    assert_eq!(
        answer.tools(),
        [
            "tr2 two.so preloaded attached",
            "openmp_5 own executable attached",
            "openmp_5 five.so omp_tool_libraries not_asked"
        ]
    );
    assert!(answer.json["tools"][2]["why"].as_str().unwrap().ends_with("own is attached"));
    // The tool in the same file declines, and so does its copy in the list.
    let answer = run(&folder, &own, &[("TOOL5", "decline")]);
    answer.expect("partly_seen", &["tool_declined"]);
    assert!(answer.tools()[1..].iter().all(|line| line.ends_with("declined")), "{:?}", answer.tools());
}

#[test]
fn all_processes_of_a_script_count_and_unexpected_tools_are_added() {
    let folder = Folder::new();
    let (headers, tool) = (headers(), tool5());
    let program = folder.region();
    let own = folder.compile("region", "own", &["-fopenmp", &headers, &tool]);
    let [written, script] = ["written.sh", "script.sh"].map(|name| folder.file(name));
    // It is found through PATH and called without a path.
    let lines = "#!/bin/sh\nPROGRAM\nTOOL2=decline PROGRAM\ncd FOLDER\nPATH=.:$PATH own\nOMP_TOOL=disabled PROGRAM\n";
    let place = own.parent().unwrap().to_str().unwrap();
    let text = lines.replace("PROGRAM", program.to_str().unwrap()).replace("FOLDER", place);
    std::fs::write(&written, text).unwrap();
    std::fs::set_permissions(&written, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    copy_program(&written, &script);
    let answer = run(&folder, &script, &[]);
    answer.expect("seen", &[]);
    assert_eq!(
        answer.tools(),
        [
            "tr2 two.so preloaded attached",
            "openmp_5 five.so omp_tool_libraries attached",
            "openmp_5 own executable attached"
        ]
    );
    let whys: Vec<_> = answer.json["tools"].as_array().unwrap().iter().map(|tool| tool["why"].clone()).collect();
    assert_eq!(whys, ["in 2 processes", "in 2 processes", "in 1 process"]);
}

/// Program under `ora run` with two tools; it has printed its first line and waits.
fn waiting(folder: &Folder, variables: &[(&str, &str)]) -> Waiting {
    let program = folder.compile("waits", "waits", &["-fopenmp"]);
    let (five, two) = (folder.tool("tool5", "five.so", &[]), folder.tool("tool2", "two.so", &[]));
    let mut command = Command::new(ORA);
    command.args(["run", "--tool"]).arg(five).arg("--tool").arg(two).arg("--").arg(program);
    for variable in ["LD_PRELOAD", "OMP_TOOL", "OMP_TOOL_LIBRARIES", "ORA_TOOL_LOG", "ORA_DISABLE"] {
        command.env_remove(variable);
    }
    Waiting::start(command.envs(variables.iter().copied()).stderr(Stdio::null()))
}

#[test]
fn of_a_process_is_told_what_can_be_seen_from_outside() {
    let folder = Folder::new();
    let [two, five] = ["tr2 two.so preloaded", "openmp_5 five.so omp_tool_libraries"];
    let answer = waiting(&folder, &[]).ask();
    answer.expect("seen", &[]);
    assert_eq!(answer.tools(), [format!("{two} unknown"), format!("{five} attached")]);
    // A tool that declines is closed again.
    let answer = waiting(&folder, &[("TOOL5", "decline")]).ask();
    assert_eq!(answer.tools(), [format!("{two} unknown"), format!("{five} unknown")]);
    let answer = waiting(&folder, &[("OMP_TOOL", "disabled")]).ask();
    answer.expect("partly_seen", &["tool_disabled"]);
    assert_eq!(answer.tools(), [format!("{two} not_asked"), format!("{five} not_asked")]);
}

#[test]
fn the_record_of_a_process_tells_the_rest() {
    let folder = Folder::new();
    let record = folder.file("record");
    let with = |variable: (&str, &str)| waiting(&folder, &[("ORA_TOOL_LOG", record.to_str().unwrap()), variable]).ask();
    let answer = with(("A", "b"));
    answer.expect("seen", &[]);
    assert_eq!(answer.tools(), ["tr2 two.so preloaded attached", "openmp_5 five.so omp_tool_libraries attached"]);
    // Lines of another process in the same file are not its own.
    let answer = with(("TOOL2", "decline"));
    answer.expect("partly_seen", &["tool_declined"]);
    assert_eq!(answer.tools()[0], "tr2 two.so preloaded declined");
}
