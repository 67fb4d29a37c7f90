//! Mistyped command lines, and what is printed for them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::harness::{Folder, errors, ora, run, text};

#[test]
fn a_program_without_a_command_gets_one() {
    let folder = Folder::new();
    let program = folder.program("plain");
    let output = run(ora(&[]).arg(&program));
    assert_eq!(output.status.code(), Some(2));
    let line = format!("`ora stat -- {}` runs it", program.display());
    assert!(errors(&output).contains(&line), "{}", errors(&output));
    let output = run(&mut ora(&["stats"]));
    assert!(errors(&output).contains("'stat'"), "{}", errors(&output));
}

#[test]
fn no_command_that_deletes_is_printed_for_an_output_that_exists() {
    let folder = Folder::new();
    let (file, made) = (folder.file("results.dat"), folder.file("recorded"));
    fs::write(&file, "results").unwrap();
    for command in ["profile", "trace"] {
        let output = run(ora(&[command, "-o"]).arg(&file).args(["--", "true"]));
        assert_eq!(output.status.code(), Some(125));
        let said = errors(&output);
        assert!(said.contains("results.dat is a file, and a") && !said.contains("rm "), "{said}");
        fs::create_dir_all(made.join("pid-7")).unwrap();
        let said = errors(&run(ora(&[command, "-o"]).arg(&made).args(["--", "true"])));
        assert!(said.contains("has a profile already") && !said.contains("rm "), "{said}");
    }
    assert_eq!(fs::read_to_string(file).unwrap(), "results");
}

#[test]
fn a_recording_is_written_where_the_path_is_not_utf_8() {
    let folder = Folder::new();
    let program = folder.program("traced");
    for words in [&["trace"][..], &["trace", "--sample", "100"], &["profile"]] {
        let place = folder.file("").join(OsStr::from_bytes(b"r\xff")).join(words.concat());
        let output = run(ora(words).arg("-o").arg(&place).arg("--").arg(&program).args(["regions", "3"]));
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "{words:?}: {}", errors(&output));
        let report = run(ora(&["report"]).arg(&place));
        assert!(report.status.success() && !text(&report).is_empty(), "{words:?}: {}", errors(&report));
    }
}

#[test]
fn a_trace_of_nothing_leaves_no_folder() {
    let folder = Folder::new();
    let output = run(ora(&["trace", "--", "true"]).current_dir(folder.file("")));
    assert!(errors(&output).contains("no trace"), "{}", errors(&output));
    assert_eq!(fs::read_dir(folder.file("")).unwrap().count(), 0);
}

#[test]
fn short_help_fits_a_screen() {
    let help = |words: &[&str]| text(&run(&mut ora(words))).lines().count();
    assert!(help(&["-h"]) <= 40, "{}", help(&["-h"]));
    for command in ["stat", "profile", "trace", "tasks", "race", "report", "attach", "hang", "doctor"] {
        assert!(help(&[command, "-h"]) < help(&[command, "--help"]), "{command}");
    }
}

#[test]
fn styles_can_be_forced_by_the_environment() {
    let styled = |variables: &[(&str, &str)]| {
        errors(&run(ora(&["stat", "--", "true"]).envs(variables.iter().copied()))).contains('\u{1b}')
    };
    assert!(!styled(&[]));
    for name in ["CLICOLOR_FORCE", "FORCE_COLOR"] {
        assert!(styled(&[(name, "1")]), "{name}");
        assert!(!styled(&[(name, "0")]) && !styled(&[(name, "1"), ("NO_COLOR", "1")]), "{name}");
    }
}

#[test]
fn every_command_takes_the_option_about_colours() {
    for words in [&["doctor", "--color", "never"][..], &["decode", "--color", "never", "--numbers"]] {
        assert_ne!(run(&mut ora(words)).status.code(), Some(2), "{words:?}");
    }
}
