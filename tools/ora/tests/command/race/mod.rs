//! `ora race` on programs that gcc has built with ThreadSanitizer: its findings, its exit codes, and its refusals.

mod kinds;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use compat_tests::requirements;
use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};
use crate::reference::document;
use crate::skips::has;

const OPTIONS: [&str; 4] = ["-g", "-Og", "-fopenmp", "-fsanitize=thread"];

/// Compiles a program with ThreadSanitizer. `None` without its library.
fn sanitized(folder: &Folder, to: &str, options: &[&str]) -> Option<PathBuf> {
    has(&requirements::GCC_TSAN).then(|| folder.compile("racy", to, &[&OPTIONS, options].concat()))
}

/// Compiles a program with clang's ThreadSanitizer. `None` without clang.
fn by_clang(folder: &Folder, name: &str, options: &[&str]) -> Option<PathBuf> {
    let clang = || folder.clang(name, name, &[&["-std=gnu11"], &OPTIONS[..], options].concat());
    has(&requirements::CLANG_TSAN).then(clang).flatten()
}

fn race(options: &[&str], program: &Path, arguments: &[&str]) -> Output {
    let mut command = ora(&["race"]);
    command.env_remove("TSAN_OPTIONS").env("OMP_NUM_THREADS", "4");
    run(command.args(options).arg("--").arg(program).args(arguments))
}

#[test]
fn a_race_is_reported_with_its_variable_its_lines_and_the_clause() {
    let folder = Folder::new();
    let Some(program) = sanitized(&folder, "racy", &[]) else { return };
    let output = race(&[], &program, &[]);
    assert_eq!((output.status.code(), text(&output)), (Some(66), "done\n".to_owned()), "{}", errors(&output));
    let report = errors(&output);
    for part in [
        "1 data race in '",
        "1. Data race on `sum`",
        "on a stack, declared at racy.c:16",
        "add_up at racy.c:19, thread ",
        "| sum += i;",
        "in the parallel region at racy.c:17",
        "likely        `reduction(+:sum)`, or `#pragma omp atomic`",
    ] {
        assert!(report.contains(part), "no `{part}` in:\n{report}");
    }
    assert!(!report.contains("ThreadSanitizer"), "{report}");
}

#[test]
fn a_program_whose_path_is_not_utf_8_keeps_the_names_of_its_variables() {
    let folder = Folder::new();
    let Some(program) = sanitized(&folder, "racy", &[]) else { return };
    let other = program.with_file_name(OsStr::from_bytes(b"racy\xff"));
    fs::copy(&program, &other).unwrap();
    let report = errors(&race(&[], &other, &[]));
    assert!(report.contains("1. Data race on `sum`") && report.contains("add_up at racy.c:19"), "{report}");
}

#[test]
fn a_program_without_a_race_is_acquitted_and_ends_as_it_does() {
    let folder = Folder::new();
    let Some(program) = sanitized(&folder, "clean", &["-DCLEAN"]) else { return };
    let output = race(&["--repeat", "3"], &program, &[]);
    assert_eq!((output.status.code(), text(&output)), (Some(0), "done\n".repeat(3)), "{}", errors(&output));
    assert!(errors(&output).contains("No data race was found in '"), "{}", errors(&output));
    assert!(errors(&output).contains("Watched: 3 runs; GNU libgomp"), "{}", errors(&output));
    assert_eq!(race(&[], &program, &["exit"]).status.code(), Some(3));
    assert_eq!(race(&[], &program, &["abort"]).status.signal(), Some(libc::SIGABRT));
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_exit_code_is_66_unless_the_user_wants_the_programs_or_knows_the_race() {
    let folder = Folder::new();
    let Some(program) = sanitized(&folder, "racy", &[]) else { return };
    assert_eq!(race(&[], &program, &["exit"]).status.code(), Some(66));
    assert_eq!(race(&["--exit-zero"], &program, &["exit"]).status.code(), Some(3));
    let known = folder.file("known.txt");
    fs::write(&known, "# seen in review\nplace:racy.c:19\nfunction:other\n").unwrap();
    let output = race(&["--suppressions", known.to_str().unwrap()], &program, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(errors(&output).contains("1 race was left out by the suppression place:racy.c:19"), "{}", errors(&output));
    fs::write(&known, "nonsense\n").unwrap();
    let output = race(&["--suppressions", known.to_str().unwrap()], &program, &[]);
    assert_eq!((output.status.code(), text(&output)), (Some(2), String::new()));
    assert!(errors(&output).contains("known.txt:1: `nonsense` is not a suppression"), "{}", errors(&output));
}

#[test]
fn a_program_in_which_no_race_can_be_found_is_refused_with_the_line_to_build_it_with() {
    let folder = Folder::new();
    let plain = folder.compile("racy", "plain", &["-fopenmp"]);
    let output = race(&[], &plain, &[]);
    assert_eq!((output.status.code(), text(&output)), (Some(125), String::new()));
    let message = errors(&output);
    assert!(message.contains("gcc -g -Og -fopenmp -fsanitize=thread plain.c -o plain"), "{message}");
    assert_eq!(race(&[], Path::new("/no/such/program"), &[]).status.code(), Some(127));
    let output = race(&[], Path::new("true"), &[]);
    assert_eq!(output.status.code(), Some(125));
    assert!(errors(&output).contains("nothing was checked"), "{}", errors(&output));
}

#[test]
fn a_script_and_the_programs_that_a_program_starts_are_watched() {
    let folder = Folder::new();
    let Some(program) = sanitized(&folder, "racy", &[]) else { return };
    let file = folder.file("out.json");
    let options = ["--json", "-o", file.to_str().unwrap()];
    let output = race(&options, Path::new("sh"), &["-c", "\"$0\" fork", program.to_str().unwrap()]);
    assert_eq!((output.status.code(), text(&output)), (Some(66), "done\ndone\n".to_owned()), "{}", errors(&output));
    let object: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let processes = object["runs"][0]["processes"].as_array().unwrap();
    let watched: BTreeSet<u64> = processes
        .iter()
        .filter(|process| process["reports"] != 0)
        .map(|process| process["pid"].as_u64().unwrap())
        .collect();
    assert_eq!(watched.len(), 2, "{processes:?}");
    // There is one pair of places, no matter in which process the race was.
    assert_eq!(object["races"].as_array().unwrap().len(), 1);
    assert_eq!(object["races"][0]["pids"].as_array().unwrap().len(), 2);
}

#[test]
fn the_json_has_races_and_runs() {
    let folder = Folder::new();
    let Some(program) = sanitized(&folder, "racy", &[]) else { return };
    let (file, sarif, known) = (folder.file("out.json"), folder.file("out.sarif"), folder.file("known"));
    fs::write(&known, "function:nobody\n").unwrap();
    let options = ["--json", "-o", file.to_str().unwrap(), "--sarif", sarif.to_str().unwrap()];
    let more = ["--threads", "2,3", "--suppressions", known.to_str().unwrap()];
    let output = race(&[&options[..], &more].concat(), &program, &[]);
    assert_eq!(output.status.code(), Some(66), "{}", errors(&output));
    let object = document(fs::read(&file).unwrap());
    assert_eq!((&object["schema"], &object["racy"]), (&Value::from("ora-race"), &Value::from(true)));
    assert_eq!(object["runs"][1]["omp_num_threads"], 3);
    let race = &object["races"][0];
    assert_eq!((&race["variable"]["name"], &race["accesses"][0]["stack"][0]["line"]), (&"sum".into(), &19.into()));
    assert_eq!(race["teams"], Value::from(vec![2, 3]));
    let sarif: Value = serde_json::from_str(&fs::read_to_string(&sarif).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "openmp-data-race");
}

#[test]
fn the_users_options_for_the_sanitizer_are_kept() {
    let folder = Folder::new();
    let Some(program) = sanitized(&folder, "racy", &[]) else { return };
    let mut command = ora(&["race", "--"]);
    command.env("TSAN_OPTIONS", "report_bugs=0").env("OMP_NUM_THREADS", "4");
    let output = run(command.arg(&program));
    assert_eq!(output.status.code(), Some(66), "{}", errors(&output));
    assert!(errors(&output).contains("report_bugs of TSAN_OPTIONS is overridden"), "{}", errors(&output));
    let mut command = ora(&["race", "--", "sh", "-c", "echo $TSAN_OPTIONS"]);
    command.env("TSAN_OPTIONS", "history_size=3");
    let shown = text(&run(&mut command));
    assert!(shown.trim_end().ends_with("history_size=3"), "{shown}");
}

#[test]
fn the_sanitizers_own_text_goes_to_the_file_that_the_user_names_and_else_nowhere() {
    let folder = Folder::new();
    let Some(program) = sanitized(&folder, "racy", &[]) else { return };
    let mut command = ora(&["race", "--"]);
    let path = folder.file("text");
    command.env("TSAN_OPTIONS", format!("log_path={}", path.display())).env("OMP_NUM_THREADS", "4");
    let output = run(command.arg(&program));
    assert_eq!(output.status.code(), Some(66), "{}", errors(&output));
    assert!(!errors(&output).contains("ThreadSanitizer"), "{}", errors(&output));
    let logs = fs::read_dir(path.parent().unwrap()).unwrap().flatten().map(|entry| entry.path());
    let log = logs.into_iter().find(|file| file.display().to_string().starts_with(&format!("{}.", path.display())));
    let log = fs::read_to_string(log.expect("a file of ThreadSanitizer's")).unwrap();
    assert!(log.contains("WARNING: ThreadSanitizer: data race") && log.contains("ThreadSanitizer: reported "), "{log}");
}

#[test]
fn a_sanitizer_that_is_preloaded_in_front_of_the_detector_is_named() {
    let folder = Folder::new();
    let Some(program) = sanitized(&folder, "racy", &[]) else { return };
    let library = Command::new("gcc").arg("-print-file-name=libtsan.so").output().unwrap();
    let script = format!("LD_PRELOAD={}:$LD_PRELOAD exec $0", text(&library).trim());
    let output = race(&[], Path::new("sh"), &["-c", &script, program.to_str().unwrap()]);
    let report = errors(&output);
    assert!(report.contains("could not be read"), "{report}");
    assert!(report.contains("ThreadSanitizer's library comes before libora_race.so"), "{report}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn races_of_a_program_by_clang_which_has_the_sanitizer_inside_are_found() {
    let folder = Folder::new();
    let Some(racy) = by_clang(&folder, "racy", &[]) else { return };
    let output = race(&[], &racy, &["exit"]);
    assert_eq!((output.status.code(), text(&output)), (Some(66), "done\n".to_owned()), "{}", errors(&output));
    let report = errors(&output);
    for part in
        ["Data race on `sum`", "add_up at racy.c:19, ", "in the parallel region at racy.c:17", "`reduction(+:sum)`"]
    {
        assert!(report.contains(part), "no `{part}` in:\n{report}");
    }
    assert_eq!(race(&["--exit-zero"], &racy, &["exit"]).status.code(), Some(3));
    // Its reports are on stderr if another program has started it.
    let output = race(&[], Path::new("sh"), &["-c", racy.to_str().unwrap()]);
    assert!(
        errors(&output).contains("ThreadSanitizer is linked into racy: its reports are on stderr"),
        "{}",
        errors(&output)
    );
}

#[test]
fn a_program_by_clang_without_a_race_is_acquitted_with_the_sanitizer_inside_and_beside() {
    let folder = Folder::new();
    let library = Command::new("clang-19").arg("-print-file-name=libclang_rt.tsan-x86_64.so").output();
    let beside = library.ok().map(|output| PathBuf::from(text(&output).trim())).filter(|path| path.is_file());
    let path = beside.as_deref().and_then(Path::parent).map(|folder| format!("-Wl,-rpath,{}", folder.display()));
    let shared = path.iter().map(|path| vec!["-shared-libsan", path]);
    for options in std::iter::once(Vec::new()).chain(shared) {
        for (name, arguments, code) in [("racy", &["exit"], 3), ("fib", &["12"], 7)] {
            let options = [&["-DCLEAN"], &options[..]].concat();
            let Some(program) = by_clang(&folder, name, &options) else { return };
            let output = race(&[], &program, arguments);
            assert_eq!(output.status.code(), Some(code), "{name} {options:?}: {}", errors(&output));
            assert!(errors(&output).contains("No data race was found"), "{name}: {}", errors(&output));
        }
    }
}

#[test]
fn what_others_have_put_into_the_folder_of_the_races_is_neither_written_nor_waited_for() {
    let folder = Folder::new();
    let Some(program) = sanitized(&folder, "racy", &[]) else { return };
    let (victim, temporary) = (folder.file("victim"), folder.file("tmp"));
    fs::write(&victim, "own").unwrap();
    fs::create_dir(&temporary).unwrap();
    // A program that creates links and pipes where its processes will write.
    let script =
        "umask 0; d=$ORA_RACE_DIR; stat -c %a $d >&2; mkfifo $d/1.jsonl; ln -s \"$1\" $d/$$.jsonl; exec \"$2\"";
    for planted in
        [script.to_owned(), script.replace("ln -s \"$1\" ", "ln \"$1\" "), script.replace("ln -s \"$1\"", "mkfifo")]
    {
        let mut command = Command::new("sh");
        command.args(["-c", "umask 000; exec \"$@\"", "sh"]).arg(crate::harness::ORA).args(["race", "--", "sh", "-c"]);
        command
            .arg(&planted)
            .arg("sh")
            .arg(&victim)
            .arg(&program)
            .env("OMP_NUM_THREADS", "4")
            .env("TMPDIR", &temporary);
        let output = run(command.env_remove("TSAN_OPTIONS"));
        assert!(errors(&output).contains("700\n"), "{}", errors(&output));
        assert!(
            errors(&output).contains("1.jsonl is left out of the races: not a regular file"),
            "{}",
            errors(&output)
        );
        assert_eq!(fs::read_to_string(&victim).unwrap(), "own", "{planted}");
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    }
}

#[test]
fn races_in_libraries_that_follow_each_other_at_one_address_have_the_names_of_each() {
    let folder = Folder::new();
    if !has(&requirements::GCC_TSAN) {
        return;
    }
    let library = |variable: &str, length: u32| {
        let words = [format!("-DVARIABLE={variable}"), format!("-DLENGTH={length}")];
        let options = [&OPTIONS[..], &["-shared", "-fPIC", &words[0], &words[1]]].concat();
        folder.compile("relay_part", &format!("lib{variable}.so"), &options)
    };
    let program = folder.compile("relay", "relay", &OPTIONS);
    let libraries = [("apples", 16), ("pears", 64), ("plums", 128)];
    let paths = libraries.map(|(variable, length)| library(variable, length));
    let output = race(&[], &program, &paths.each_ref().map(|path| path.to_str().unwrap()));
    let (bases, report) = (text(&output), errors(&output));
    assert!(bases.lines().count() == 3 && bases.lines().collect::<BTreeSet<_>>().len() < 3, "{bases}");
    assert!(report.contains("3 data races in '"), "{report}");
    for (variable, length) in libraries {
        let race = format!("Data race on `{variable}[{}]`", length - 1);
        assert!(report.contains(&race), "no {race} in {report}");
    }
}
