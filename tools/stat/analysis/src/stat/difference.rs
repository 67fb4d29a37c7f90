//! Differences of a process's figures over an interval: those at its end less those at its start.

use std::collections::BTreeMap;

use super::regions::{Key, Sums};
use super::snapshot::{Process, Thread};
use super::time_split::TimeSplit;

impl Process {
    /// The figures since an earlier snapshot of the same process. Extremes (the longest region, the largest team) are
    /// those of the whole time.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut interval = self.clone();
        interval.who.wall_ns = less(self.who.wall_ns, earlier.who.wall_ns);
        interval.cpu_ns = self.cpu_ns.map(|cpu_ns| less(cpu_ns, earlier.cpu_ns.unwrap_or_default()));
        interval.outside_ns = less(self.outside_ns, earlier.outside_ns);
        let before: BTreeMap<_, &Thread> = earlier.threads.iter().map(|thread| (thread.slot, thread)).collect();
        for thread in &mut interval.threads {
            if let Some(before) = before.get(&thread.slot) {
                *thread = thread.since(before);
            }
        }
        interval.exclusive = self.exclusive.since(&earlier.exclusive);
        let before: BTreeMap<Key, Sums> = earlier.regions.iter().map(|region| (region.key(), region.sums)).collect();
        for region in &mut interval.regions {
            if let Some(before) = before.get(&region.key()) {
                region.sums = region.sums.since(*before);
            }
        }
        interval
    }
}

impl Thread {
    fn since(&self, earlier: &Self) -> Self {
        Self {
            turns_ended: less(self.turns_ended, earlier.turns_ended),
            spent_ns: each(self.spent_ns, earlier.spent_ns),
            begun: each(self.begun, earlier.begun),
            forks: less(self.forks, earlier.forks),
            joins: less(self.joins, earlier.joins),
            region_ns: less(self.region_ns, earlier.region_ns),
            served: less(self.served, earlier.served),
            path_more_ns: less(self.path_more_ns, earlier.path_more_ns),
            path_waits_ns: less(self.path_waits_ns, earlier.path_waits_ns),
            guessed_ns: less(self.guessed_ns, earlier.guessed_ns),
            too_deep_ns: less(self.too_deep_ns, earlier.too_deep_ns),
            watching_ns: less(self.watching_ns, earlier.watching_ns),
            passed: self.passed.since(&earlier.passed),
            ..self.clone()
        }
    }
}

impl TimeSplit {
    fn since(&self, earlier: &Self) -> Self {
        Self {
            running_ns: less(self.running_ns, earlier.running_ns),
            to_exit_ns: less(self.to_exit_ns, earlier.to_exit_ns),
            ready_ns: less(self.ready_ns, earlier.ready_ns),
            blocked_ns: less(self.blocked_ns, earlier.blocked_ns),
            unknown_ns: less(self.unknown_ns, earlier.unknown_ns),
            running_by_activity_ns: each(self.running_by_activity_ns, earlier.running_by_activity_ns),
            turns: less(self.turns, earlier.turns),
            moves: self.moves.saturating_sub(earlier.moves),
            source: self.source,
        }
    }
}

/// Time that was charged by a guess may be moved later on, so the difference is never below zero.
fn less(now: u64, before: u64) -> u64 {
    now.saturating_sub(before)
}

fn each<const N: usize>(now: [u64; N], before: [u64; N]) -> [u64; N] {
    let mut both = now.into_iter().zip(before);
    std::array::from_fn(|_| both.next().map_or(0, |(now, before)| less(now, before)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_an_interval_are_what_has_been_added() {
        let earlier = Sums { count: 5, ended: 4, total_ns: 100, longest_ns: 60, threads: 2, ..Sums::default() };
        let now = Sums { count: 9, ended: 9, total_ns: 300, longest_ns: 60, threads: 3, ..Sums::default() };
        let interval = Sums { count: 4, ended: 5, total_ns: 200, longest_ns: 60, threads: 3, ..Sums::default() };
        assert_eq!(now.since(earlier), interval);
        assert_eq!(each([5, 7], [6, 3]), [0, 4]);
    }
}
