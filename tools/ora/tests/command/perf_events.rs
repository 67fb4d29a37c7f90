//! `ora profile` above the rate of the kernel's tick: perf events, and the fallback if they are refused.

use std::os::unix::process::ExitStatusExt;
use std::process::Output;

use crate::harness::{Folder, errors, ora, run, text};
use crate::profile_read::{Seen, seen};
use crate::skips::skip;

struct Run {
    output: Output,
    processes: Vec<Seen>,
}

/// Runs `programs/fast.c` at 2000 samples per second.
fn profile(options: &[&str], words: &[&str]) -> Run {
    let rate: &[&str] = if options.contains(&"-F") { &[] } else { &["-F", "2000"] };
    let folder = Folder::new();
    let program = folder.compile("fast", "fast", &["-pthread"]);
    let to = folder.file("profile");
    let output = run(ora(&["profile", "-o"]).arg(&to).args(rate).args(options).arg("--").arg(&program).args(words));
    Run { processes: seen(&to), output }
}

impl Run {
    /// Checks that the program was not disturbed.
    fn well(self) -> Self {
        let output = &self.output;
        assert_eq!((output.status.code(), output.status.signal()), (Some(0), None), "{}", errors(output));
        self
    }

    /// True if the kernel's events were available. If they aren't, a test proves nothing about them.
    fn has_events(&self) -> bool {
        let has = self.processes[0].info("timer") == "perf";
        if !has {
            assert!(errors(&self.output).contains("perf_event_open is refused"), "{}", errors(&self.output));
            skip("perf events are refused here");
        }
        has
    }
}

/// Runs the program until the kernel's ticks have produced more than 20 samples. On an idle machine the first run does; on a busy one most
/// ticks hit other threads.
fn ticks_bring_samples(samples_of_a_run: impl Fn() -> usize) {
    let mut samples = 0;
    assert!((0..10).any(|_| {
        samples += samples_of_a_run();
        samples > 20
    }));
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_rate_above_the_tick_is_delivered() {
    let run = profile(&[], &["plain"]).well();
    if run.has_events() {
        // 1000; a timer would give 125 on a kernel with 250 ticks per second, and 500 on one with 1000.
        let count = run.processes[0].samples().count();
        assert!(count > 600, "{count}");
        assert!(!errors(&run.output).contains("at most"), "{}", errors(&run.output));
    }
}

#[test]
fn a_thread_that_sleeps_all_the_time_has_a_timer_meanwhile() {
    let run = profile(&["-F", "1000"], &["sleepy"]);
    let code = run.output.status.code();
    if run.has_events() {
        assert_eq!(code, Some(0), "{}", errors(&run.output));
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_program_that_goes_on_as_another_one_lives() {
    let times = if compat_tests::suite::whole_matrix() { "300" } else { "40" };
    let run = profile(&[], &["chain", times]).well();
    // The last one is not watched by us.
    assert_eq!(run.processes.len().to_string(), times);
    run.has_events();
}

#[test]
fn signals_that_are_blocked_for_long_do_no_harm() {
    let run = profile(&[], &["blocked"]).well();
    assert!(run.processes[0].samples().count() > 10);
    run.has_events();
}

#[test]
#[ignore = "slow: --all runs it"]
fn calls_that_wait_are_not_interrupted() {
    profile(&[], &["naps"]).well().has_events();
}

#[test]
fn children_of_all_kinds_live() {
    let run = profile(&[], &["children"]).well();
    let first = &run.processes[0];
    let ours = run.processes.iter().skip(1).filter(|process| process.info("executable") == first.info("executable"));
    assert_eq!(ours.filter(|forked| forked.samples().count() > 20).count(), 1);
    run.has_events();
}

#[test]
fn a_program_goes_on_where_signals_come_faster_than_they_can_be_handled() {
    let run = profile(&["-F", "10000"], &["deep"]).well();
    assert!(run.processes[0].samples().count() > 10);
    run.has_events();
}

#[test]
fn the_program_has_its_descriptors_for_itself() {
    let run = profile(&[], &["descriptors"]).well();
    assert_eq!(text(&run.output), "3\n");
    run.has_events();
}

#[test]
fn a_program_may_use_the_signal_that_events_have() {
    let run = profile(&[], &["urgent"]).well();
    if run.has_events() {
        // Samples end where the program takes over the signal.
        let count = run.processes[0].samples().count();
        assert!((200..500).contains(&count), "{count}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn where_events_are_refused_there_are_timers_and_a_reason() {
    ticks_bring_samples(|| {
        let run = profile(&[], &["refused"]).well();
        let said = errors(&run.output);
        assert!(said.contains("which is what the kernel's tick allows: perf_event_open is refused (error 1"), "{said}");
        let after = run.processes.last().unwrap();
        assert_eq!(after.info("timer"), "timer");
        after.samples().count()
    });
}

#[test]
fn a_thread_that_gets_no_event_has_a_timer() {
    let run = profile(&[], &["later"]).well();
    if run.has_events() {
        assert!(errors(&run.output).contains("refused (error 24)"), "{}", errors(&run.output));
        assert_eq!(run.processes[0].threads.len(), 2);
        assert!(run.processes[0].samples().count() > 50);
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_signal_of_ones_own_choice_has_timers_and_a_reason() {
    ticks_bring_samples(|| {
        let run = profile(&["--signal", "PROF"], &["plain"]).well();
        assert_eq!(run.processes[0].info("timer"), "timer");
        assert!(errors(&run.output).contains("more are had with signal URG only"), "{}", errors(&run.output));
        run.processes[0].samples().count()
    });
}
