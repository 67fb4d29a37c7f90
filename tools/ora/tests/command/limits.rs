//! Limits set by the shell (`ulimit`), and full disks.

use std::cell::Cell;
use std::fs;
use std::io::{BufRead as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use compat_tests::requirements;
use profile_format::simulated::Simulated;
use rustix::fs::{OFlags, fcntl_setfl};

use crate::harness::{Folder, ORA, errors, ora, run, text};
use crate::skips::has;

/// Runs a command under a limit.
fn under(limit: &str, command: &str) -> Output {
    run(Command::new("bash").args(["-c", &format!("ulimit {limit} && {command}")]))
}

#[test]
fn a_limit_on_files_is_told_or_goes_unnoticed() {
    for command in ["stat", "tasks", "validate"] {
        // The program has the limit that the user has set.
        let output = under("-S -f 8", &format!("exec {ORA} {command} -- bash -c 'ulimit -f; exit 3'"));
        assert_eq!((output.status.code(), text(&output).lines().next()), (Some(3), Some("8")), "{}", errors(&output));
        let output = under("-f 8", &format!("exec {ORA} {command} -- echo ran"));
        assert_eq!((output.status.code(), text(&output)), (Some(125), String::new()), "{}", errors(&output));
        assert!(errors(&output).contains("ulimit -H -f"), "{}", errors(&output));
    }
}

#[test]
fn a_table_that_finds_no_room_is_told() {
    let folder = Folder::new();
    let table = folder.file("table");
    for command in ["stat", "tasks"] {
        let line = format!("exec {ORA} {command} -o {} -- echo ran", table.display());
        let output = under("-S -f 0", &line);
        assert_eq!((output.status.code(), text(&output)), (Some(125), "ran\n".to_owned()), "{}", errors(&output));
        assert!(errors(&output).contains("cannot write to"), "{}", errors(&output));
    }
}

#[test]
fn small_limits_leave_the_program_as_it_is() {
    let folder = Folder::new();
    let program = folder.program("endings");
    let (program, table) = (program.display(), folder.file("table"));
    for limit in ["-n 20", "-s 256", "-i 0", "-l 0", "-c 0"] {
        let bare = under(limit, &format!("exec {program} exit"));
        for command in ["stat", "tasks"] {
            let output = under(limit, &format!("exec {ORA} {command} -o {} -- {program} exit", table.display()));
            assert_eq!((output.status, &output.stdout), (bare.status, &bare.stdout), "{limit}: {}", errors(&output));
        }
    }
    // Enough descriptors for the program, but too few for `ora` to start it.
    let output = under("-n 5", &format!("exec {ORA} stat -- {program} exit"));
    assert!(output.status.code() != Some(126) || errors(&output).contains("ulimit -n"), "{}", errors(&output));
}

/// Profile with this many samples, of a program that never ran.
fn profile_of(folder: &Folder, samples: u32) -> PathBuf {
    let mut file = Simulated::new();
    let stack = file.stack(&[1400, 1100]);
    for _ in 0..samples {
        file.sample(0, 0, 2, stack);
    }
    let process = folder.file("profile/pid-1");
    fs::create_dir_all(&process).unwrap();
    fs::write(process.join(profile_format::FILE), file.bytes).unwrap();
    folder.file("profile")
}

#[test]
fn a_report_that_gets_no_memory_says_so() {
    let folder = Folder::new();
    let profile = profile_of(&folder, 300_000);
    let mut refused = 0;
    for kilobytes in (20_000..=80_000).step_by(10_000) {
        let line = format!("exec {ORA} report --no-pager {}", profile.display());
        let output = under(&format!("-v {kilobytes}"), &line);
        let said = errors(&output);
        match output.status.code() {
            Some(0) => {}
            Some(125) => {
                assert!(
                    said.ends_with("ora: out of memory. Raise the limit (ulimit -v, or that of the container)\n"),
                    "{said}"
                );
                refused += 1;
            }
            Some(2) => assert!(said.starts_with("ora: cannot read "), "{said}"),
            _ => panic!("{kilobytes} kB: {}: {said}", output.status),
        }
    }
    assert!(refused > 0);
}

/// The output of the report is a full pipe, so that it would wait forever.
#[test]
fn the_summary_of_a_profile_ends_with_the_command_that_waits_for_it() {
    let folder = Folder::new();
    let profile = profile_of(&folder, 100);
    let (_reader, mut writer) = std::io::pipe().unwrap();
    fcntl_setfl(&writer, OFlags::NONBLOCK).unwrap();
    while writer.write(&[0; 4096]).is_ok() {}
    fcntl_setfl(&writer, OFlags::empty()).unwrap();
    let line = format!("{ORA} report --summary $$ {} & echo $! >&2; wait", profile.display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).stdout(writer).stderr(Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    let mut number = String::new();
    std::io::BufReader::new(shell.stderr.take().unwrap()).read_line(&mut number).unwrap();
    let state = || {
        let status = fs::read_to_string(format!("/proc/{}/status", number.trim())).unwrap_or_default();
        let state = status.lines().find_map(|line| line.strip_prefix("State:\t"));
        state.and_then(|state| state.chars().next())
    };
    // Waits until it writes, or is about to.
    let waited = Cell::new(0);
    eventually(|| {
        waited.set(if state() == Some('S') { waited.get() + 1 } else { 0 });
        waited.get() > 20
    });
    shell.kill().unwrap();
    shell.wait().unwrap();
    eventually(|| matches!(state(), None | Some('Z')));
    // Its parent has already ended.
    let output = run(ora(&["report", "--summary", "1"]).arg(&profile));
    assert_eq!((output.status.code(), text(&output)), (Some(125), String::new()));
}

/// Waits until the condition is true, which takes less than ten seconds.
fn eventually(is_true: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_true() {
        assert!(begun.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Nested tasks take more stack while they are watched.
#[test]
fn a_program_that_runs_out_of_stack_is_told_of_it() {
    let folder = Folder::new();
    let program = folder.program("deep_tasks");
    for command in ["stat", "tasks"] {
        let output = under("-s 1024", &format!("exec {ORA} {command} -- {} 1000000", program.display()));
        assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{}", errors(&output));
        // Lines are wrapped at the width of the terminal.
        let said = errors(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("(OMP_STACKSIZE=64M of libgomp and libomp)"), "{said}");
        let output = under("-s 1024", &format!("exec {ORA} {command} -- {} 100", program.display()));
        assert!(output.status.success() && !errors(&output).contains("ulimit -s"), "{}", errors(&output));
    }
}

/// ThreadSanitizer keeps the call stack where a mutex, or a block of memory, is used first.
#[test]
fn race_takes_memory_for_nested_tasks_in_proportion_to_their_number() {
    let folder = Folder::new();
    if !has(&requirements::GCC_TSAN) {
        return;
    }
    let program = folder.compile("deep_tasks", "deep_tasks", &["-g", "-fopenmp", "-fsanitize=thread"]);
    let [fewer, more] = ["2500", "5000"].map(|tasks| {
        let output = under("-s 65536", &format!("exec {ORA} race -- {} {tasks}", program.display()));
        assert!(output.status.success(), "{}", errors(&output));
        text(&output).trim().parse::<u64>().unwrap()
    });
    // Twice as much; a stack of each task takes 440 MB more.
    assert!(more < 3 * fewer, "{fewer} kB for 2,500 tasks, {more} kB for 5,000");
}

/// Largest number in a document.
fn largest(value: &serde_json::Value) -> f64 {
    use serde_json::Value::{Array, Number, Object};
    match value {
        Array(all) => all.iter().map(largest).fold(0.0, f64::max),
        Object(all) => all.values().map(largest).fold(0.0, f64::max),
        Number(number) => number.as_f64().map_or(0.0, f64::abs),
        _ => 0.0,
    }
}

/// The machine's clock is set during the run: no time may be measured with it. An hour has more nanoseconds than the bound.
#[test]
fn steps_of_the_wall_clock_change_no_time() {
    let folder = Folder::new();
    let (program, steps, file) = (folder.program("regions"), folder.library("steps"), folder.file("out.json"));
    for command in ["stat", "tasks"] {
        let mut ora = crate::harness::ora(&[command, "--json", "-o"]);
        let output = run(ora.arg(&file).arg("--").arg(&program).env("LD_PRELOAD", &steps));
        assert!(output.status.success(), "{}", errors(&output));
        let document: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        assert!((1.0..1e12).contains(&largest(&document)), "{document:#}");
    }
}
