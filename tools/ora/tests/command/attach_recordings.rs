//! `ora attach PID profile` and `ora attach PID trace`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use compat_tests::suite::first;
use serde_json::Value;

use crate::attach::{Running, attach, regions, wait_for_watching};
use crate::attach_cycles::cycles_of;
use crate::harness::{Folder, errors, hear_every_signal, ora, run, text};
use crate::skips;

/// Records a running program, for the number of seconds in `words`.
fn record(running: &Running, folder: &Folder, what: &str, words: &[&str]) -> Output {
    let place = folder.file(what);
    let _ = fs::remove_dir_all(&place);
    attach(running, &[&[what, "-o", place.to_str().unwrap()], words].concat())
}

/// Report on the recording.
fn report(folder: &Folder, what: &str, words: &[&str]) -> String {
    let output = run(ora(&["report", folder.file(what).to_str().unwrap()]).args(words));
    assert!(output.status.success(), "{}", errors(&output));
    text(&output)
}

/// Number of events of a trace, or of samples of a profile.
fn recorded(output: &Output) -> u64 {
    let says = errors(output);
    assert!(output.status.success(), "{says}");
    let words: Vec<&str> = says.split_whitespace().collect();
    let at = words.iter().position(|word| word.starts_with("event") || word.starts_with("sample")).expect(&says);
    words[at - 1].parse().unwrap()
}

/// Records until something is recorded: on a busy machine a program may not run for a while.
fn records_something(running: &Running, folder: &Folder, what: &str) -> bool {
    // A trace contains millions of events per second, all of which a report reads.
    let (seconds, times) = if what == "trace" { ("0.1", 60) } else { ("0.3", 20) };
    (0..times).any(|_| recorded(&record(running, folder, what, &["--seconds", seconds])) > 0)
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_profile_has_threads_and_regions_that_were_there_before() {
    let folder = Folder::new();
    let program = folder.compile("endless_region", "endless_region", &["-fopenmp", "-g"]);
    let running = Running::start(&program, &[]);
    let sees_all = |_| {
        record(&running, &folder, "profile", &["--seconds", "1"]);
        let report = report(&folder, "profile", &[]);
        ["work_in_the_region", "work_beside_it", "main  (parallel region at endless_region.c:"]
            .iter()
            .all(|name| report.contains(name))
    };
    assert!((0..10).any(sees_all), "{}", report(&folder, "profile", &[]));
    assert_eq!(running.end(), (Some(0), "over\n".to_owned()));
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_trace_has_the_regions_of_its_time() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["tasks"]);
    assert!(records_something(&running, &folder, "trace"));
    let object: Value = serde_json::from_str(&report(&folder, "trace", &["--json"])).unwrap();
    let process = &object["processes"][0];
    assert!(process["counts"]["regions"].as_u64().unwrap() > 0, "{process}");
    assert!(process["threads"].as_array().unwrap().len() <= 3, "the thread of ora is none of the program's: {process}");
    running.ends_as_before();
}

#[test]
#[ignore = "slow: --all runs it"]
fn recordings_and_collectors_follow_one_another() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["loops"]);
    for what in ["profile", "trace", "profile", "stat", "trace", "trace", "stat", "profile"] {
        if what == "stat" {
            assert!((0..20).any(|_| regions(&attach(&running, &["stat", "--seconds", "0.3", "--json"])) > 0));
        } else {
            assert!(records_something(&running, &folder, what), "{what}");
        }
    }
    running.ends_as_before();
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_refused_profile_leaves_the_other_session_alone() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["loops"]);
    assert!(records_something(&running, &folder, "profile"));
    let watching = started(&running, &folder, "stat");
    for _ in 0..2 {
        let refused = record(&running, &folder, "profile", &["--seconds", "0.1"]);
        assert_eq!(refused.status.code(), Some(1), "{}", errors(&refused));
        assert!(errors(&refused).contains("is being watched by ora already"), "{}", errors(&refused));
    }
    run(Command::new("kill").args(["-INT", &watching.id().to_string()]));
    assert!(watching.wait_with_output().unwrap().status.success());
    running.ends_as_before();
}

/// Number of timers of a process, and whether signals are pending.
fn leftovers(running: &Running) -> (usize, bool) {
    let file = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", running.pid())).unwrap_or_default();
    let timers = file("timers").lines().filter(|line| line.starts_with("ID")).count();
    let is_pending = |line: &&str| line.starts_with("SigPnd") || line.starts_with("ShdPnd");
    let status = file("status");
    let pending = status
        .lines()
        .filter(is_pending)
        .any(|line| line.trim_end_matches('0').ends_with(|c: char| c.is_ascii_hexdigit()));
    (timers, pending)
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_process_that_was_recorded_has_neither_threads_nor_files_nor_timers_of_ours() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["tight"]);
    thread::sleep(Duration::from_millis(100));
    let before = running.possessions();
    for what in ["profile", "trace"] {
        assert!(records_something(&running, &folder, what));
        // The thread ends after the recording has been written.
        let begun = Instant::now();
        while running.possessions() != before && begun.elapsed() < Duration::from_secs(10) {
            thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(running.possessions(), before);
        assert_eq!(leftovers(&running), (0, false));
        let maps = fs::read_to_string(format!("/proc/{}/maps", running.pid())).unwrap();
        assert!(!maps.contains(folder.file(what).to_str().unwrap()), "{maps}");
    }
    running.ends_as_before();
}

fn started(running: &Running, folder: &Folder, what: &str) -> Child {
    let mut command = ora(&["attach", &running.pid(), what, "-o", folder.file(what).to_str().unwrap()]);
    hear_every_signal(&mut command);
    let mut watching = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_watching(&mut watching);
    watching
}

#[test]
fn an_interrupted_recording_is_whole() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["tight"]);
    for what in ["profile", "trace"] {
        let watching = started(&running, &folder, what);
        thread::sleep(Duration::from_millis(300));
        run(Command::new("kill").args(["-INT", &watching.id().to_string()]));
        let output = watching.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        assert!(errors(&output).contains(&format!("the {what} is in")), "{}", errors(&output));
        report(&folder, what, &[]);
    }
    running.ends_as_before();
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_killed_recording_is_there_and_another_one_works() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["tight"]);
    for what in ["profile", "trace"] {
        let mut watching = started(&running, &folder, what);
        thread::sleep(Duration::from_millis(300));
        watching.kill().unwrap();
        watching.wait().unwrap();
        report(&folder, what, &[]);
        assert!(records_something(&running, &folder, what));
    }
    assert_eq!(leftovers(&running), (0, false));
    running.ends_as_before();
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_process_that_ends_while_it_is_recorded_leaves_a_whole_recording() {
    for what in ["profile", "trace"] {
        let folder = Folder::new();
        let running = Running::start(&folder.program("attached"), &["tight"]);
        let watching = started(&running, &folder, what);
        thread::sleep(Duration::from_millis(300));
        running.ends_as_before();
        let output = watching.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        report(&folder, what, &[]);
    }
}

#[test]
fn a_region_that_had_begun_before_is_marked_in_a_trace() {
    let folder = Folder::new();
    let running = Running::start(&folder.compile("lives", "lives", &["-g", "-fopenmp"]), &["barriers"]);
    assert!(records_something(&running, &folder, "trace"));
    let said = report(&folder, "trace", &[]);
    assert!(said.contains("in a region that had begun before the recording"), "{said}");
    let markers = folder.file("markers");
    report(&folder, "trace", &["--firefox", markers.to_str().unwrap()]);
    assert!(fs::read_to_string(markers).unwrap().contains("\"region begun before\""));
    let object: Value = serde_json::from_str(&report(&folder, "trace", &["--json"])).unwrap();
    assert!((1..=3).contains(&object["processes"][0]["threads_begun_before"].as_u64().unwrap()), "{object}");
    assert_eq!(running.end().0, Some(0));
}

#[test]
#[ignore = "slow: --all runs it"]
fn children_that_are_forked_meanwhile_are_left_out_and_can_be_attached_to() {
    let folder = Folder::new();
    let program = folder.program("forking_server");
    let mut command = Command::new(&program);
    command.env("OMP_WAIT_POLICY", "passive").stdin(Stdio::piped()).stdout(Stdio::piped());
    for &what in first(&["profile", "tasks", "trace", "stat"], 2) {
        let mut running = Running::begin(&mut command);
        let watching = started(&running, &folder, what);
        let (input, output) = running.ends();
        let (mut input, output) = (input, BufReader::new(output));
        input.write_all(b"x").unwrap();
        let child: u32 = output.lines().next().unwrap().unwrap().parse().unwrap();
        thread::sleep(Duration::from_millis(200));
        run(Command::new("kill").args(["-INT", &watching.id().to_string()]));
        assert!(watching.wait_with_output().unwrap().status.success());
        if matches!(what, "profile" | "trace") {
            assert_eq!(fs::read_dir(folder.file(what)).unwrap().count(), 1, "of one process");
        }
        // The collector of `ora tasks` is notified of tasks only, so it can't close the session that the child has inherited.
        let first = if what == "tasks" { "tasks" } else { "profile" };
        for other in [first, "stat", "trace", "tasks", "profile"] {
            if matches!(other, "stat" | "tasks") {
                let output = run(&mut ora(&["attach", &child.to_string(), other, "--seconds", "0.3"]));
                assert!(output.status.success(), "{what}, {other}: {}", errors(&output));
                continue;
            }
            let place = folder.file(&format!("{what}-{other}"));
            let words = ["attach", &child.to_string(), other, "--seconds", "0.5", "-o", place.to_str().unwrap()];
            assert!((0..20).any(|_| {
                let _ = fs::remove_dir_all(&place);
                recorded(&run(&mut ora(&words))) > 0
            }));
        }
        drop(input);
        assert!(running.wait().success());
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_program_with_handlers_for_the_signals_gets_another_one() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("endless_region"), &["handlers"]);
    let refused = record(&running, &folder, "profile", &["--seconds", "0.3"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(errors(&refused).contains("--signal 45"), "{}", errors(&refused));
    assert!(!folder.file("profile").exists(), "nothing was recorded");
    assert!(
        (0..20).any(|_| recorded(&record(&running, &folder, "profile", &["--seconds", "0.3", "--signal", "45"])) > 0)
    );
    assert_eq!(running.end(), (Some(0), "over\n".to_owned()));
}

#[test]
fn a_process_that_cannot_write_the_recording_says_so() {
    let folder = Folder::new();
    let program = folder.program("attached");
    let mut command = Command::new("sh");
    // The limit is so small that a profile can't start.
    command.args(["-c", "ulimit -f 64; exec \"$0\" tight"]).arg(&program);
    let running = Running::begin(&mut command);
    let refused = record(&running, &folder, "profile", &["--seconds", "0.3"]);
    assert_eq!(refused.status.code(), Some(1), "{}", errors(&refused));
    assert!(errors(&refused).contains("can't create a file"), "{}", errors(&refused));
    assert!(!folder.file("profile").exists(), "nothing was recorded");
    running.ends_as_before();
}

#[test]
fn options_of_other_watches_are_refused() {
    let refused = |words: &[&str], says: &str| {
        let output = run(ora(&["attach", "1"]).args(words));
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains(says), "{}", errors(&output));
    };
    refused(&["profile", "--json"], "--json goes with `stat` and `tasks`");
    refused(&["stat", "--rate", "50"], "--rate goes with `profile`");
    refused(&["trace", "--signal", "40"], "--signal goes with `profile`");
    refused(&["profile", "--events", "locks"], "--events goes with `trace`");
}

#[test]
#[ignore = "slow: --all runs it"]
fn profiles_of_many_cycles_leave_the_results_as_they_are() {
    for arguments in first(&[&["tight", "asleep"][..], &["forks"], &["nested"], &["teams"], &["tight"]], 2) {
        cycles_of(arguments, "profile");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn traces_of_many_cycles_leave_the_results_as_they_are() {
    for arguments in first(&[&["tasks"][..], &["locks"], &["loops"], &["sections"], &["taskloops"], &["teams"]], 3) {
        cycles_of(arguments, "trace");
    }
}

/// Clusters points with scikit-learn, which has its own libgomp, until stdin is closed.
const CLUSTERS: &str = "
import select, sys, numpy
from sklearn.cluster import KMeans
points = numpy.random.RandomState(1).rand(3000, 8)
first = KMeans(5, n_init=1, random_state=1).fit(points).labels_
rounds = wrong = 0
while not select.select([sys.stdin], [], [], 0)[0]:
    wrong += (KMeans(5, n_init=1, random_state=1).fit(points).labels_ != first).sum()
    rounds += 1
print('rounds: some, wrong:', wrong) if rounds else print('rounds: none')
";

#[test]
#[ignore = "slow: --all runs it"]
fn a_python_process_with_a_libgomp_of_its_own_is_recorded() {
    let Some(python) = skips::python() else { return };
    let folder = Folder::new();
    let mut command = Command::new(python);
    let running = Running::begin(command.args(["-c", CLUSTERS]).env("OMP_NUM_THREADS", "2"));
    for what in ["profile", "trace", "profile"] {
        assert!(records_something(&running, &folder, what), "{what}");
        report(&folder, what, &[]);
    }
    running.ends_as_before();
}
