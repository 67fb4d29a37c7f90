//! `ora top`: its screen on a terminal, its text, and its JSON.

use std::fs;
use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::attach::Running;
use crate::harness::{Folder, errors, json, ora, run, text};
use crate::reference::document;
use crate::terminal::{resize, start_on, terminal};
use crate::terminal_picture::Screen;

fn attached(folder: &Folder, words: &[&str]) -> Running {
    Running::start(&folder.compile("attached", "attached", &["-fopenmp", "-g"]), words)
}

fn top(words: &[&str]) -> Command {
    ora(&[&["top", "--interval", "0.2"], words].concat())
}

#[test]
fn the_screen_shows_a_process_and_each_of_its_parts() {
    let folder = Folder::new();
    let running = attached(&folder, &["tight"]);
    let mut screen = Screen::of(&mut top(&[&running.pid()]));
    screen.shows(&[
        "threads 3",
        "processors used",
        "efficiency",
        "waits: ",
        "initial",
        "worker",
        "tight at attached.c:",
    ]);
    assert!(screen.text().lines().count() <= 24 && screen.text().contains("q quit"), "{}", screen.text());
    screen.press("\r");
    screen.shows(&["gain by even shares", "largest team", "tight at attached.c:"]);
    screen.press("\x1b");
    screen.shows(&["by time"]);
    screen.press("\t\r");
    screen.shows(&[&format!("thread {}", running.pid()), "ready, without one", "implicit barrier"]);
    screen.press("\x1b");
    screen.shows(&["by time"]);
    screen.press("s");
    screen.shows(&["by count"]);
    screen.press("t");
    screen.shows(&["total "]);
    screen.press(" ");
    screen.shows(&["PAUSED"]);
    screen.press("?");
    screen.shows(&["Bars: a thread's time", "explicit barrier"]);
    screen.press("q");
    assert_eq!(screen.ends(), Some(0));
    assert!(screen.text().contains("work is what remains"), "{}", screen.text());
    running.ends_as_before();
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_terminal_is_restored_by_ctrl_c_by_a_signal_and_by_the_process_that_ends() {
    let folder = Folder::new();
    for ending in ["key", "signal", "end"] {
        let running = attached(&folder, &["tight"]);
        let mut screen = Screen::of(&mut top(&[&running.pid()]));
        screen.shows(&["tight at"]);
        match ending {
            "key" => screen.press("\x03"),
            "signal" => _ = run(Command::new("kill").arg(screen.child.id().to_string())),
            _ => {}
        }
        if ending == "end" {
            running.ends_as_before();
            assert_eq!(screen.ends(), Some(0), "{ending}");
        } else {
            assert_eq!(screen.ends(), Some(0), "{ending}");
            running.ends_as_before();
        }
    }
}

#[test]
fn a_terminal_that_goes_away_ends_it_and_leaves_the_process() {
    let folder = Folder::new();
    let running = attached(&folder, &["tight"]);
    let (mut hand, path) = terminal();
    resize(&hand, 80, 24);
    let mut child = start_on(&path, top(&[&running.pid()]).env("TERM", "xterm").stderr(Stdio::null()));
    let (mut shown, mut some) = (String::new(), [0; 4096]);
    while !shown.contains("efficiency") {
        let count = hand.read(&mut some).unwrap();
        shown.push_str(&String::from_utf8_lossy(&some[..count]));
    }
    drop(hand);
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("it goes on without a terminal");
        }
        thread::sleep(Duration::from_millis(10));
    }
    running.ends_as_before();
}

#[test]
#[ignore = "slow: --all runs it"]
fn colours_are_left_out_with_no_color() {
    let folder = Folder::new();
    let running = attached(&folder, &["tight"]);
    for (has_colour, variable) in [(true, None), (false, Some("1"))] {
        let mut command = top(&[&running.pid()]);
        command.envs(variable.map(|value| ("NO_COLOR", value)));
        let mut screen = Screen::of(&mut command);
        screen.shows(&["tight at"]);
        screen.press("q");
        screen.ends();
        let shown = String::from_utf8_lossy(&screen.raw).into_owned();
        let coloured = ["[33m", "[38;5;3m", ";33m", ";5;3m"].iter().any(|code| shown.contains(code));
        assert_eq!(coloured, has_colour, "{shown:?}");
    }
    running.ends_as_before();
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_programs_output_comes_after_the_screen_and_q_interrupts_it() {
    let folder = Folder::new();
    let regions = folder.program("regions");
    let mut screen = Screen::of(top(&["--"]).arg(&regions).args(["300000", "5"]));
    screen.shows(&["processors used", "regions"]);
    assert!(!screen.text().contains("600000"));
    assert_eq!(screen.ends(), Some(5));
    assert!(String::from_utf8_lossy(&screen.raw).contains("600000"), "{}", screen.text());
    let mut screen = Screen::of(top(&["--"]).arg(folder.program("endings")).arg("hang"));
    screen.shows(&["processors used"]);
    screen.press("q");
    // The signal kills the program, and `ora` ends in the same way.
    assert_eq!(screen.ends(), None);
}

#[test]
fn a_terminal_without_a_size_shows_a_screen_of_the_usual_one() {
    let folder = Folder::new();
    let running = attached(&folder, &["tight"]);
    let mut screen = Screen::sized(&mut top(&[&running.pid()]), 0, 0);
    screen.shows(&["processors used", "regions"]);
    screen.press("q");
    assert_eq!(screen.ends(), Some(0));
    running.ends_as_before();
}

/// Lines of `ora top --json`.
fn lines(output: &str) -> Vec<Value> {
    output.lines().map(document).collect()
}

fn counts(of: &Value) -> [u64; 4] {
    let number = |value: &Value| value.as_u64().unwrap();
    [
        number(&of["regions_total"]["count"]),
        number(&of["waits"]["implicit_barrier"]),
        number(&of["regions"][0]["count"]),
        number(&of["threads"][0]["waits"]["implicit_barrier"]),
    ]
}

#[test]
fn the_intervals_add_up_to_what_stat_says_of_the_whole_run() {
    let folder = Folder::new();
    let (program, file) = (folder.program("regions"), folder.file("lines"));
    let mut command = ora(&["top", "--json", "--interval", "0.05", "-o", file.to_str().unwrap(), "--"]);
    let output = run(command.arg(&program).args(["20000", "5"]));
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(5), "40000\n"), "{}", errors(&output));
    let lines = lines(&fs::read_to_string(&file).unwrap());
    let (last, earlier) = lines.split_last().unwrap();
    assert!(last["last"] == true && earlier.iter().all(|line| line["last"] == false) && !earlier.is_empty());
    let total = &last["processes"][0]["total"];
    let stat = json(&[], &program, &["20000", "5"]);
    let wanted = counts(&stat["runs"][0]["processes"][0]);
    assert_eq!((counts(total), wanted[0]), (wanted, 20_000));
    let mut sums = [0; 4];
    for line in &lines {
        let interval = &line["processes"][0]["interval"];
        if interval["regions"].as_array().is_some_and(|regions| !regions.is_empty()) {
            sums.iter_mut().zip(counts(interval)).for_each(|(sum, count)| *sum += count);
        }
    }
    assert_eq!(sums, wanted);
    let times: u64 = lines.iter().map(|line| line["interval_ns"].as_u64().unwrap()).sum();
    assert_eq!(times, last["at_ns"].as_u64().unwrap());
}

/// The time of living threads in the scheduler's states adds up, and does not exceed the interval.
#[test]
#[ignore = "slow: --all runs it"]
fn a_living_threads_time_is_split_up_to_the_moment_of_the_look() {
    let folder = Folder::new();
    let running = attached(&folder, &["tight"]);
    let output = run(&mut top(&[&running.pid(), "--json", "-n", "4"]));
    let lines = lines(&text(&output));
    assert_eq!(lines.len(), 4, "{}", errors(&output));
    for line in &lines[1..] {
        let interval = &line["processes"][0]["interval"];
        let number = |value: &Value, key: &str| value[key].as_u64().unwrap();
        for thread in interval["threads"].as_array().unwrap() {
            assert_eq!(number(thread, "unknown_ns"), 0, "{thread}");
            assert!(number(thread, "running_ns") > 0, "{thread}");
        }
        assert_eq!(interval["end"], "running");
    }
    running.ends_as_before();
}

#[test]
#[ignore = "slow: --all runs it"]
fn text_has_a_block_for_each_look_and_the_table_at_the_end() {
    let folder = Folder::new();
    let running = attached(&folder, &["tasks"]);
    let output = run(&mut top(&[&running.pid(), "-n", "2"]));
    let shown = text(&output);
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(shown.matches("OpenMP threads alive").count(), 2, "{shown}");
    assert_eq!(shown.matches("OpenMP statistics for").count(), 1, "{shown}");
    assert!(shown.contains("taskwait") && shown.contains("tasks at attached.c:"), "{shown}");
    let (looks, _) = shown.split_once("OpenMP statistics for").unwrap();
    let ended: Vec<&str> = looks.lines().filter(|line| line.ends_with("  ended")).collect();
    assert!(ended.is_empty(), "its threads live: {ended:?}");
    running.ends_as_before();
}

#[test]
fn a_process_under_stat_is_looked_at_as_it_is() {
    let folder = Folder::new();
    let program = folder.compile("attached", "attached", &["-fopenmp", "-g"]);
    let mut command = ora(&["stat", "--"]);
    let stat = command.arg(&program).arg("tight").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut stat = stat.spawn().unwrap();
    let child = child_of(stat.id(), "attached");
    let threads = || fs::read_dir(format!("/proc/{child}/task")).unwrap().count();
    let begun = Instant::now();
    while threads() < 3 {
        assert!(begun.elapsed() < Duration::from_secs(20));
        thread::sleep(Duration::from_millis(5));
    }
    let output = run(&mut top(&[&child.to_string(), "--json", "-n", "2"]));
    let found = lines(&text(&output));
    assert_eq!(found.len(), 2, "{}", errors(&output));
    assert!(counts(&found[1]["processes"][0]["interval"])[0] > 0);
    assert!(counts(&found[1]["processes"][0]["total"])[0] > counts(&found[1]["processes"][0]["interval"])[0]);
    assert_eq!(threads(), 3, "something was attached");
    drop(stat.stdin.take());
    let output: Output = stat.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), "rounds: some, wrong: 0\n"));
    assert!(errors(&output).contains("parallel regions"), "{}", errors(&output));
}

/// The child that runs a program of this name. A command has others before that, which read the program's files for it.
fn child_of(pid: u32, name: &str) -> u32 {
    let begun = Instant::now();
    let runs = |child: &&str| fs::read_to_string(format!("/proc/{child}/comm")).is_ok_and(|found| found.trim() == name);
    loop {
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        if let Some(child) = children.split_whitespace().find(runs) {
            return child.parse().unwrap();
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "no child");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn processes_are_found_by_their_names_and_listed() {
    let folder = Folder::new();
    let program = folder.compile("attached", "named_for_top", &["-fopenmp"]);
    let running = Running::start(&program, &["tight"]);
    let output = run(&mut top(&["named_for_top", "--json", "-n", "1"]));
    assert_eq!(lines(&text(&output))[0]["processes"][0]["pid"].to_string(), running.pid(), "{}", errors(&output));
    let output = run(&mut top(&["--json", "-n", "1"]));
    let listed = lines(&text(&output));
    let found = listed[0]["processes"].as_array().unwrap().iter().find(|one| one["pid"] == running.id());
    assert_eq!((&found.unwrap()["watched"], &found.unwrap()["library"]), (&Value::from(false), &Value::from(true)));
    let mut screen = Screen::of(&mut top(&[]));
    screen.shows(&["processes with OpenMP", "command"]);
    screen.press("q");
    assert_eq!(screen.ends(), Some(0));
    let second = Running::start(&program, &["tight"]);
    for (words, says) in [
        (&["named_for_top", "-n", "1"][..], "several processes run named_for_top"),
        (&["no_such_program", "-n", "1"], "ora top -- no_such_program"),
        (&["4194303", "-n", "1"], "there is no process"),
        (&[], "--batch"),
    ] {
        let output = run(&mut top(words));
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(errors(&output).contains(says), "{words:?}: {}", errors(&output));
    }
    second.ends_as_before();
    running.ends_as_before();
}
