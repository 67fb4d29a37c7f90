//! States of threads, flat: for each moment one.

use profile_analysis::out::Weighted;
use serde::Serialize;

use crate::{Slice, Thread, Timeline, What};

/// Names of the states, by their numbers.
pub(super) const NAMES: [&str; 8] = [
    "outside of regions",
    "serial",
    "work in a region",
    "task",
    "barrier",
    "taskwait",
    "wait for a mutex",
    "has a mutex",
];

/// Numbers of buckets for each thread, from the coarsest resolution to the finest.
const BUCKETS: [usize; 3] = [1 << 10, 1 << 13, 1 << 16];
/// Most buckets of all threads and resolutions, in bytes of the page.
const MOST: usize = 900_000;
/// Most buckets of all threads that are filled for one resolution beyond the first: of thousands of threads the finer ones would
/// take longer than all else.
const MOST_FILLED: usize = 1 << 25;

/// A state from a moment on.
type Change = (u64, u8);

/// The changes of each thread's state, in order.
pub(super) fn lanes(timeline: &Timeline) -> Vec<Vec<Change>> {
    timeline.threads.iter().map(|thread| lane(timeline, thread)).collect()
}

/// The changes of each thread's state in a process without events, by its samples.
pub(super) fn lanes_of_samples(timeline: &Timeline, samples: &[Weighted<'_>]) -> Vec<Vec<Change>> {
    let mut lanes: Vec<Vec<Change>> = vec![Vec::new(); timeline.threads.len()];
    let mut by_begin: Vec<_> = samples.iter().map(|it| (it.at_ns.saturating_sub(it.wall_ns), it)).collect();
    by_begin.sort_by_key(|(begin_ns, it)| (it.thread, *begin_ns));
    for (begin_ns, it) in by_begin {
        let Some(lane) = lanes.get_mut(it.thread) else { continue };
        // What follows at once takes the place of the end.
        lane.pop_if(|(end_ns, _)| *end_ns >= begin_ns);
        let begin_ns = lane.last().map_or(begin_ns, |(last_ns, _)| begin_ns.max(*last_ns));
        lane.extend([(begin_ns, sampled_state(it)), (it.at_ns.max(begin_ns), 0)]);
    }
    lanes
}

/// State of a sample, by the name that reports give it.
fn sampled_state(sample: &Weighted<'_>) -> u8 {
    match sample.state {
        "idle" => 0,
        "" | "no state" | "serial" => 1,
        "implicit barrier" | "explicit barrier" => 4,
        "wait for child tasks" => 5,
        "lock" | "critical section" | "ordered section" | "atomic update" => 6,
        _ => 2,
    }
}

/// State of a slice; `None` for one that changes nothing.
fn state(slice: &Slice) -> Option<u8> {
    match slice.what {
        What::Implicit | What::Before => Some(2),
        What::Task => Some(3),
        What::Wait(5 | 6) => Some(5),
        What::Wait(_) => Some(4),
        What::MutexWait(_) => Some(6),
        What::Mutex(_) => Some(7),
        What::Region | What::Group | What::Work(_) | What::Masked | What::Recorder => None,
    }
}

fn lane(timeline: &Timeline, thread: &Thread) -> Vec<Change> {
    let outside = u8::from(thread.kind != 2);
    let mut changes = vec![(thread.begin_ns, outside)];
    // End and state of each open slice.
    let mut open: Vec<(u64, u8)> = Vec::new();
    let close = |changes: &mut Vec<Change>, open: &mut Vec<(u64, u8)>, until: u64| {
        while let Some((end, _)) = open.last().copied().filter(|(end, _)| *end <= until) {
            open.pop();
            changes.push((end, open.last().map_or(outside, |(_, state)| *state)));
        }
    };
    let shown = thread.slices.iter().filter(|slice| !slice.is_apart && timeline.is_shown(slice));
    for (slice, state) in shown.filter_map(|slice| Some((slice, state(slice)?))) {
        close(&mut changes, &mut open, slice.begin_ns);
        changes.push((slice.begin_ns, state));
        open.push((slice.end_ns, state));
    }
    close(&mut changes, &mut open, u64::MAX);
    changes.push((thread.end_ns, 0));
    changes
}

/// Time in each state, of all threads.
pub(super) fn sums(lanes: &[Vec<Change>]) -> [u64; NAMES.len()] {
    let mut sums = [0_u64; NAMES.len()];
    for pair in lanes.iter().flat_map(|lane| lane.windows(2)) {
        if let [(from, state), (to, _)] = pair
            && let Some(sum) = sums.get_mut(usize::from(*state))
        {
            *sum = sum.saturating_add(to.saturating_sub(*from));
        }
    }
    sums
}

/// States at one resolution.
#[derive(Debug, Serialize)]
pub(super) struct Resolution {
    /// Number of buckets for each thread.
    buckets: usize,
    /// A digit for each bucket: the state of most of its time; run lengths are letters behind it (see [`packed`]).
    threads: Vec<String>,
}

/// The resolutions that there is room for.
pub(super) fn resolutions(timeline: &Timeline, lanes: &[Vec<Change>], processes: usize) -> Vec<Resolution> {
    let mut room = MOST / processes.max(1);
    let mut all = Vec::new();
    for buckets in BUCKETS {
        if !all.is_empty() && buckets.saturating_mul(lanes.len()) > MOST_FILLED {
            break;
        }
        let threads: Vec<String> = lanes.iter().map(|lane| packed(&filled(timeline, lane, buckets))).collect();
        let bytes = threads.iter().map(String::len).sum::<usize>();
        if bytes > room && !all.is_empty() {
            break;
        }
        room = room.saturating_sub(bytes);
        all.push(Resolution { buckets, threads });
    }
    all
}

/// For each bucket the state that most of its time was spent in.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a part of a length
fn filled(timeline: &Timeline, lane: &[Change], buckets: usize) -> Vec<u8> {
    let (begin, length) = (timeline.begin_ns, (timeline.end_ns.saturating_sub(timeline.begin_ns)).max(1));
    let mut states = Vec::with_capacity(buckets);
    // Time in each state, in the bucket that is being filled.
    let mut times = [0_u64; NAMES.len()];
    for pair in lane.windows(2) {
        let [(from, state), (to, _)] = pair else { continue };
        let [mut from, to] = [from, to].map(|at| at.saturating_sub(begin).min(length));
        loop {
            let end = (length as f64 * ((states.len() + 1) as f64 / buckets as f64)) as u64;
            let within = to.min(end).saturating_sub(from);
            if let Some(time) = times.get_mut(usize::from(*state)) {
                *time = time.saturating_add(within);
            }
            if to < end || states.len() >= buckets {
                break;
            }
            states.push(longest(&times));
            times = [0; NAMES.len()];
            from = from.max(end);
        }
    }
    if states.len() < buckets {
        states.push(longest(&times));
    }
    states.resize(buckets, 0);
    states
}

/// The state with the most time; 0 without any.
fn longest(times: &[u64; NAMES.len()]) -> u8 {
    let mut most = (0, 0);
    for (state, time) in (0..).zip(times) {
        if *time > most.1 {
            most = (state, *time);
        }
    }
    most.0
}

/// A digit for the state, then a number to the base of 26 in letters for how often it stands again.
fn packed(states: &[u8]) -> String {
    let mut out = String::new();
    for run in states.chunk_by(|a, b| a == b) {
        out.push(char::from(b'0' + run.first().copied().unwrap_or(0)));
        let mut more = run.len() - 1;
        while more > 0 {
            out.push(char::from(b'a' + u8::try_from(more % 26).unwrap_or(0)));
            more /= 26;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_has_the_state_of_most_of_its_time() {
        let header = vec![0; trace_format::GRAIN];
        let mut bytes = header;
        bytes[..8].copy_from_slice(&trace_format::MAGIC.to_ne_bytes());
        bytes[8] = 1;
        let mut timeline = crate::of_events(&bytes).unwrap();
        (timeline.begin_ns, timeline.end_ns) = (100, 500);
        let lane = [(110, 1), (180, 2), (199, 3), (401, 4), (430, 5), (431, 0)];
        assert_eq!(filled(&timeline, &lane, 4), [1, 3, 3, 4]);
        assert_eq!(filled(&timeline, &lane, 2), [3, 3]);
        assert_eq!(filled(&timeline, &lane[..2], 4), [1, 0, 0, 0]);
        assert_eq!(filled(&timeline, &[], 4), [0; 4]);
    }

    #[test]
    fn runs_are_packed() {
        assert_eq!(packed(&[4]), "4");
        assert_eq!(packed(&[4, 4, 0, 0, 0]), "4b0c");
        assert_eq!(packed(&[1; 28]), "1bb");
        assert_eq!(packed(&[]), "");
    }
}
