//! The activities to which time off the processors is charged.

use std::sync::atomic::Ordering::Relaxed;

use stat_layout::stat::activity::{ACTIVITIES, Activity};
use stat_layout::stat::layout::ThreadSlot;

/// The activity that has ended, and its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    activity: u32,
    took_ns: u64,
}

impl Last {
    /// The current activity of the slot, up to this moment.
    #[cold]
    pub(super) fn of(slot: &ThreadSlot, at_ns: u64) -> Self {
        Self { activity: slot.now.load(Relaxed), took_ns: at_ns.saturating_sub(slot.since_ns()) }
    }
}

/// Splits time off the processors by activity. A long wait or piece of work that has just ended takes all of it; among many
/// short ones, those that may sleep come first.
pub(super) fn off_by_activity(mut times: [u64; ACTIVITIES], off_ns: u64, last: Last) -> [u64; ACTIVITIES] {
    const ORDER: [Activity; ACTIVITIES] = [
        Activity::Idle,
        Activity::ImplicitBarrier,
        Activity::ExplicitBarrier,
        Activity::TaskWait,
        Activity::Lock,
        Activity::Critical,
        Activity::Ordered,
        Activity::Atomic,
        Activity::Serial,
        Activity::RegionStart,
        Activity::Work,
    ];
    let (mut off, mut left_ns) = ([0; ACTIVITIES], off_ns);
    // A piece of work may have begun with the start of its region.
    let start_ns = times.last().copied().filter(|_| last.activity == Activity::Work as u32).unwrap_or_default();
    let long = (last.took_ns + start_ns) * 2 >= times.iter().sum();
    let first = Activity::from_raw(last.activity).filter(|_| long);
    if first == Some(Activity::Work) {
        let [.., start] = &mut times;
        // The thread may have lost its processor in either.
        let whole = u128::from(*start) + u128::from(last.took_ns);
        let part = u128::from(left_ns) * u128::from(*start) / whole.max(1);
        let part_ns = u64::try_from(part).unwrap_or_default().min(*start);
        let [.., off_start] = &mut off;
        *off_start = part_ns;
        *start -= part_ns;
        left_ns -= part_ns;
    }
    for activity in first.into_iter().chain(ORDER) {
        if let Some((off, time)) = off.get_mut(activity as usize).zip(times.get_mut(activity as usize)) {
            let part_ns = left_ns.min(*time);
            *off += part_ns;
            *time -= part_ns;
            left_ns -= part_ns;
        }
    }
    off
}

#[cfg(test)]
mod tests {
    use super::*;
    use Activity::*;

    fn times(given: &[(Activity, u64)]) -> [u64; ACTIVITIES] {
        let mut all = [0; ACTIVITIES];
        for (activity, time) in given {
            all[*activity as usize] = *time;
        }
        all
    }

    fn last(activity: Activity, took_ns: u64) -> Last {
        Last { activity: activity as u32, took_ns }
    }

    #[test]
    fn a_long_piece_takes_the_time_off_and_hands_on_what_is_too_much() {
        let group = times(&[(Work, 900), (ImplicitBarrier, 100)]);
        assert_eq!(off_by_activity(group, 500, last(Work, 900)), times(&[(Work, 500)]));
        assert_eq!(off_by_activity(group, 950, last(Work, 900)), times(&[(Work, 900), (ImplicitBarrier, 50)]));
    }

    #[test]
    fn a_piece_of_work_shares_the_time_off_with_the_start_of_its_region() {
        let group = times(&[(Work, 300), (RegionStart, 600), (Idle, 10)]);
        assert_eq!(off_by_activity(group, 300, last(Work, 300)), times(&[(Work, 100), (RegionStart, 200)]));
        let group = times(&[(Work, 600), (RegionStart, 300), (Idle, 10)]);
        assert_eq!(off_by_activity(group, 300, last(Work, 600)), times(&[(Work, 200), (RegionStart, 100)]));
    }

    #[test]
    fn of_many_short_pieces_those_that_wait_come_first() {
        let group = times(&[(Work, 600), (ImplicitBarrier, 300), (Idle, 100)]);
        assert_eq!(off_by_activity(group, 350, last(Work, 10)), times(&[(ImplicitBarrier, 250), (Idle, 100)]));
        let all = times(&[(Work, 100), (ImplicitBarrier, 300), (Idle, 100)]);
        assert_eq!(off_by_activity(group, 500, last(Work, 10)), all);
    }
}
