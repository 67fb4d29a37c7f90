//! LD_PRELOAD: the user's libraries, and ours.

use std::fs;
use std::path::PathBuf;

use crate::compiled::copy_program;
use crate::harness::{Folder, ORA, errors, ora, run, text};

#[test]
fn the_users_library_is_kept_behind_ours() {
    let folder = Folder::new();
    let (program, library) = (folder.program("regions"), folder.library("preloaded"));
    let output = run(ora(&["stat", "--"]).arg(&program).env("LD_PRELOAD", &library));
    let said = text(&output);
    let list = said.strip_prefix("2\npreloaded ").unwrap_or_else(|| panic!("{said}")).trim();
    let names: Vec<&str> = list.split(':').map(|path| path.rsplit('/').next().unwrap()).collect();
    assert_eq!(names, ["libora.so", "libora_collectors.so", "libora_guard.so", "libpreloaded.so"]);
    assert!(errors(&output).contains("parallel regions  1"));
}

#[test]
fn a_users_collector_runs_and_a_second_one_is_refused() {
    let folder = Folder::new();
    let (program, collector) = (folder.program("regions"), folder.library("collector"));
    let output = run(ora(&["run", "--collector"]).arg(&collector).arg("--").arg(&program).args(["6", "5"]));
    assert_eq!((output.status.code(), text(&output)), (Some(5), "12\n".to_owned()));
    assert_eq!(errors(&output), "collector: 6 forks\n");

    let output =
        run(ora(&["run", "--collector"]).arg(&collector).arg("--collector").arg(&collector).arg("--").arg(&program));
    assert_eq!((output.status.code(), text(&output)), (Some(125), String::new()));
    assert!(errors(&output).contains("one session at a time"), "{}", errors(&output));
}

#[test]
fn a_collector_that_is_none_is_refused() {
    for (collector, says) in [("/no/such.so", "cannot load the collector"), ("/etc/passwd", "not a shared library")] {
        let output = run(ora(&["run", "--collector", collector, "--", "true"]).env("LC_ALL", "C"));
        assert_eq!(output.status.code(), Some(125));
        assert!(errors(&output).contains(says), "{}", errors(&output));
    }
}

#[test]
fn stat_says_when_another_collector_has_the_session() {
    let folder = Folder::new();
    let (program, collector) = (folder.program("regions"), folder.library("collector"));
    // Libraries are initialized in reverse order: the user's, listed after ours, is initialized first.
    let output = run(ora(&["stat", "--"]).arg(&program).env("LD_PRELOAD", &collector));
    assert_eq!(text(&output), "2\n");
    assert!(errors(&output).contains("another collector has the session"), "{}", errors(&output));
}

/// Copies the command and some libraries.
fn installed(folder: &Folder, command: &str, libraries: &[(&str, &str)]) -> PathBuf {
    let executable = folder.file(command);
    fs::create_dir_all(executable.parent().unwrap()).unwrap();
    copy_program(ORA.as_ref(), &executable);
    for (library, to) in libraries {
        let beside = PathBuf::from(ORA).parent().unwrap().to_owned();
        let from =
            [beside.join("deps"), beside].map(|place| place.join(library)).into_iter().find(|file| file.is_file());
        let to = folder.file(to);
        fs::create_dir_all(&to).unwrap();
        fs::copy(from.unwrap(), to.join(library)).unwrap();
    }
    executable
}

#[test]
fn an_installed_command_finds_its_libraries_or_names_the_missing_one() {
    let folder = Folder::new();
    let stat = |executable: &PathBuf| run(std::process::Command::new(executable).args(["stat", "--", "true"]));

    let all = ["libora.so", "libora_collectors.so", "libora_guard.so"].map(|library| (library, "usr/lib"));
    assert_eq!(stat(&installed(&folder, "usr/bin/ora", &all)).status.code(), Some(0));

    let none = stat(&installed(&folder, "none/bin/ora", &[]));
    assert_eq!(none.status.code(), Some(125));
    let message = errors(&none);
    assert!(message.contains("libora.so is missing") && message.contains("Install ora again"), "{message}");
    assert!(message.contains("none/bin/ora"), "{message}");

    let half = errors(&stat(&installed(&folder, "half/ora", &[("libora.so", "half")])));
    assert!(half.contains("libora_collectors.so is missing"), "{half}");
}
