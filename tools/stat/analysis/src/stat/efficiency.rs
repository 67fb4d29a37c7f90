//! Efficiencies as in the model of the POP project (<https://pop-coe.eu/node/69>), a product that says where the threads' time went.
//!
//! Useful is the running time of the program's code. With as many threads as were at work at a time:
//!
//! | factor | is | below 1 |
//! |---|---|---|
//! | parallel | useful time / (threads x wall time) | the product of those below |
//! | load balance | the threads' mean useful time / the longest one | some threads have less to do |
//! | serialisation | the longest useful time / the critical path | threads wait for their turn, or for tasks |
//! | transfer | the critical path / wall time | the runtime's own work, or no processor |
//!
//! The critical path is the longest chain of work, one piece after the other. The collector follows it through the regions.

use stat_layout::stat::layout::Activity;
use untrusted::figure::{self, Total};

use super::snapshot::{Process, Thread};

/// The efficiencies of a process, each of them between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Efficiency {
    pub parallel: f64,
    pub load_balance: f64,
    pub serialisation: f64,
    pub transfer: f64,
}

impl Efficiency {
    /// `None`: no region was seen, or nothing ran.
    pub fn of(process: &Process) -> Option<Self> {
        let of_threads = |of: fn(&Thread) -> u64| process.threads.iter().map(of);
        // Waits for others' work are assumed to get a processor as often as other work does.
        let ran =
            process.sum(|thread| thread.ran(Activity::Work)) as f64 / process.spent_ns(Activity::Work).max(1) as f64;
        let path_ns = |thread: &Thread| {
            figure::sum(useful_ns(thread), thread.path_more_ns) as f64 + thread.path_waits_ns as f64 * ran.min(1.0)
        };
        let path_ns = process.threads.iter().map(path_ns).fold(0.0, f64::max);
        let longest_ns = of_threads(useful_ns).max()?;
        Self::from(Times {
            threads: process.team_threads as f64,
            wall_ns: process.who.wall_ns as f64,
            useful_ns: of_threads(useful_ns).total() as f64,
            longest_ns: longest_ns as f64,
            path_ns,
        })
    }

    /// The means of several runs. `None`: one of them has none.
    pub(super) fn mean(runs: &[&Process]) -> Option<Self> {
        let all = runs.iter().map(|process| Self::of(process)).collect::<Option<Vec<_>>>()?;
        let mean = |of: fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
        Some(Self {
            parallel: mean(|run| run.parallel),
            load_balance: mean(|run| run.load_balance),
            serialisation: mean(|run| run.serialisation),
            transfer: mean(|run| run.transfer),
        })
    }

    fn from(times: Times) -> Option<Self> {
        let Times { threads, wall_ns, useful_ns, longest_ns, path_ns } = times;
        if threads == 0.0 || longest_ns == 0.0 || wall_ns == 0.0 {
            return None;
        }
        // Clocks of several threads are compared.
        let path_ns = path_ns.min(wall_ns).max(longest_ns);
        let at_most_1 = |part: f64| part.min(1.0);
        Some(Self {
            parallel: at_most_1(useful_ns / threads / wall_ns),
            load_balance: at_most_1(useful_ns / threads / longest_ns),
            serialisation: longest_ns / path_ns,
            transfer: at_most_1(path_ns / wall_ns),
        })
    }
}

/// A process's times, from which its efficiencies are calculated.
#[derive(Clone, Copy)]
struct Times {
    /// Number of threads that were at work simultaneously.
    threads: f64,
    wall_ns: f64,
    /// Useful time of all threads, and of the one with the longest.
    useful_ns: f64,
    longest_ns: f64,
    /// The critical path.
    path_ns: f64,
}

fn useful_ns(thread: &Thread) -> u64 {
    figure::sum(thread.ran(Activity::Work), thread.ran(Activity::Serial))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(useful_ns: &[f64], path_ns: f64, wall_ns: f64) -> [f64; 4] {
        let longest_ns = useful_ns.iter().copied().fold(0.0, f64::max);
        let times =
            Times { threads: useful_ns.len() as f64, wall_ns, useful_ns: useful_ns.iter().sum(), longest_ns, path_ns };
        let found = Efficiency::from(times).unwrap();
        let product = found.load_balance * found.serialisation * found.transfer;
        assert!((found.parallel - product).abs() < 1e-9, "{found:?}");
        [found.parallel, found.load_balance, found.serialisation, found.transfer]
    }

    #[test]
    fn known_programs_have_their_known_efficiencies() {
        assert_eq!(of(&[8.0; 4], 8.0, 8.0), [1.0; 4]);
        assert_eq!(of(&[8.0, 4.0, 4.0, 4.0], 8.0, 8.0), [0.625, 0.625, 1.0, 1.0]);
        // Serial execution: one thread after the other.
        assert_eq!(of(&[2.0; 4], 8.0, 8.0), [0.25, 1.0, 0.25, 1.0]);
        // Half as many processors as threads.
        assert_eq!(of(&[8.0; 4], 8.0, 16.0), [0.5, 1.0, 1.0, 0.5]);
    }

    #[test]
    fn clocks_that_differ_do_not_make_a_path_longer_than_the_wall_time() {
        assert_eq!(of(&[8.0; 2], 8.5, 8.0)[2..], [1.0, 1.0]);
        assert_eq!(of(&[8.0; 2], 7.5, 8.0)[2..], [1.0, 1.0]);
        assert_eq!(
            Efficiency::from(Times { threads: 0.0, wall_ns: 1.0, useful_ns: 1.0, longest_ns: 1.0, path_ns: 1.0 }),
            None
        );
    }
}
