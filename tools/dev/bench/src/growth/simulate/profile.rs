//! Records of a simulated process.

use profile_format::simulated::Simulated;
use profile_format::{Moment, Record, Sample, info};

use super::code::{Code, RUNTIME};
use super::{Rank, THREADS};

/// Stacks of a process, and instances of its parallel regions.
const STACKS: u64 = 50;
const REGIONS: u64 = 20;
/// States: work, in a region's last barrier.
const WORK: u32 = 2;
const BARRIER: u32 = 3;
/// Time between two samples of a thread, in nanoseconds.
const PERIOD_NS: u64 = 10_000_000;
const BEGIN_NS: u64 = 1_000_000;

/// The records, with this number of samples.
pub(super) fn records(code: &Code, rank: Rank, samples: u64) -> Vec<u8> {
    let mut file = Simulated::of(&code.objects());
    let mut facts = vec![(info::PID, (1000 + rank.number).to_string())];
    if rank.of > 1 {
        facts.extend([(info::RANK, rank.number.to_string()), (info::RANKS, rank.of.to_string())]);
        facts.push((info::HOST, format!("node{}", rank.number / 4)));
    }
    facts.iter().for_each(|(key, value)| file.add(Record::Info { key, value: value.as_bytes() }));
    for thread in 0..THREADS {
        file.add(Record::Thread { thread, tid: 1000 + thread, begun_ns: BEGIN_NS, routine: 0 });
    }
    add_samples(&mut file, code, rank, samples);
    file.add(Record::End { ended_ns: BEGIN_NS + (samples / u64::from(THREADS) + 1) * PERIOD_NS });
    file.bytes
}

fn add_samples(file: &mut Simulated, code: &Code, rank: Rank, samples: u64) {
    let below = [code.call(1), code.call(2)];
    let stack = |number: u64| {
        let calls = (0..4 + number % 20).map(|frame| code.call(number * 31 + frame * 7));
        calls.chain([RUNTIME + 64]).chain(below).collect::<Vec<_>>()
    };
    let stacks: Vec<u32> = (0..STACKS).map(|number| file.stack(&stack(number))).collect();
    let barrier = file.stack(&[RUNTIME + 128, RUNTIME + 64]);
    for region in 1..=REGIONS {
        file.region(region, 0, 0, &[RUNTIME + 64, code.call(100 + region), below[0], below[1]]);
    }
    for number in 0..samples {
        let (period, thread) = (number / u64::from(THREADS), number % u64::from(THREADS));
        let chosen = period * 131 + thread * 17 + rank.number;
        let work = stacks.get(usize::try_from(chosen % STACKS).unwrap_or_default()).copied().unwrap_or(1);
        let (state, stack) = if chosen.is_multiple_of(5) { (BARRIER, barrier) } else { (WORK, work) };
        file.add(Record::Sample(Sample {
            thread: u32::try_from(thread).unwrap_or_default(),
            moment: Moment::Tick,
            state,
            stack,
            at_ns: BEGIN_NS + (period + 1) * PERIOD_NS,
            wall_ns: PERIOD_NS,
            cpu_ns: PERIOD_NS,
            wait: 0,
            region: 1 + period % REGIONS,
        }));
    }
}
