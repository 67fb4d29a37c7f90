//! Output errors: it is an error if an answer can't be written, but not if the pipe is closed.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::harness::{Folder, errors, ora, run};

/// Commands that write their answer to stdout, and those that write it to stderr.
fn commands(folder: &Folder) -> (Vec<Command>, Vec<Command>) {
    let (program, profile, log) = (folder.program("regions"), folder.file("profile"), folder.file("log"));
    // The program works long enough for samples: without them no stacks would be written.
    run(ora(&["profile", "-o"]).arg(&profile).arg("--").arg(folder.program("replaced")));
    run(ora(&["run", "--log-requests"]).arg(&log).arg("--").arg(&program));
    let with = |words: &[&str], file: &std::path::Path| {
        let mut command = ora(words);
        command.arg(file);
        command
    };
    let to_stdout = vec![
        with(&["report"], &profile),
        with(&["report", "--json"], &profile),
        with(&["decode"], &log),
        with(&["decode", "--json"], &log),
        ora(&["decode", "--numbers"]),
        ora(&["doctor"]),
        with(&["doctor", "--json", "--"], &program),
    ];
    let to_stderr: [&[&str]; 6] = [
        &["stat", "--"],
        &["stat", "--json", "--"],
        &["tasks", "--"],
        &["tasks", "--tree=dot", "--"],
        &["validate", "--"],
        &["doctor", "--run", "--"],
    ];
    (to_stdout, to_stderr.into_iter().map(|words| with(words, &program)).collect())
}

#[test]
#[ignore = "slow: --all runs it"]
fn an_answer_that_finds_no_room_is_told() {
    let folder = Folder::new();
    let (to_stdout, to_stderr) = commands(&folder);
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    for mut command in to_stdout {
        let output = run(command.stdout(full()).stderr(Stdio::piped()));
        assert_eq!(output.status.code(), Some(125), "{command:?}: {}", errors(&output));
        assert!(errors(&output).starts_with("ora: cannot write to stdout: No space left"), "{}", errors(&output));
    }
    for mut command in to_stderr {
        assert_eq!(command.stderr(full()).stdout(Stdio::null()).status().unwrap().code(), Some(125), "{command:?}");
    }
    for file in ["--flame", "--folded", "--firefox"] {
        let output = run(ora(&["report", file, "/dev/full"]).arg(folder.file("profile")));
        assert_eq!(output.status.code(), Some(125), "{file}: {}", errors(&output));
        assert!(errors(&output).contains("cannot write to /dev/full"), "{}", errors(&output));
    }
}

#[test]
fn a_reader_that_goes_away_has_seen_enough() {
    let folder = Folder::new();
    let (to_stdout, to_stderr) = commands(&folder);
    let closed = || Stdio::from(std::io::pipe().unwrap().1);
    for mut command in to_stdout {
        let output = run(command.stdout(closed()).stderr(Stdio::piped()));
        assert_eq!(errors(&output), "", "{command:?}");
        assert!(output.status.code().is_some_and(|code| code < 2), "{command:?}: {}", output.status);
    }
    for mut command in to_stderr {
        let status = command.stderr(closed()).stdout(Stdio::null()).status().unwrap();
        assert!(status.code().is_some_and(|code| code < 2), "{command:?}: {status}");
    }
}
