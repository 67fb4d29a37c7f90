//! Split of a thread's time: on a processor, ready without one, blocked.

use std::sync::atomic::Ordering::Relaxed;

use stat_layout::stat::layout::ACTIVITIES;
use stat_layout::stat::processor_time::{ProcessorTime, source};
use untrusted::figure::{self, Total};

/// A thread's time in parts that add up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeSplit {
    /// Time on a processor.
    pub running_ns: u64,
    /// Time on a processor, without that after the process's exit handlers.
    pub to_exit_ns: u64,
    /// Time for which the thread was ready, without a processor.
    pub ready_ns: u64,
    /// Time asleep in the kernel.
    pub blocked_ns: u64,
    /// Time after the last reading, in a process whose end was not seen.
    pub unknown_ns: u64,
    /// The time on a processor, by activity.
    pub running_by_activity_ns: [u64; ACTIVITIES],
    /// Number of turns on a processor, if the kernel reports it.
    pub turns: u64,
    /// Number of moves to another processor, if the kernel reports it.
    pub moves: u32,
    /// Origin of the times.
    pub source: Source,
}

/// Source of the time ready without a processor, besides the CPU clock, from the most to the least exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The time is too short to be asked for.
    #[default]
    None,
    /// The kernel's `schedstat`.
    Schedstat,
    /// An estimate by the number of context switches.
    CpuClock,
}

/// A thread's time by activity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charged {
    /// Up to its last event.
    pub(super) before_ns: [u64; ACTIVITIES],
    /// Up to its end, or the process's.
    pub(super) all_ns: [u64; ACTIVITIES],
    /// True if the thread's end was seen.
    pub(super) ended: bool,
    /// CPU time of the process after it ran its exit handlers.
    pub(super) late_cpu_ns: u64,
    /// For a thread that is alive: its time on a processor and its time ready without one, until now.
    pub(super) now_ns: Option<[u64; 2]>,
}

impl TimeSplit {
    /// Time on a processor after the process's exit handlers: the kernel frees its memory.
    pub fn after_exit_ns(&self) -> u64 {
        self.running_ns.saturating_sub(self.to_exit_ns)
    }

    /// Splits the time of a thread that the collector recorded.
    pub(super) fn of(left: &ProcessorTime, charged: &Charged) -> Self {
        let Charged { before_ns, all_ns, ended, late_cpu_ns, now_ns } = charged;
        let off_ns: [u64; ACTIVITIES] =
            std::array::from_fn(|place| left.off_ns.get(place).map(figure::read).unwrap_or_default());
        let (before, all) = (before_ns.iter().copied().total(), all_ns.iter().copied().total());
        let (counted, cpu, delay) = match *now_ns {
            Some([cpu, delay]) => (all, cpu.min(all), delay),
            None => {
                let counted = figure::read(&left.counted_ns).min(all);
                (counted, figure::read(&left.cpu_ns).min(counted), figure::read(&left.delay_ns))
            }
        };

        // The only reading since the last event is the last one.
        let rest = counted.saturating_sub(before);
        let ran_before = before.saturating_sub(off_ns.into_iter().total());
        let ran_in_rest = cpu.saturating_sub(ran_before).min(rest);
        // After the exit handlers, the thread that ran them takes the process down, and the other threads no longer
        // exist.
        let tail = all - counted;
        let (tail, unknown_ns) = if *ended { (tail, 0) } else { (0, tail) };
        let exiting = left.exiting.load(Relaxed) != 0;
        let ran_in_tail = if exiting { tail.min(*late_cpu_ns) } else { 0 };
        let ready_in_tail = if exiting { tail - ran_in_tail } else { 0 };

        let running_ns = cpu + ran_in_tail;
        let ready_ns = delay.min(counted - cpu) + ready_in_tail;
        let ran: [u64; ACTIVITIES] = std::array::from_fn(|place| {
            let at = |times: &[u64; ACTIVITIES]| times.get(place).copied().unwrap_or_default();
            let late = at(all_ns).saturating_sub(at(before_ns));
            at(before_ns).saturating_sub(at(&off_ns))
                + part(late, ran_in_rest + ran_in_tail, all.saturating_sub(before))
        });
        Self {
            running_ns,
            to_exit_ns: cpu,
            ready_ns,
            blocked_ns: all - unknown_ns - running_ns - ready_ns,
            unknown_ns,
            running_by_activity_ns: adjust(ran, running_ns, all_ns),
            turns: left.runs.load(Relaxed).into(),
            moves: left.moves.load(Relaxed),
            source: match left.source.load(Relaxed) {
                _ if now_ns.is_some() => Source::Schedstat,
                source::SCHEDSTAT => Source::Schedstat,
                source::SWITCHES | source::REFUSED => Source::CpuClock,
                _ => Source::None,
            },
        }
    }
}

/// Scales times on a processor to add up to `sum`, without exceeding the whole time of any activity.
fn adjust(ran: [u64; ACTIVITIES], sum: u64, all: &[u64; ACTIVITIES]) -> [u64; ACTIVITIES] {
    let is = ran.into_iter().total();
    if sum <= is {
        return ran.map(|ran| part(ran, sum, is));
    }
    let off = |place: usize, ran: u64| all.get(place).copied().unwrap_or_default().saturating_sub(ran);
    let off_in_all = ran.iter().enumerate().map(|(place, ran)| off(place, *ran)).total();
    let mut place = 0..;
    ran.map(|ran| ran + part(off(place.next().unwrap_or_default(), ran), sum - is, off_in_all))
}

/// `of` times `share` / `whole`.
fn part(of: u64, share: u64, whole: u64) -> u64 {
    let product = u128::from(of) * u128::from(share);
    u64::try_from(product / u128::from(whole.max(1))).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_on_a_processor_add_up_and_are_never_more_than_the_activitys() {
        let mut all = [0; ACTIVITIES];
        all[..3].copy_from_slice(&[100, 10, 40]);
        let mut ran = [0; ACTIVITIES];
        ran[..3].copy_from_slice(&[60, 10, 10]);
        assert_eq!(adjust(ran, 80, &all), ran);
        assert_eq!(adjust(ran, 40, &all)[..3], [30, 5, 5]);
        assert_eq!(adjust(ran, 115, &all)[..3], [80, 10, 25]);
        assert_eq!(adjust(ran, 150, &all), all);
    }
}
