//! Tables and JSON from shared memory with forged numbers: a watched process can write anything to it.
#![cfg(test)]

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;
use std::time::{Duration, Instant};

use stat_layout::area::{Shared, SharedArea};
use stat_layout::clock::monotonic_ns;
use stat_layout::process_table::Header;
use stat_layout::ticks::Pace;
use stat_layout::{stat, tasks};

use crate::stat::regions::whole;
use crate::stat::snapshot::Thread;
use crate::stat::{Report, Resolvers, Run, Table, json};
use crate::{Exit, FinishedRun};

/// Kinds of content.
const CONTENTS: [&str; 5] = ["ones", "noise", "small numbers", "large numbers", "mixed"];

/// Memory of a collector with such content.
fn memory<T: Shared>(items: usize, content: &str) -> SharedArea<T> {
    let shared = SharedArea::<T>::create(items).unwrap();
    let file = File::options().read(true).write(true).open(shared.path()).unwrap();
    let words = usize::try_from(file.metadata().unwrap().len()).unwrap() / 8;
    let mut state = 88_172_645_463_325_252_u64;
    let mut word = || -> [u8; 8] {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        match content {
            "ones" => u64::MAX,
            "noise" => state,
            "mixed" if state.is_multiple_of(3) => state.rotate_left(17),
            "mixed" if state.is_multiple_of(7) => u64::MAX,
            "small numbers" | "mixed" => (state & 3) | (state >> 60) << 32,
            _ => u64::MAX - (state & 3),
        }
        .to_ne_bytes()
    };
    let mut bytes = Vec::with_capacity(words * 8);
    (0..words).for_each(|_| bytes.extend_from_slice(&word()));
    // The magic number and the version stay: without them the memory is refused.
    let from = std::mem::offset_of!(Header, root_pid);
    file.write_all_at(&bytes[from..], from as u64).unwrap();
    SharedArea::from_file(file).unwrap()
}

fn finished() -> FinishedRun {
    let now = stat_layout::ticks::Moment::now(stat_layout::ticks::Source::Monotonic);
    let end_ns = monotonic_ns();
    FinishedRun { exit: Exit::Code(0), start_ns: end_ns - 1_000, end_ns, cpu_ns: 7, pace: Pace::between(now, now) }
}

#[test]
#[ignore = "slow: --all runs it"]
fn forged_numbers_in_the_memory_of_stat_are_read_in_bounded_time() {
    for content in CONTENTS {
        let begun = Instant::now();
        let shared = memory::<stat::layout::Area>(0, content);
        let words = [OsString::from("program")];
        let mut resolvers = Resolvers::new(&Rc::default());
        let runs = [Run::read_live(shared.area(), &finished(), &mut resolvers)];
        let document = json::document(&words, &runs).unwrap();
        assert_eq!(document.lines().find(|line| line.contains(": -")), None, "{content}: a negative figure");
        for run in &runs {
            for process in run.main.iter().chain(&run.others) {
                let largest = process.threads.iter().map(Thread::elapsed_ns).max().unwrap_or(0);
                assert!(
                    process.elapsed_ns() >= largest && process.elapsed_ns() >= process.work_ns(),
                    "{content}: it wraps"
                );
                let regions = whole(&process.regions);
                assert!(process.regions.iter().all(|one| one.sums.total_ns <= regions.total_ns), "{content}: it wraps");
            }
        }
        let table =
            Table { name: "program", why_unseen: None, without_events: None, wanted_runs: 1, rows: 20, followed: true };
        let _ = table.render(&Report::of(&runs));
        assert!(begun.elapsed() < Duration::from_secs(60), "{content}: {:?}", begun.elapsed());
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn forged_numbers_in_the_memory_of_tasks_are_read_in_bounded_time() {
    for content in CONTENTS {
        let begun = Instant::now();
        let shared = memory::<tasks::layout::TasksArea>(1_000, content);
        let finished = finished();
        let run = crate::tasks::TasksRun::read(&crate::tasks::RawRun {
            area: shared.area(),
            instances: shared.items(),
            pace: finished.pace,
            finished,
            instrumented: Rc::default(),
        });
        let document = crate::tasks::json::document(&[OsString::from("program")], &run, true).unwrap();
        assert_eq!(document.lines().find(|line| line.contains(": -")), None, "{content}: a negative figure");
        let _ = crate::tasks::TasksTable {
            name: "program",
            why_unseen: None,
            without_events: None,
            rows: 20,
            places: 20,
            followed: true,
        }
        .render(&run);
        assert!(begun.elapsed() < Duration::from_secs(60), "{content}: {:?}", begun.elapsed());
    }
}
