//! Tests of imbalance and its findings, on teams whose threads' time is known.

use std::convert::Infallible;

use profile_format::simulated::Simulated;
use profile_format::{Moment, Reader, Record, info};

use super::tests::{Table, profile};
use crate::input::Process;
use crate::profile::{Profile, build};
use crate::report::Report;
use crate::state::State;
use crate::user_model::View;

const FORK: [u64; 6] = [4100, 3100, 1200, 1100, 5300, 1900];
/// Stacks at the region's end, and at a barrier of its body.
const END: [u64; 3] = [2200, 2100, 5100];
const INSIDE: [u64; 4] = [2200, 1300, 2100, 5100];

/// A thread of an instance: work in milliseconds (wall-clock, CPU), and the wait at the end.
type Thread = ((u64, u64), u64);

struct Team {
    file: Simulated,
    instances: u64,
    work: u32,
    wait: u32,
}

impl Team {
    fn new(processors: &[u8], wait: &[u64]) -> Self {
        let mut file = Simulated::new();
        file.add(Record::Info { key: info::PROCESSORS, value: processors });
        let (work, wait) = (file.stack(&[1400, 1300, 2100, 5100]), file.stack(wait));
        Self { file, instances: 0, work, wait }
    }

    /// Adds another instance of the region. Work comes in ticks of a period's CPU time, the wait is measured.
    fn instance(&mut self, threads: &[Thread]) {
        self.instances += 1;
        let region = self.instances;
        self.file.region(region, 0, 0, &FORK);
        for (thread, ((wall, cpu), wait)) in (0..).zip(threads) {
            let ticks = (cpu / 10).max(1);
            for _ in 0..ticks {
                let ms = (wall / ticks, cpu / ticks);
                self.file.time((thread, region), State::WORK.0, self.work, Moment::Tick, ms);
            }
            if *wait > 0 {
                let at = (thread, region);
                self.file.time(at, State::IMPLICIT_BARRIER.0, self.wait, Moment::WaitEnd, (*wait, 0));
            }
        }
    }

    fn ready(&mut self, ms: &[u64]) {
        for (thread, ms) in (0..).zip(ms) {
            self.file.add(Record::Thread { thread, tid: 100 + thread, begun_ns: 1, routine: 0 });
            self.file.add(Record::ThreadReady { thread, ready_ns: ms * 1_000_000 });
        }
    }

    fn profile(&self) -> Profile {
        profile(&self.file, View::User)
    }
}

fn ms(ns: u64) -> u64 {
    ns / 1_000_000
}

fn ids(report: &Report<'_>) -> Vec<&'static str> {
    report.findings.iter().map(|finding| finding.id).collect()
}

#[test]
fn one_long_wait_is_imbalance_and_certain() {
    let mut team = Team::new(b"4", &END);
    team.instance(&[((1000, 1000), 0), ((400, 400), 600), ((400, 400), 600), ((600, 600), 400)]);
    let profile = team.profile();
    let report = Report::of(&profile);
    let found = report.regions[0].imbalance().unwrap();
    assert!(found.certain, "it was measured");
    assert_eq!((ms(found.wait_ns), ms(found.no_processor_ns), ms(found.gain_ns)), (1600, 0, 400));
    assert!((found.share - (1000.0 - 600.0) / 1000.0).abs() < 1e-9, "{}", found.share);
    assert_eq!(ids(&report), ["imbalance"]);
    assert!(
        report.findings[0]
            .fix
            .contains("try schedule(dynamic) with chunks of some 10 us of work or more, or parts of more even size")
    );
    let text = crate::text::render(&report, 20);
    assert!(!text.contains('?') && text.contains("40.00"), "{text}");
}

#[test]
fn instances_that_are_uneven_by_turns_are_imbalance() {
    let mut team = Team::new(b"2", &END);
    for turn in 0..10 {
        let (long, short) = (((400, 400), 0), ((200, 200), 200));
        team.instance(&if turn % 2 == 0 { [long, short] } else { [short, long] });
    }
    let profile = team.profile();
    let report = Report::of(&profile);
    let found = report.regions[0].imbalance().unwrap();
    assert_eq!((ms(found.wait_ns), ms(found.no_processor_ns)), (2000, 0));
    assert!((found.share - 0.25).abs() < 0.001, "{}", found.share);
}

#[test]
fn even_work_without_processors_is_no_imbalance() {
    // Four threads of even work on two processors: the last ones make the others wait.
    let mut team = Team::new(b"2", &END);
    for _ in 0..10 {
        team.instance(&[((400, 200), 0), ((400, 200), 0), ((300, 200), 100), ((300, 200), 100)]);
    }
    team.ready(&[2000, 2000, 1000, 1000]);
    let overhead = team.file.stack(&[2200, 3100, 1200, 1100, 5300, 1900]);
    team.file.time((0, 0), State::OVERHEAD.0, overhead, Moment::Tick, (3000, 10));
    let profile = team.profile();
    let report = Report::of(&profile);
    let found = report.regions[0].imbalance().unwrap();
    assert_eq!((ms(found.wait_ns), ms(found.no_processor_ns), found.share), (0, 2000, 0.0));
    assert_eq!(ids(&report), ["crowded"], "the primary thread's wait is none of the runtime's work");
    let first = &report.findings[0];
    assert!(first.is_first && first.what == "4 OpenMP threads for 2 processors", "{first:?}");
    assert!(first.fix.contains("Try OMP_NUM_THREADS=2, or OMP_THREAD_LIMIT=2 where the program sets"), "{first:?}");
}

#[test]
fn uneven_work_without_processors_is_measured_by_running_time() {
    let mut team = Team::new(b"2", &END);
    team.instance(&[((1600, 800), 0), ((800, 400), 800)]);
    team.ready(&[800, 400]);
    let profile = team.profile();
    let report = Report::of(&profile);
    let found = report.regions[0].imbalance().unwrap();
    assert_eq!((ms(found.wait_ns), ms(found.no_processor_ns)), (400, 400));
    assert!((found.share - 0.25).abs() < 1e-9, "{}", found.share);
    assert_eq!(ids(&report), ["busy_machine", "imbalance"]);
}

#[test]
fn the_thread_that_runs_for_longest_waits_for_a_processor_of_others_not_for_their_work() {
    // The other thread runs 100 of 700 ms, and arrives last.
    let mut team = Team::new(b"2", &END);
    team.instance(&[((400, 400), 300), ((700, 100), 0)]);
    team.ready(&[0, 600]);
    let profile = team.profile();
    let found = Report::of(&profile).regions[0].imbalance().unwrap();
    assert_eq!((ms(found.wait_ns), ms(found.no_processor_ns), found.share), (0, 300, 0.0));
    // The thread is late for its work, or for the code after the barrier.
    let mut team = Team::new(b"2", &END);
    team.instance(&[((400, 400), 200), ((400, 400), 0)]);
    team.ready(&[0, 50]);
    let profile = team.profile();
    let found = Report::of(&profile).regions[0].imbalance().unwrap();
    assert_eq!((ms(found.wait_ns), ms(found.no_processor_ns), ms(found.gain_ns)), (100, 100, 50));
}

#[test]
fn pieces_that_are_too_small_are_no_imbalance() {
    let findings = |state: State| {
        let mut team = Team::new(b"4", &END);
        let inside = team.file.stack(&INSIDE);
        team.instance(&[((900, 900), 0), ((300, 300), 600)]);
        for _ in 0..80 {
            team.file.time((0, 1), state.0, inside, Moment::Tick, (10, 10));
        }
        let profile = team.profile();
        let report = Report::of(&profile);
        report.findings.iter().map(|finding| (finding.id, finding.text(report.wall_ns))).collect::<Vec<_>>()
    };
    let chunks = findings(State::RUNTIME);
    assert!(chunks.len() == 1 && chunks[0].0 == "runtime", "{chunks:?}");
    let tasks = findings(State::TASK_CREATE);
    assert!(tasks.iter().all(|(_, text)| text.contains("`ora tasks`") && !text.contains("longest")), "{tasks:?}");
}

#[test]
fn work_that_sleeps_is_said_to_and_may_be_uneven() {
    let mut team = Team::new(b"2", &END);
    for _ in 0..30 {
        team.instance(&[((300, 10), 0), ((100, 10), 200)]);
    }
    team.ready(&[0, 0]);
    let profile = team.profile();
    let report = Report::of(&profile);
    let found = report.regions[0].imbalance().unwrap();
    assert_eq!((ms(found.wait_ns), ms(found.no_processor_ns)), (6000, 0));
    let mut found = ids(&report);
    found.sort_unstable();
    assert_eq!(found, ["asleep", "imbalance"]);
}

#[test]
fn dynamic_is_advised_for_loops_that_are_uneven_only() {
    let findings = |team: &Team| {
        let profile = team.profile();
        let report = Report::of(&profile);
        report.findings.iter().map(|finding| finding.text(report.wall_ns)).collect::<Vec<_>>()
    };
    let says = |found: &[String], what: &str| {
        assert!(found.len() == 1 && found[0].contains(what) && !found[0].contains("dynamic"), "{found:?}");
    };
    // One thread does all the work, as in `single`.
    let mut team = Team::new(b"4", &END);
    team.instance(&[((900, 900), 0), ((10, 10), 890), ((10, 10), 890)]);
    says(&findings(&team), "one of its 3 threads does nearly all of its work");
    // The wait is inside the body.
    let mut team = Team::new(b"4", &INSIDE);
    team.instance(&[((900, 900), 0), ((300, 300), 600)]);
    says(&findings(&team), "share the work before its barriers more evenly");
    // Tasks.
    let mut team = Team::new(b"4", &END);
    team.instance(&[((900, 900), 0), ((300, 300), 600)]);
    let create = team.file.stack(&INSIDE);
    team.file.time((0, 1), State::TASK_CREATE.0, create, Moment::Tick, (10, 10));
    says(&findings(&team), "its work is tasks");
    // Even work.
    let mut team = Team::new(b"4", &END);
    team.instance(&[((900, 900), 0), ((850, 850), 50)]);
    assert_eq!(findings(&team), [""; 0]);
    // Regions of some microseconds: a sample represents many.
    let mut team = Team::new(b"4", &END);
    for number in 1..200 {
        team.instances = number * 10_000;
        team.instance(&[((10, 10), 0), ((5, 5), 5)]);
    }
    let found = findings(&team);
    assert!(found.iter().all(|text| !text.contains("dynamic")), "{found:?}");
}

#[test]
fn threads_outside_of_openmp_and_sleep_are_in_no_regions_work() {
    let mut team = Team::new(b"4", &END);
    team.instance(&[((100, 100), 0), ((100, 100), 0)]);
    let serial = team.file.stack(&[1400, 1100, 5300, 1900]);
    let state = State::SERIAL.0;
    team.file.time((0, 0), state, serial, Moment::WaitEnd, (700, 0));
    // In the kernel before a fork: measured, but not asleep.
    team.file.time((0, 0), state, serial, Moment::WaitEnd, (200, 200));
    for (thread, ms) in [(2, (10, 10)), (3, (10, 10)), (3, (10, 10))] {
        team.file.time((thread, 0), state, serial, Moment::Tick, ms);
    }
    team.file.time((2, 0), state, serial, Moment::WaitEnd, (5000, 0));
    // Nothing could be parallel while the primary thread sleeps.
    for _ in 0..30 {
        team.file.time((1, 0), State::IDLE.0, serial, Moment::WaitEnd, (23, 0));
    }
    let profile = team.profile();
    let report = Report::of(&profile);
    assert_eq!((ms(report.sums.total.work_ns), ms(report.sums.total.cpu_ns)), (1100, 400));
    assert_eq!(ms(report.regions[0].exclusive.work_ns), 200);
    let name = |number| profile.code.function(number).map(|function| function.name.as_str());
    let asleep = report.functions.iter().find(|one| name(one.what) == Some("<asleep outside of OpenMP>")).unwrap();
    assert_eq!(ms(asleep.exclusive.total_ns()), 700);
    let outside = &report.outside;
    assert_eq!((ms(outside.total.total_ns()), ms(outside.total.cpu_ns), ms(outside.asleep_ns)), (5030, 30, 5000));
    assert_eq!(outside.threads.iter().map(|(thread, _)| *thread).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(outside.begun_in.values().map(|begun_in| name(*begun_in)).collect::<Vec<_>>(), [Some("main"); 2]);
    let text = crate::text::render(&report, 20);
    assert!(text.contains("   in main"), "{text}");
    assert!(text.contains("Threads outside of OpenMP") && text.contains("2, and 2 outside of OpenMP"), "{text}");
    assert!(!ids(&report).contains(&"asleep"), "{:?}", report.findings);
    let serial = report.findings.iter().find(|finding| finding.id == "serial").unwrap();
    assert!(serial.what.contains("200.000 ms are spent"), "{serial:?}");
}

#[test]
fn without_openmp_no_thread_is_outside() {
    let mut team = Team::new(b"4", &END);
    let serial = team.file.stack(&[1400, 1100, 5300, 1900]);
    for thread in 0..3 {
        team.file.time((thread, 0), State::SERIAL.0, serial, Moment::Tick, (10, 10));
    }
    let profile = team.profile();
    let report = Report::of(&profile);
    assert_eq!((ms(report.sums.total.total_ns()), report.outside.threads.len()), (30, 0));
}

#[test]
fn a_first_thread_that_only_waits_for_others_is_in_no_team() {
    let mut team = Team::new(b"2", &END);
    let serial = team.file.stack(&[1400, 1100, 5300, 1900]);
    team.file.time((0, 0), State::SERIAL.0, serial, Moment::WaitEnd, (1000, 0));
    for (region, threads) in [(1, [1, 2]), (2, [3, 4])] {
        team.file.region(region, 0, threads[0], &FORK);
        for _ in 0..25 {
            for thread in threads {
                team.file.time((thread, region), State::WORK.0, team.work, Moment::Tick, (20, 10));
            }
        }
    }
    team.ready(&[0, 250, 250, 250, 250]);
    let profile = team.profile();
    let report = Report::of(&profile);
    assert_eq!(report.findings[0].what, "4 OpenMP threads for 2 processors");
    let text = crate::text::render(&report, 20);
    assert!(text.contains("5 (4 of them in teams)"), "{text}");
}

#[test]
fn a_shell_that_waits_for_a_program_does_not_sleep_between_regions() {
    let mut team = Team::new(b"4", &END);
    team.instance(&[((600, 600), 0), ((600, 600), 0)]);
    let stack = &[1400, 1100, 5300, 1900];
    let idle = team.file.stack(stack);
    team.file.time((1, 0), State::IDLE.0, idle, Moment::WaitEnd, (900, 0));
    let mut shell = Team::new(b"4", &END);
    let waits = shell.file.stack(stack);
    shell.file.time((0, 0), State::SERIAL.0, waits, Moment::WaitEnd, (900, 0));
    let read = |team: &Team| Ok::<_, Infallible>(Process::read(Reader::new(&team.file.bytes).unwrap()));
    let profile = build([read(&team), read(&shell)], View::User, &mut |_: &Process| Box::new(Table)).unwrap();
    let report = Report::of(&profile);
    assert!(!ids(&report).iter().any(|id| id.starts_with("serial")), "{:?}", report.findings);
}
