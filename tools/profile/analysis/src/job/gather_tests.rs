//! The job of a simulated profile.

use std::convert::Infallible;

use profile_format::simulated::Simulated;
use profile_format::{Object, Reader, Record, info};

use super::Job;
use crate::input::Process;
use crate::metrics::Sums;
use crate::profile::build;
use crate::state::State;
use crate::user_model::View;
use symbols::{Name, Names};

/// Names each address by its thousands.
struct ByThousands;

impl Names for ByThousands {
    fn at(&mut self, address: u64, _: bool, _: u64) -> Vec<Name> {
        vec![Name { function: format!("f{}", address / 1000), line: 1, object: "prog".to_owned(), ..Name::default() }]
    }
}

/// A process of two threads. A sample is ten milliseconds: the first thread works in a region for `work` samples, then it
/// is in MPI for `mpi`; the second one works half as long, and waits.
fn process(rank: &str, work: u32, mpi: u32) -> Process {
    let object = |(start, path): (u64, &'static str)| {
        let (end, path) = (start + 1000, path.as_bytes());
        Object { start, end, bias: 0, since_ns: 0, build_id: b"", path }
    };
    let objects = [(1000, "/p/prog"), (2000, "/l/libgomp.so.1"), (3000, "/l/libmpi.so.40")].map(object);
    let mut file = Simulated::of(&objects);
    for (key, value) in [(info::RANK, rank), (info::RANKS, "4"), (info::HOST, "one")] {
        file.add(Record::Info { key, value: value.as_bytes() });
    }
    for thread in [0, 1] {
        file.add(Record::Thread { thread, tid: 4711 + thread, begun_ns: 1_000_000, routine: 0 });
    }
    file.region(1, 0, 0, &[2100, 1100]);
    let [primary, worker, barrier, talks] =
        [&[1200, 2100, 1100][..], &[1200, 2200], &[2300, 2200], &[3100, 1100]].map(|frames| file.stack(frames));
    for number in 0..work {
        file.sample(0, 1, State::WORK.0, primary);
        let (state, stack) = if number % 2 == 0 { (State::WORK, worker) } else { (State::IMPLICIT_BARRIER, barrier) };
        file.sample(1, 1, state.0, stack);
    }
    for _ in 0..mpi {
        file.sample(0, 0, State::SERIAL.0, talks);
    }
    file.add(Record::End { ended_ns: 1_000_000 + u64::from(work + mpi) * 10_000_000 });
    Process::read(Reader::new(&file.bytes).unwrap())
}

/// A process that has neither a rank nor a region, and sleeps.
fn launcher() -> Process {
    let mut file = Simulated::of(&[]);
    file.add(Record::Thread { thread: 0, tid: 4700, begun_ns: 1_000_000, routine: 0 });
    let stack = file.stack(&[1100]);
    for _ in 0..50 {
        file.sample(0, 0, State::NONE.0, stack);
    }
    file.add(Record::End { ended_ns: 2_000_000_000 });
    Process::read(Reader::new(&file.bytes).unwrap())
}

#[test]
fn the_launcher_of_a_job_counts_nowhere() {
    let of = |processes: Vec<Process>| {
        let processes = processes.into_iter().map(Ok::<_, Infallible>);
        build(processes, View::User, &mut |_: &Process| Box::new(ByThousands)).unwrap()
    };
    let total = |profile: &_| Sums::of(profile).total.total_ns();
    let [ranks, with_launcher] = [vec![], vec![launcher()]].map(|mut processes: Vec<_>| {
        processes.extend([process("0", 20, 80), process("1", 20, 80)]);
        of(processes)
    });
    assert_eq!(total(&ranks), total(&with_launcher));
    assert_eq!(with_launcher.processes.iter().map(|one| one.is_launcher).collect::<Vec<_>>(), [true, false, false]);
    // Without ranks it is a program like any other.
    let alone = of(vec![launcher()]);
    assert!(!alone.processes[0].is_launcher && total(&alone) > 0);
}

#[test]
fn a_profile_of_ranks_is_a_job_with_the_time_in_mpi() {
    let all = [process("2", 80, 20), process("0", 20, 80), process("1", 20, 80)].map(Ok::<_, Infallible>);
    let profile = build(all, View::User, &mut |_: &Process| Box::new(ByThousands)).unwrap();
    let job = Job::of_profile(&profile, &Sums::of(&profile)).unwrap();
    assert_eq!((job.announced, job.hosts()), (Some(4), vec!["one"]));
    let figures = |rank: &super::Rank| {
        let ms = |ns: u64| ns / 1_000_000;
        let place = rank.places.iter().map(|place| ms(place.ns)).sum::<u64>();
        (rank.number, rank.threads, ms(rank.mpi_ns.unwrap()), ms(rank.useful_ns), ms(rank.wait_ns), place)
    };
    let ranks: Vec<_> = job.ranks.iter().map(figures).collect();
    assert_eq!(ranks, [(0, 2, 800, 300, 100, 200), (1, 2, 800, 300, 100, 200), (2, 2, 200, 1200, 400, 800)]);
    assert_eq!(job.wall_ns(), 1_000_000_000);
    let costliest = job.ranks[2].costliest_place(&job.medians());
    assert_eq!(costliest.map(|(_, ns, median_ns)| (ns, median_ns)), Some((800_000_000, 200_000_000)));
    let one = build([Ok::<_, Infallible>(process("0", 1, 1))], View::User, &mut |_: &Process| Box::new(ByThousands));
    let one = one.unwrap();
    assert_eq!(Job::of_profile(&one, &Sums::of(&one)), None);
}
