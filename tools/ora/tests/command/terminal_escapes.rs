//! Names that contain terminal escapes, paths that are not regular files, and a profile that others have forged.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::harness::{Folder, errors, ora, run, text};

/// Commands that report on a program.
const COMMANDS: [&[&str]; 8] = [
    &["stat"],
    &["tasks"],
    &["tasks", "--tree"],
    &["tasks", "--tree=dot"],
    &["validate"],
    &["doctor"],
    &["doctor", "--run"],
    &["run", "--log-requests", "log"],
];

/// Bytes that replace `work_replaced` and `nest_replaced`.
const HOSTILE: [&[u8; 13]; 2] = [b"wo\x1b]0;t\x07\xc2\x9b2Jk", b"ne\n\xe2\x80\xae\r\x7f\x1b[mtt"];

/// Checks that a command's output contains nothing that a terminal would interpret.
fn is_harmless(output: &Output, what: &str) {
    for said in [text(output), errors(output)] {
        let acts = |c: char| {
            c.is_control() && !matches!(c, '\n' | '\t')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        };
        assert!(!said.contains(acts), "{what}: {said:?}");
    }
}

/// Program whose functions, thread and file have such names.
fn hostile_program(folder: &Folder) -> PathBuf {
    renamed_program(folder, HOSTILE, OsStr::new("evil\x1b[31m\x7f\u{9b}2J\u{202e}"))
}

/// The program with these names in place of those of its functions and of its file.
fn renamed_program(folder: &Folder, functions: [&[u8; 13]; 2], file: &OsStr) -> PathBuf {
    let plain = folder.compile("replaced", "replaced", &["-fopenmp", "-g", "-fno-inline"]);
    let mut bytes = fs::read(&plain).unwrap();
    for (name, hostile) in [b"work_replaced", b"nest_replaced"].into_iter().zip(functions) {
        let places: Vec<usize> = (0..bytes.len() - 13).filter(|at| bytes[*at..].starts_with(name)).collect();
        assert!(!places.is_empty());
        places.into_iter().for_each(|at| bytes[at..at + 13].copy_from_slice(hostile));
    }
    let program = folder.file("").join(file);
    // The copy keeps the permissions of a program.
    fs::copy(&plain, &program).unwrap();
    fs::write(&program, bytes).unwrap();
    program
}

#[test]
#[ignore = "slow: --all runs it"]
fn names_of_a_program_are_shown_and_not_obeyed() {
    let folder = Folder::new();
    let program = hostile_program(&folder);
    let mut shown = String::new();
    for command in COMMANDS {
        let mut ora = ora(command);
        let output = run(ora.current_dir(folder.file("")).arg("--").arg(&program).arg("a\x1b]b\n\u{2028}"));
        assert!(output.status.success(), "{command:?}: {}", errors(&output));
        is_harmless(&output, &format!("{command:?}"));
        shown += &errors(&output);
    }
    assert!(shown.contains("evil\\x1b[31m\\x7f\\u{9b}2J\\u{202e} a\\x1b]b\\n\\u{2028}"), "{shown}");
    assert!(shown.contains("ne\\n\\u{202e}\\r\\x7f\\x1b[m"), "{shown}");
    let log = run(ora(&["decode"]).arg(folder.file("log")));
    assert!(log.status.success(), "{}", errors(&log));
    is_harmless(&log, "decode");
}

#[test]
#[ignore = "slow: --all runs it"]
fn names_in_a_profile_are_shown_and_not_obeyed() {
    let folder = Folder::new();
    let (program, profile) = (hostile_program(&folder), folder.file("profile\x1b[1m"));
    let output = run(ora(&["profile", "-o"]).arg(&profile).arg("--").arg(&program).arg("a\x1b]b"));
    is_harmless(&output, "profile");
    for view in ["user", "expert", "machine"] {
        let report = run(ora(&["report", "--rows", "all", "--view", view]).arg(&profile));
        assert!(report.status.success(), "{}", errors(&report));
        is_harmless(&report, view);
        assert!(text(&report).contains("wo\\x1b]0;t\\x07\\u{9b}2J"), "{}", text(&report));
    }
    // The recorded path becomes a name of an attacker's choice.
    let forged = b"\x1b[2J\n\r\xc2\x85\xe2\x80\xae";
    forge(&profile, &program.as_os_str().as_bytes()[..forged.len()], forged);
    let report = run(ora(&["report", "--rows", "all"]).arg(&profile));
    is_harmless(&report, "a forged profile");
    assert!(text(&report).contains("\\x1b[2J\\n\\r\\u{85}\\u{202e}"), "{}", text(&report));
}

/// Names in the pages, pictures and objects of `ora scale` and `ora tune`.
#[test]
#[ignore = "slow: --all runs it"]
fn names_harm_no_scaling_and_no_tuning() {
    let folder = Folder::new();
    let functions = [b"<script>x\"'&\x1b", b"ne\nregion 0 1"];
    let program = renamed_program(&folder, functions, OsStr::from_bytes(b"e<script>\"'&#\n\x1b[31m\xe2\x80\xae"));
    let [figures, picture, page, settings] =
        ["figures", "picture.svg", "page.html", "by.tune"].map(|name| folder.file(name));
    let mut scale = ora(&["scale", "-t", "1,2", "-r", "1", "--svg"]);
    let table = run(scale
        .arg(&picture)
        .arg("--html")
        .arg(&page)
        .arg("--")
        .arg(&program)
        .arg(OsStr::from_bytes(b"<b>\x1b[m\xff")));
    assert!(table.status.success(), "{}", errors(&table));
    is_harmless(&table, "scale");
    for (file, own_scripts) in [(&picture, 0), (&page, 2)] {
        let written = fs::read_to_string(file).unwrap();
        let obeyed = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert_eq!(written.matches("<script").count(), own_scripts, "{written}");
        assert!(!written.contains("<b>") && !written.contains(obeyed), "{written}");
    }
    assert!(fs::read_to_string(&page).unwrap().contains("&lt;script&gt;"));
    let json = |words: &[&str], more: &[&OsStr]| {
        let output = run(ora(words).arg("-o").arg(&figures).args(more).arg("--").arg(&program));
        assert!(output.status.success(), "{words:?}: {}", errors(&output));
        is_harmless(&output, &format!("{words:?}"));
        serde_json::from_slice::<serde_json::Value>(&fs::read(&figures).unwrap()).unwrap();
    };
    json(&["scale", "-t", "1,2", "-r", "1", "--json"], &[]);
    json(&["tune", "-r", "2", "--max-runs", "8", "--json"], &[OsStr::new("--write"), settings.as_os_str()]);
    let mut tune = ora(&["tune", "-r", "2", "--max-runs", "8", "--write"]);
    let table = run(tune.arg(&settings).arg("--").arg(&program).env("OMP_NUM_THREADS", "2"));
    assert!(table.status.success(), "{}", errors(&table));
    is_harmless(&table, "tune");
    // File with settings that must not be accepted.
    fs::write(&settings, b"object \x1b[31m\xff -\nregion 0x1 0x2 threads=0\n\x1b]0;t\x07 region\n").unwrap();
    let ignored = run(ora(&["run", "--"]).arg(&program).env("ORA_TUNE", &settings));
    assert!(ignored.status.success() && errors(&ignored).contains("is ignored"), "{}", errors(&ignored));
    is_harmless(&ignored, "ORA_TUNE");
}

/// Replaces these bytes everywhere in a profile.
fn forge(profile: &Path, from: &[u8], to: &[u8]) {
    for process in fs::read_dir(profile).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in fs::read_dir(process).unwrap().map(|entry| entry.unwrap().path()) {
            let mut bytes = fs::read(&file).unwrap();
            let places: Vec<usize> =
                (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
            places.into_iter().for_each(|at| bytes[at..at + to.len()].copy_from_slice(to));
            fs::write(&file, bytes).unwrap();
        }
    }
}

#[test]
fn errors_show_names_and_do_not_obey_them() {
    let (folder, missing) = (Folder::new(), "/missing\x1b[31m\n\u{9b}");
    for command in COMMANDS.into_iter().chain([&["profile"][..], &["doctor", "--tool", missing]]) {
        let output = run(ora(command).current_dir(folder.file("")).arg("--").arg(missing));
        assert!(!output.status.success());
        is_harmless(&output, &format!("{command:?}"));
        assert!(errors(&output).contains("missing\\x1b[31m\\n\\u{9b}"), "{command:?}: {}", errors(&output));
    }
    for command in ["report", "decode"] {
        let output = run(ora(&[command]).arg(missing));
        is_harmless(&output, command);
        assert!(errors(&output).contains("missing\\x1b[31m\\n\\u{9b}"), "{command}: {}", errors(&output));
    }
}

/// `timeout` makes the test fail instead of hanging if a command waits.
fn in_time(words: &[&str], folder: &Folder, file: &Path) -> Output {
    let mut timeout = Command::new("timeout");
    let output = run(timeout.args(["60", crate::harness::ORA]).args(words).arg(file).current_dir(folder.file("")));
    assert_ne!(output.status.code(), Some(124), "{words:?} waits for ever");
    output
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_path_that_leads_to_a_pipe_or_a_device_is_not_waited_for() {
    let folder = Folder::new();
    // The program works long enough for samples: without them no file would be opened.
    let (program, profile) = (folder.program("replaced"), folder.file("profile"));
    run(ora(&["profile", "-o"]).arg(&profile).arg("--").arg(&program));
    fs::remove_file(&program).unwrap();
    assert!(Command::new("mkfifo").arg(&program).status().unwrap().success());
    assert!(in_time(&["report"], &folder, &profile).status.success());
    let doctor = in_time(&["doctor", "--"], &folder, &program);
    assert_eq!(doctor.status.code(), Some(2), "{}", errors(&doctor));
    assert!(errors(&doctor).contains("neither an ELF program nor a script"), "{}", errors(&doctor));
    fs::remove_file(&program).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &program).unwrap();
    assert!(in_time(&["report"], &folder, &profile).status.success());
    // The recordings themselves may also be pipes.
    let process =
        fs::read_dir(&profile).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
    for file in fs::read_dir(process).unwrap().map(|entry| entry.unwrap().path()) {
        fs::remove_file(&file).unwrap();
        assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    }
    assert!(!in_time(&["report"], &folder, &profile).status.success());
}

/// `Path::display` shows a name unchanged, even on a terminal.
#[test]
fn no_path_is_shown_without_a_look_at_its_name() {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut folders = vec![
        tools.join("ora/src"),
        tools.join("hang/src"),
        tools.join("diff/src"),
        tools.join("doctor/src"),
        tools.join("linking/src"),
        tools.join("scale/src"),
        tools.join("stat/analysis/src"),
        tools.join("top/src"),
        tools.join("tune/src"),
        tools.join("page/src"),
        tools.join("profile/analysis/src"),
        tools.join("race/analysis/src"),
        tools.join("symbols/src"),
        tools.join("terminal/src"),
        tools.join("validate/analysis/src"),
    ];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = fs::read_to_string(&path).unwrap();
            let product = source.split("#[cfg(test)]").next().unwrap();
            files += 1;
            // JSON contains names unchanged.
            let is_json = path.ends_with("profile/analysis/src/json/mod.rs");
            assert!(is_json || !product.contains(".display()"), "{path:?}: use `shown` of `terminal::printable`");
        }
    }
    assert!(files > 100, "{files}");
}
