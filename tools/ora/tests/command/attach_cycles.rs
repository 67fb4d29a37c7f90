//! Repeated `ora attach` on programs that check their own results, and the durations for which it stops a thread.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

use compat_tests::suite::whole_matrix;

use crate::attach::{Running, attach, regions};
use crate::attach_elsewhere::attached_on_llvms_runtime;
use crate::harness::{Folder, errors, ora, run};
use crate::skips;

/// Cycles of each kind of program: more than 100 in total, and more than 1,500 in the long gate.
fn wanted_cycles() -> u32 {
    if whole_matrix() { 101 } else { 6 }
}

/// Longest stop of a thread in a cycle, in milliseconds, as `ora` reports it.
#[derive(Clone, Copy)]
struct Stop {
    wall: f64,
    /// Waits for a processor: those of the stopped thread, and of `ora`.
    waits: [f64; 2],
    /// Time on a processor, of the thread and of `ora`.
    ran: [f64; 2],
}

impl Stop {
    fn of(says: &str) -> Option<Self> {
        let number =
            |word: &str| says.split_once(word)?.1.split_whitespace().next()?.trim_matches([',', ';', ':']).parse().ok();
        let waits = says.split_once("without a processor")?.1;
        let ran = waits.split_once("on a processor")?.1;
        let part = |says: &str, word: &str| -> Option<f64> {
            says.split_once(word)?.1.split_whitespace().next()?.trim_matches([',', ';']).parse().ok()
        };
        Some(Self {
            wall: number("was stopped for ")?,
            waits: [part(waits, "it ")?, part(waits, "ora ")?],
            ran: [part(ran, "it ")?, part(ran, "ora ")?],
        })
    }

    /// Time on a processor, of both together.
    fn work(&self) -> f64 {
        self.ran[0] + self.ran[1]
    }
}

/// Prints the times. There is no limit, because a busy machine may be slow.
fn print(name: &str, mut stops: Vec<Stop>) {
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    stops.sort_by(|one, other| one.wall.total_cmp(&other.wall));
    let longest = stops.last().unwrap();
    let work: Vec<f64> = stops.iter().map(Stop::work).collect();
    eprintln!(
        "CYCLES {name}: {} stops; ms: median {:.2}, longest {:.2} (of it without a processor: the thread {:.2}, ora {:.2}; on one: {:.2}, \
         {:.2}); work: median {:.2}, longest {:.2}",
        stops.len(),
        median(stops.iter().map(|stop| stop.wall).collect()),
        longest.wall,
        longest.waits[0],
        longest.waits[1],
        longest.ran[0],
        longest.ran[1],
        median(work.clone()),
        work.into_iter().fold(0.0, f64::max),
    );
}

/// Attaches to a program repeatedly; the program then has to end with the correct results.
pub(crate) fn cycles_of(arguments: &[&str], what: &str) {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), arguments);
    cycles_on(running, &folder, arguments, what);
}

/// Like [`cycles_of`], for a running program.
fn cycles_on(running: Running, folder: &Folder, arguments: &[&str], what: &str) {
    let recording = folder.file("recording");
    let is_recording = matches!(what, "profile" | "trace");
    let last: &[&str] = if is_recording { &["-o", recording.to_str().unwrap()] } else { &["--json"] };
    let mut stops = Vec::new();
    for cycle in 0..wanted_cycles() {
        let attempt = || {
            let _ = std::fs::remove_dir_all(&recording);
            attach(&running, &[&[what, "--seconds", "0.02"], last].concat())
        };
        let mut output = attempt();
        // Threads that end all the time may be out of reach: the refusal is harmless, and the next attempt succeeds.
        for _ in 0..if arguments == ["teams"] { 5 } else { 0 } {
            if output.status.success() {
                break;
            }
            output = attempt();
        }
        assert!(output.status.success(), "cycle {cycle}: {}", errors(&output));
        stops.extend(Stop::of(&errors(&output)));
    }
    assert!(!stops.is_empty(), "no stop has a time");
    print(&format!("{what} {}", arguments.join(" ")), stops);
    if what == "stat" {
        // On a busy machine a region of three threads may take longer than that.
        let sees = |_| regions(&attach(&running, &["--seconds", "0.5", "--json"])) > 0;
        assert!((0..20).any(sees), "the last cycles have seen nothing");
    }
    running.ends_as_before();
}

#[test]
fn tight_regions_go_on_through_many_cycles() {
    cycles_of(&["tight"], "stat");
}

#[test]
fn tasks_go_on_through_many_cycles() {
    cycles_of(&["tasks"], "tasks");
}

#[test]
#[ignore = "slow: --all runs it"]
fn nested_regions_with_an_allocator_go_on_through_many_cycles() {
    cycles_of(&["nested"], "stat");
}

#[test]
#[ignore = "slow: --all runs it"]
fn locks_go_on_through_many_cycles() {
    cycles_of(&["locks"], "stat");
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_program_that_forks_goes_on_through_many_cycles() {
    cycles_of(&["forks"], "stat");
}

#[test]
#[ignore = "slow: --all runs it"]
fn loops_go_on_through_many_cycles() {
    cycles_of(&["loops"], "stat");
}

#[test]
#[ignore = "slow: --all runs it"]
fn sections_go_on_through_many_cycles() {
    cycles_of(&["sections"], "stat");
}

#[test]
fn taskloops_and_dependences_go_on_through_many_cycles() {
    cycles_of(&["taskloops"], "tasks");
}

#[test]
#[ignore = "slow: --all runs it"]
fn teams_of_short_threads_go_on_through_many_cycles() {
    cycles_of(&["teams"], "stat");
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_sleeping_first_thread_and_many_short_ones_go_on_through_many_cycles() {
    cycles_of(&["tight", "asleep"], "stat");
}

#[test]
#[ignore = "slow: --all runs it"]
fn regions_under_a_storm_of_signals_go_on_through_many_cycles() {
    cycles_of(&["tight", "signals"], "stat");
}

#[test]
fn tasks_under_a_storm_of_signals_go_on_through_many_cycles() {
    cycles_of(&["tasks", "signals"], "tasks");
}

#[test]
#[ignore = "slow: --all runs it"]
fn forks_under_a_storm_of_signals_go_on_through_many_cycles() {
    cycles_of(&["forks", "signals"], "stat");
}

#[test]
#[ignore = "slow: --all runs it"]
fn programs_on_standby_on_llvms_runtime_go_on_through_many_cycles() {
    let folder = Folder::new();
    let Some(program) = attached_on_llvms_runtime(&folder) else { return };
    for (kind, what) in [("tight", "stat"), ("tasks", "tasks"), ("locks", "profile")] {
        let running = Running::begin_on(ora(&["run", "--standby", "--"]).arg(&program).arg(kind), "libomp");
        cycles_on(running, &folder, &[kind], what);
    }
}

#[test]
fn a_forking_server_and_its_workers_go_on_through_many_cycles() {
    let folder = Folder::new();
    let mut command = Command::new(folder.program("forking_server"));
    command.env("OMP_WAIT_POLICY", "passive").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = Running::begin(&mut command);
    let (mut input, output) = running.ends();
    let mut output = BufReader::new(output).lines();
    let mut stops = Vec::new();
    let mut worker = || {
        input.write_all(b"x").unwrap();
        output.next().unwrap().unwrap()
    };
    let processes = [running.pid(), worker(), worker()];
    for (cycle, process) in (0..wanted_cycles()).zip(processes.iter().cycle()) {
        let mut ora = ora(&["attach", process, "--seconds", "0.02", "--json"]);
        let output: Output = run(ora.env("ORA_ATTACH_TIMES", "1"));
        assert!(output.status.success(), "cycle {cycle}: {}", errors(&output));
        stops.extend(Stop::of(&errors(&output)));
    }
    print("stat forking server", stops);
    drop(input);
    assert!(running.wait().success(), "a worker has a wrong result");
}

/// Fits models until stdin is closed, and compares each with the first one.
const MODELS: &str = "
import select, sys
import numpy
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingRegressor
numbers = numpy.random.RandomState(1)
points, values = numbers.rand(600, 4), numbers.rand(600)
def fitted():
    clusters = KMeans(3, n_init=1, max_iter=5, random_state=0).fit(points).labels_
    trees = HistGradientBoostingRegressor(max_iter=3, random_state=0).fit(points, values).predict(points)
    return clusters, trees
first, rounds, wrong = fitted(), 0, 0
print('ready', flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    clusters, trees = fitted()
    wrong += not ((clusters == first[0]).all() and (trees == first[1]).all())
    rounds += 1
print('rounds: %s, wrong: %d' % ('some' if rounds else 'none', wrong))
";

#[test]
fn python_with_scikit_learn_goes_on_through_many_cycles() {
    if !whole_matrix() {
        return skips::skip("a long run has cycles on scikit-learn");
    }
    let Some(python) = skips::python() else { return };
    let mut running = Running::begin(Command::new(python).args(["-c", MODELS]).env("OMP_NUM_THREADS", "2"));
    let (input, output) = running.ends();
    let mut output = BufReader::new(output).lines();
    assert_eq!(output.next().unwrap().unwrap(), "ready");
    let (mut stops, mut seen) = (Vec::new(), 0);
    for cycle in 0..wanted_cycles() {
        // The garbage collector and imports sometimes hold locks.
        let attempt = |_| {
            let output = attach(&running, &["--seconds", "0.1", "--json"]);
            let is_refused = errors(&output).contains("Try again");
            (!is_refused).then_some(output)
        };
        let output = (0..5).find_map(attempt).expect("no thread is ever at a safe moment");
        assert!(output.status.success(), "cycle {cycle}: {}", errors(&output));
        stops.extend(Stop::of(&errors(&output)));
        seen += regions(&output);
    }
    print("stat python", stops);
    assert!(seen > 0, "no region was seen");
    drop(input);
    assert_eq!(output.next().unwrap().unwrap(), "rounds: some, wrong: 0");
    assert!(running.wait().success());
}
