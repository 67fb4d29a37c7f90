//! `ora profile`: attribution of time. The program itself has measured how much time there was.

use profile_format::{Moment, Sample};
use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};
use crate::profile_read::{Seen, seen};

const WORK: u32 = 2;
const EBAR: u32 = 4;

/// Run of `programs/charged.c`, which doesn't spin while it waits. Times are in seconds.
struct Run {
    process: Seen,
    code: std::ops::Range<u64>,
    worked: f64,
    waited: f64,
    cpu: f64,
}

impl Run {
    fn of(how: &str, rate: &str, options: &[&str]) -> Self {
        let folder = Folder::new();
        let (program, to) = (folder.compile("charged", "charged", &["-O2", "-fopenmp"]), folder.file("profile"));
        let mut command = ora(&["profile", "-F", rate, "-o"]);
        command.arg(&to).args(options).arg("--").arg(&program).arg(how).env("OMP_WAIT_POLICY", "passive");
        let output = run(&mut command);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let said = text(&output);
        let words: Vec<&str> = said.split_whitespace().collect();
        let address = |word: &str| u64::from_str_radix(&word[2..], 16).unwrap();
        let number = |word: &str| word.parse::<f64>().unwrap();
        Self {
            process: seen(&to).remove(0),
            code: address(words[0])..address(words[1]),
            worked: number(words[2]),
            waited: number(words[3]),
            cpu: number(words[4]),
        }
    }

    /// Sum over all samples.
    fn sum(&self, of: impl Fn(&Sample) -> u64) -> f64 {
        self.process.samples().map(of).sum::<u64>() as f64 / 1e9
    }

    fn sampled_cpu(&self) -> f64 {
        self.sum(|sample| sample.cpu_ns)
    }
}

fn near(found: f64, truth: f64, within: f64) {
    assert!((found - truth).abs() <= within * truth, "{found}, should be {truth}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn threads_that_live_shorter_than_a_period_have_their_share() {
    let run = Run::of("teams", "200", &[]);
    assert!(run.process.threads.len() > 300, "{}", run.process.threads.len());
    let by_events = run.process.info("timer") == "perf";
    // Timers have the bounds of the next test.
    near(run.sampled_cpu(), run.cpu, if by_events { 0.12 } else { 0.3 });
    if by_events {
        let of_work = run.sum(|sample| if run.code.contains(&run.process.leaf(sample)) { sample.cpu_ns } else { 0 });
        // About 120 samples, so 4 sigma are up to 0.18.
        let (share, truth) = (of_work / run.sampled_cpu(), run.worked / run.cpu);
        assert!((share - truth).abs() < 0.2, "{share}, should be {truth}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn timers_see_all_of_the_time_of_short_threads_too() {
    let run = Run::of("teams", "100", &["--signal", "40"]);
    assert_eq!(run.process.info("timer"), "timer");
    near(run.sampled_cpu(), run.cpu, 0.3);
}

#[test]
fn a_wait_is_charged_with_its_own_time_and_work_before_it_stays_work() {
    let run = Run::of("waits", "100", &[]);
    let first = |sample: &Sample| sample.thread == 0;
    let slept = run.sum(|sample| {
        let wait = first(sample) && sample.moment == Moment::WaitEnd && sample.state == EBAR;
        if wait { sample.wall_ns } else { 0 }
    });
    near(slept, run.waited, 0.05);
    let worked = run.sum(|sample| if first(sample) && sample.state == WORK { sample.cpu_ns } else { 0 });
    near(worked, run.worked, 0.15);
    // Three times as long if the machine is otherwise idle; never less.
    assert!(run.waited > 2.8 * run.worked, "{} {}", run.waited, run.worked);
}

#[test]
fn what_a_thread_asks_the_runtime_is_work() {
    let folder = Folder::new();
    let (program, to) = (folder.program("asks"), folder.file("profile"));
    let output = run(ora(&["profile", "-F", "500", "-o"]).arg(&to).arg("--").arg(program));
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), "done\n"), "{}", errors(&output));
    let report: Value = serde_json::from_str(&text(&run(ora(&["report", "--json"]).arg(&to)))).unwrap();
    let functions = report["functions"].as_array().unwrap();
    let time = |name: &str| functions.iter().find(|one| one["name"] == name);
    assert!(time("omp_get_wtime").is_some() && time("<OMP-runtime>").is_none(), "{functions:#?}");
    let found = report["findings"].as_array().unwrap();
    assert!(found.iter().all(|finding| finding["id"] != "runtime"), "{found:#?}");
}
