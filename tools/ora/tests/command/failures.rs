//! Error messages: each has a cause, a next step, and its own exit code.

use crate::harness::{Folder, errors, ora, run, text};

#[test]
fn programs_that_cannot_run_have_the_codes_of_shells() {
    for command in ["stat", "run"] {
        for (program, code, says) in [
            ("no-such-program", 127, "PATH"),
            ("./no-such-program", 127, "no such file"),
            ("/etc/passwd", 126, "chmod +x"),
            ("/etc", 126, "folder"),
        ] {
            let output = run(&mut ora(&[command, "--", program]));
            let message = errors(&output);
            assert_eq!(output.status.code(), Some(code), "{message}");
            assert!(message.starts_with("ora: cannot run ") && message.contains(says), "{message}");
            assert_eq!(text(&output), "");
        }
    }
}

#[test]
fn an_output_file_that_cannot_be_written_stops_before_the_program_runs() {
    let output = run(&mut ora(&["stat", "-o", "/no/such/folder/file", "--", "echo", "ran"]));
    assert_eq!((output.status.code(), text(&output)), (Some(125), String::new()));
    assert!(errors(&output).contains("cannot write to /no/such/folder/file"));
}

#[test]
fn a_program_that_cannot_start_leaves_no_output_and_the_older_one() {
    let folder = Folder::new();
    let file = folder.file("output");
    for words in [
        &["stat", "-o"][..],
        &["stat", "--json", "-o"],
        &["tasks", "-o"],
        &["tasks", "--tree=dot", "-o"],
        &["validate", "-o"],
        &["validate", "--trace"],
        &["top", "--batch", "-o"],
        &["scale", "-o"],
        &["scale", "--svg"],
        &["tune", "-o"],
        &["race", "-o"],
        &["race", "--sarif"],
        &["doctor", "--run", "-o"],
        &["profile", "-o"],
        &["trace", "-o"],
        &["run", "--log-requests"],
    ] {
        let mut command = ora(words);
        let output = run(command.arg(&file).args(["--", "./no-such-program"]));
        assert!(!output.status.success(), "{words:?}");
        assert!(!file.exists(), "{words:?} leaves a file: {}", errors(&output));
    }
    std::fs::write(&file, "older").unwrap();
    for command in ["stat", "tasks", "validate", "scale"] {
        run(ora(&[command, "-o"]).arg(&file).args(["--", "./no-such-program"]));
        assert_eq!(std::fs::read(&file).unwrap(), b"older", "{command}");
    }
}

#[test]
fn the_command_explains_itself() {
    let version = run(&mut ora(&["--version"]));
    assert_eq!(text(&version), format!("ora {}\n", env!("CARGO_PKG_VERSION")));
    for words in [&["--help"][..], &["stat", "--help"], &["run", "--help"]] {
        let output = run(&mut ora(words));
        assert!(output.status.success() && text(&output).contains("Examples:"), "{}", text(&output));
    }
    assert_eq!(run(&mut ora(&["stat"])).status.code(), Some(2));
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_demo_shows_a_table_and_five_lines() {
    let output = run(&mut ora(&["demo"]));
    let said = errors(&output);
    assert_eq!((output.status.code(), text(&output)), (Some(0), String::new()), "{said}");
    assert!(said.contains("parallel regions  6"), "{said}");
    for line in ["1. ", "2. Imbalance", "3. Critical section: ", "4. Lock: ", "5. Serial: "] {
        assert!(said.lines().any(|said| said.trim_start().starts_with(line)), "{said}");
    }
}

#[test]
fn the_demo_says_what_it_needs() {
    let folder = Folder::new();
    let output = run(ora(&["demo"]).env("CC", folder.file("no-such-cc")));
    assert_eq!(output.status.code(), Some(125));
    assert!(errors(&output).contains("Install gcc"), "{}", errors(&output));
}

#[test]
fn a_mistyped_option_is_no_program_and_a_dash_is_stdout() {
    for words in [["stat", "--jsn", "true"], ["profile", "--freq", "10"], ["run", "--colector", "x"]] {
        let output = run(&mut ora(&words));
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", errors(&output));
        assert!(errors(&output).contains("unexpected argument"), "{}", errors(&output));
    }
    // Words after the program belong to the program.
    assert_eq!(text(&run(&mut ora(&["run", "echo", "--jsn", "-o"]))), "--jsn -o\n");
    let output = run(&mut ora(&["stat", "--json", "-o", "-", "true"]));
    assert!(text(&output).starts_with('{') && errors(&output).is_empty(), "{}", errors(&output));
    assert!(!std::path::Path::new("-").exists());
}
