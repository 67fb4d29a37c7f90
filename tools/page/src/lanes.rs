//! Lanes of the timeline: the state of a thread for each piece of time, computed in advance at several resolutions. This keeps a page
//! small, no matter how many events there are.

use serde::Serialize;

/// Maximum number of states.
const STATES: usize = 8;
/// Numbers of buckets for each thread, from the coarsest resolution to the finest.
const BUCKETS: [usize; 3] = [1 << 10, 1 << 13, 1 << 16];
/// Maximum number of buckets of all threads and resolutions, in bytes of the page.
const MAX_BYTES: usize = 900_000;
/// Maximum number of buckets of all threads that are filled for one resolution beyond the first: with thousands of threads the finer
/// resolutions would take longer than everything else.
const MAX_FILLED: usize = 1 << 25;

/// State that starts at a moment.
pub type Change = (u64, u8);

/// Run that lanes belong to.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Start, by the clock of the changes.
    pub begin_ns: u64,
    /// Length.
    pub length_ns: u64,
}

/// Time in each state, summed over all threads.
pub fn sums(lanes: &[Vec<Change>]) -> [u64; STATES] {
    let mut sums = [0_u64; STATES];
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
pub struct Resolution {
    /// Number of buckets for each thread.
    buckets: usize,
    /// A digit for each bucket, which is the state of most of its time; letters after it are a run length (see [`packed`]).
    threads: Vec<String>,
}

/// Resolutions that fit on a page with this many processes.
pub fn resolutions(run: Run, lanes: &[Vec<Change>], processes: usize) -> Vec<Resolution> {
    let mut room = MAX_BYTES / processes.max(1);
    let mut all = Vec::new();
    for buckets in BUCKETS {
        if !all.is_empty() && buckets.saturating_mul(lanes.len()) > MAX_FILLED {
            break;
        }
        let threads: Vec<String> = lanes.iter().map(|lane| packed(&filled(run, lane, buckets))).collect();
        let bytes = threads.iter().map(String::len).sum::<usize>();
        if bytes > room && !all.is_empty() {
            break;
        }
        room = room.saturating_sub(bytes);
        all.push(Resolution { buckets, threads });
    }
    all
}

/// For each bucket, the state in which most of its time was spent.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a part of a length
fn filled(run: Run, lane: &[Change], buckets: usize) -> Vec<u8> {
    let (begin, length) = (run.begin_ns, run.length_ns.max(1));
    let mut states = Vec::with_capacity(buckets);
    // Time in each state, in the bucket being filled.
    let mut times = [0_u64; STATES];
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
            times = [0; STATES];
            from = from.max(end);
        }
    }
    if states.len() < buckets {
        states.push(longest(&times));
    }
    states.resize(buckets, 0);
    states
}

/// State with the most time; 0 if there is none.
fn longest(times: &[u64; STATES]) -> u8 {
    let mut most = (0, 0);
    for (state, time) in (0..).zip(times) {
        if *time > most.1 {
            most = (state, *time);
        }
    }
    most.0
}

/// A digit for the state, followed by the number of repetitions in base 26, written in letters.
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
        let run = Run { begin_ns: 100, length_ns: 400 };
        let lane = [(110, 1), (180, 2), (199, 3), (401, 4), (430, 5), (431, 0)];
        assert_eq!(filled(run, &lane, 4), [1, 3, 3, 4]);
        assert_eq!(filled(run, &lane, 2), [3, 3]);
        assert_eq!(filled(run, &lane[..2], 4), [1, 0, 0, 0]);
        assert_eq!(filled(run, &[], 4), [0; 4]);
    }

    #[test]
    fn runs_are_packed() {
        assert_eq!(packed(&[4]), "4");
        assert_eq!(packed(&[4, 4, 0, 0, 0]), "4b0c");
        assert_eq!(packed(&[1; 28]), "1bb");
        assert_eq!(packed(&[]), "");
    }
}
