//! Death of `ora attach` by SIGKILL: the program continues, and can be attached to again.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use compat_tests::suite::whole_matrix;

use crate::attach::{Running, attach};
use crate::harness::{Folder, errors, ora};

/// Distance between the steps of an attachment at which it is killed.
fn stride() -> usize {
    if whole_matrix() { 1 } else { 9 }
}

/// More steps than an attachment has. On a busy machine it tries some threads in vain.
const MAX_STEPS: usize = 1_000;

/// Program whose threads execute their own code and system calls, some of which take long.
fn start(folder: &Folder, kind: &str) -> Running {
    Running::start(&folder.program("attached"), &[kind])
}

fn is_intact(running: Running, what: &str) {
    let again = attach(&running, &["--seconds", "0.05"]);
    assert!(again.status.success(), "{what}: {}", errors(&again));
    // Our threads end when they notice that ora is gone.
    running.ends_as_before();
}

/// Attaches until the process is killed at a step. Returns false if it ended before that.
fn killed_at(step: usize, running: &Running, killer: &str, words: &[&str]) -> bool {
    let mut command = ora(&["attach", &running.pid()]);
    command.args(words).env("LD_PRELOAD", killer).env("KILLED_AT", step.to_string());
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    status.signal() == Some(9)
}

#[test]
fn a_program_survives_the_death_of_ora_at_each_step() {
    let folder = Folder::new();
    let killer = folder.library("killed_at");
    let killer = killer.to_str().unwrap();
    for (kind, words) in [("tight", &["--seconds", "0.01"][..]), ("locks", &["tasks", "--seconds", "0.01"])] {
        let running = start(&folder, kind);
        // By then it has created all its threads.
        thread::sleep(Duration::from_millis(200));
        let before = running.possessions()[0];
        let killed =
            (1..MAX_STEPS).step_by(stride()).take_while(|step| killed_at(*step, &running, killer, words)).count();
        assert!(killed * stride() > 20, "{kind}: ora attach has only {killed} steps");
        let begun = Instant::now();
        while running.possessions()[0] > before && begun.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(running.possessions()[0], before, "{kind}: threads of ours stay");
        is_intact(running, kind);
    }
}

/// Busy processes, killed on drop.
struct Load(Vec<Child>);

impl Load {
    fn of(processes: usize) -> Self {
        let busy = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Self((0..processes).map(|_| busy()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_program_survives_the_death_of_ora_at_random_moments_on_a_busy_machine() {
    let kills: u32 = if whole_matrix() { 1_000 } else { 20 };
    let folder = Folder::new();
    let _load = Load::of(4);
    let mut running = start(&folder, "tight");
    for number in 0..kills {
        let mut attaching =
            ora(&["attach", &running.pid()]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Up to the duration of an attachment here, by a low-discrepancy sequence (Weyl).
        let part = f64::from(number) * 0.618_033_988_75 % 1.0;
        thread::sleep(Duration::from_secs_f64(0.25 * part));
        attaching.kill().unwrap();
        attaching.wait().unwrap();
        // A killed ora leaves little in the process, but that is not meant to accumulate hundreds of times.
        if number % 100 == 99 {
            is_intact(running, "after a hundred kills");
            running = start(&folder, "tight");
        }
    }
    is_intact(running, "at the end");
}
