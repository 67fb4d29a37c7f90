//! A thread's time by its scheduling state: on a processor, ready without one, or blocked.
//!
//! The thread's CPU clock says how long it ran; what was not spent on a processor since the last reading is charged to the activities
//! meanwhile. A reading is due at the end of each piece of work or wait of `EVERY_NS`, and of each `SHORT_PIECES_NS` of shorter ones, which
//! costs a thousandth of the time. It reads the CPU clock only if the kernel has counted a context switch since (`getrusage(2)`), and
//! each `CLOCK_EVERY_NS`: the clock makes the kernel bring the thread's time up to date, and take the processor away if the thread's turn
//! is over. Otherwise it looks at each tick of the timer. Read at each piece, between waits in which threads spin, the clock takes
//! processors from threads that work and leaves them to threads that spin: beside other programs, teams took 2.5 times as long.
//!
//! Context-switch records of `perf_event_open` would say it exactly, but make each switch slower by some microseconds: regions whose threads
//! sleep in between took twice as long. The time ready without a processor comes from the kernel's `schedstat`, which is read rarely.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::before::{Before, LONG_NS};
use crate::processor;
use stat_layout::clock::monotonic_ns;
use stat_layout::process_table::add;
use stat_layout::stat::activity::{ACTIVITIES, Activity};
use stat_layout::stat::layout::ThreadSlot;
use stat_layout::stat::processor_time::source;

/// A reading is due at the end of each piece of work or wait of this length.
const EVERY_NS: u64 = 200_000;
/// Time between two readings where all pieces are shorter. A reading takes about a microsecond.
const SHORT_PIECES_NS: u64 = 1_000_000;
/// Longest time between two readings of the CPU clock, if the thread has events: without a context switch as well, interrupts and other
/// virtual machines take some time.
const CLOCK_EVERY_NS: u64 = 20_000_000;
/// Shortest time between two readings of `schedstat` for each thread, if there are few threads.
const DELAY_EVERY_NS: u64 = 20_000_000;
/// From twice this number of threads on, the interval grows with the number: their readings would take all
/// processors' time, and a descriptor each.
const MAX_THREADS_READ_OFTEN: u64 = 64;
/// Below this, time off the processors is not split.
const LITTLE_NS: u64 = 50_000;
/// Pieces of work without a processor that are shorter count as running in the shares of a region.
const HELD_NS: u64 = 200_000;
/// For threads that live shorter than this, `/proc` is not read for these either.
const YOUNG_NS: u64 = 20_000_000;

/// Number of the process's threads whose time counts.
static THREADS: AtomicU64 = AtomicU64::new(0);

/// The process starts; no thread's time counts yet.
pub(super) fn begin() {
    THREADS.store(0, Relaxed);
}

/// A time between readings of a thread, adapted to the number of threads.
fn spread(time_ns: u64) -> u64 {
    time_ns * (THREADS.load(Relaxed) / MAX_THREADS_READ_OFTEN).max(1)
}

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

/// The readings of one thread. Private to the thread, not in shared memory.
#[derive(Debug)]
pub(super) struct Usage {
    next_ns: u64,
    next_clock_ns: u64,
    next_delay_ns: u64,
    /// Context switches up to the last reading.
    switches: u64,
    /// From this time on, the thread no longer counts as short-lived.
    long_ns: u64,
    /// Time ready without a processor in pieces of work.
    held_ns: u64,
    /// Time off the processors of the slot's earlier users.
    earlier_off_ns: u64,
    /// The CPU clock up to which time is charged.
    cpu_ns: u64,
    /// Time by activity at the last reading.
    spent_ns: [u64; ACTIVITIES],
}

impl Usage {
    /// Readings of a thread that hasn't begun.
    pub(super) const fn new() -> Self {
        Self {
            next_ns: 0,
            next_clock_ns: 0,
            next_delay_ns: 0,
            switches: 0,
            long_ns: 0,
            held_ns: 0,
            earlier_off_ns: 0,
            cpu_ns: 0,
            spent_ns: [0; ACTIVITIES],
        }
    }

    /// The thread's time counts in this slot from now on, in addition to what the slot already holds.
    pub(super) fn start(&mut self, slot: &ThreadSlot, at_ns: u64, before: Before) {
        let time = &slot.processor;
        time.cpu_from.store(time.cpu_ns.load(Relaxed).wrapping_sub(before.cpu_ns), Relaxed);
        time.delay_from.store(time.delay_ns.load(Relaxed).wrapping_sub(before.delay_ns), Relaxed);
        time.moves_from.store(time.moves.load(Relaxed).wrapping_sub(before.moves), Relaxed);
        time.counted_ns.store(slot.spent_in_all_ns(), Relaxed);
        self.earlier_off_ns = off_ns(slot);
        self.cpu_ns = before.cpu_ns;
        self.spent_ns = spent(slot);
        self.next_ns = at_ns + EVERY_NS;
        self.next_clock_ns = at_ns;
        self.long_ns = at_ns + LONG_NS;
        THREADS.fetch_add(1, Relaxed);
        self.next_delay_ns = at_ns + spread(LONG_NS);
    }

    /// True if it is time for a reading.
    ///
    /// At an event at `at_ns`, whose piece began at `since_ns`.
    #[inline(always)]
    pub(super) fn is_due(&self, since_ns: u64, at_ns: u64) -> bool {
        at_ns >= self.next_ns || at_ns >= since_ns + EVERY_NS
    }

    /// Reads the clocks, at an event whose time has been charged.
    #[cold]
    pub(super) fn read(&mut self, slot: &ThreadSlot, at_ns: u64, last: Last) {
        let switches = processor::switches().iter().sum();
        let has_run_on = switches == self.switches && at_ns < self.next_clock_ns;
        self.switches = switches;
        let off_work_ns = if has_run_on {
            self.charge_running(slot);
            0
        } else {
            self.next_clock_ns = at_ns + CLOCK_EVERY_NS;
            self.charge(slot, processor::cpu_ns(), last)
        };
        self.next_ns = at_ns + SHORT_PIECES_NS;
        if off_work_ns >= HELD_NS {
            self.held_ns += self.ready_part(slot, at_ns, off_work_ns);
        }
        if at_ns >= self.next_delay_ns {
            self.next_delay_ns = at_ns + spread(DELAY_EVERY_NS);
            if !read_delay(slot) {
                self.estimate_delay(slot, source::REFUSED);
            }
        }
    }

    /// Reads the clocks at the thread's end.
    pub(super) fn close(&mut self, slot: &ThreadSlot, at_ns: u64, last: Last) {
        let _ = THREADS.fetch_update(Relaxed, Relaxed, |threads| threads.checked_sub(1));
        if at_ns >= self.long_ns {
            self.next_delay_ns = at_ns;
            read_moves(slot);
        }
        self.next_clock_ns = at_ns;
        self.read(slot, at_ns, last);
        if at_ns < self.long_ns && off_ns(slot) > self.earlier_off_ns + LITTLE_NS {
            self.estimate_delay(slot, source::SWITCHES);
        }
    }

    /// Time without a processor in pieces of work up to the last reading, modulo 2^64. It is not in the regions'
    /// shares.
    pub(super) fn held_ns(&self) -> u64 {
        self.held_ns
    }

    /// The part of a piece of work's time off the processors for which the thread was ready. It slept for the rest.
    fn ready_part(&mut self, slot: &ThreadSlot, at_ns: u64, off_ns: u64) -> u64 {
        let before_ns = slot.processor.delay_ns.load(Relaxed);
        if at_ns + LONG_NS >= self.long_ns + spread(YOUNG_NS) && read_delay(slot) {
            self.next_delay_ns = at_ns + spread(DELAY_EVERY_NS);
            return off_ns.min(slot.processor.delay_ns.load(Relaxed).wrapping_sub(before_ns));
        }
        taken_off_part(off_ns)
    }

    /// Estimates the delay as a share of the thread's time off the processors: as often as it was preempted rather
    /// than blocked.
    fn estimate_delay(&self, slot: &ThreadSlot, by: u16) {
        let time = &slot.processor;
        let share_ns = taken_off_part(off_ns(slot).saturating_sub(self.earlier_off_ns));
        time.delay_ns.store(time.delay_from.load(Relaxed).wrapping_add(share_ns), Relaxed);
        time.source.store(by, Relaxed);
    }

    /// Charges the time of a thread that has had a processor since the last reading.
    fn charge_running(&mut self, slot: &ThreadSlot) {
        let (before, now): (u64, u64) = (self.spent_ns.iter().sum(), slot.spent_in_all_ns());
        self.cpu_ns += now.saturating_sub(before);
        self.spent_ns = spent(slot);
    }

    /// Charges the time, and returns the time of work off the processors.
    fn charge(&mut self, slot: &ThreadSlot, cpu_ns: u64, last: Last) -> u64 {
        let now = spent(slot);
        let mut times = [0; ACTIVITIES];
        for ((time, now), before) in times.iter_mut().zip(now).zip(self.spent_ns) {
            // An activity from which time was moved to another one has less than before.
            *time = now.saturating_sub(before);
        }
        self.spent_ns = now;
        let all_ns: u64 = times.iter().sum();
        let ran_ns = cpu_ns.saturating_sub(self.cpu_ns);
        // The clock is read a little after the event: the excess belongs to the next reading.
        self.cpu_ns += ran_ns.min(all_ns);
        let off = off_by_activity(times, all_ns.saturating_sub(ran_ns), last);
        for (to, off_ns) in slot.processor.off_ns.iter().zip(off) {
            if off_ns > 0 {
                add(to, off_ns);
            }
        }
        count(slot, slot.spent_in_all_ns(), cpu_ns);
        off.get(Activity::Work as usize).copied().unwrap_or_default()
    }
}

/// The part of the time off the processors in proportion to the calling thread's preemptions among all its context
/// switches.
fn taken_off_part(off_ns: u64) -> u64 {
    let [blocked, taken_off] = processor::switches();
    let share = u128::from(off_ns) * u128::from(taken_off) / u128::from((blocked + taken_off).max(1));
    u64::try_from(share).unwrap_or_default()
}

/// Splits time off the processors by activity. A long wait or piece of work that has just ended takes all of it; among many
/// short ones, those that may sleep come first.
fn off_by_activity(mut times: [u64; ACTIVITIES], off_ns: u64, last: Last) -> [u64; ACTIVITIES] {
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

fn spent(slot: &ThreadSlot) -> [u64; ACTIVITIES] {
    let mut times = [0; ACTIVITIES];
    for (time, from) in times.iter_mut().zip(&slot.spent_ns) {
        *time = from.load(Relaxed);
    }
    times
}

fn count(slot: &ThreadSlot, counted_ns: u64, cpu_ns: u64) {
    slot.processor.cpu_ns.store(slot.processor.cpu_from.load(Relaxed).wrapping_add(cpu_ns), Relaxed);
    slot.processor.counted_ns.store(counted_ns, Relaxed);
}

/// Time off the processors, as far as it has been counted.
fn off_ns(slot: &ThreadSlot) -> u64 {
    slot.processor.counted_ns.load(Relaxed).saturating_sub(slot.processor.cpu_ns.load(Relaxed))
}

/// Reads the delay of any thread of this process. Returns false if `schedstat` can't be read.
fn read_delay(slot: &ThreadSlot) -> bool {
    set_delay(slot, processor::delay(slot.tid.load(Relaxed)))
}

/// Reads the moves of any thread of this process.
fn read_moves(slot: &ThreadSlot) {
    if let Some(moves) = processor::moves(slot.tid.load(Relaxed)) {
        slot.processor.moves.store(slot.processor.moves_from.load(Relaxed).wrapping_add(moves), Relaxed);
    }
}

/// Records a thread's delay and turns; returns false for `None`.
fn set_delay(slot: &ThreadSlot, delay: Option<(u64, u64)>) -> bool {
    let time = &slot.processor;
    let Some((delay_ns, runs)) = delay else { return false };
    time.runs.store(u32::try_from(runs).unwrap_or(u32::MAX), Relaxed);
    time.delay_ns.store(time.delay_from.load(Relaxed).wrapping_add(delay_ns), Relaxed);
    time.source.store(source::SCHEDSTAT, Relaxed);
    true
}

/// Clocks of the thread that runs the exit handlers at the process's end, read at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    tid: u32,
    pub(super) at_ns: u64,
    cpu_ns: u64,
    /// Time ready without a processor and number of turns, if the process has lived for long.
    delay: Option<(u64, u64)>,
}

impl Exit {
    /// Reads the clocks of the calling thread, in a process that started at `begun_ns`.
    ///
    /// A thread that loses its processor between two of the readings would be blocked for less or more than it was.
    pub(super) fn now(begun_ns: u64) -> Self {
        /// A busy machine takes the processor away once in some milliseconds; the readings take some microseconds.
        const ATTEMPTS: usize = 4;
        let tid = system::threads::id();
        let read = || Self { tid, at_ns: monotonic_ns(), cpu_ns: processor::cpu_ns(), delay: None };
        let exit = read();
        if exit.at_ns.wrapping_sub(begun_ns) < LONG_NS {
            return exit;
        }
        let mut delay = processor::delay(tid);
        for _ in 0..ATTEMPTS {
            let exit = Self { delay, ..read() };
            let again = processor::delay(tid);
            if again == delay {
                return exit;
            }
            delay = again;
        }
        Self { delay, ..read() }
    }

    /// Counts the time of a thread of the process that is alive.
    pub(super) fn finish(&self, slot: &ThreadSlot) {
        let time_ns = self.at_ns.wrapping_sub(slot.start_ns.load(Relaxed));
        let is_asked = time_ns >= spread(LONG_NS);
        if is_asked {
            read_moves(slot);
        }
        let tid = slot.tid.load(Relaxed);
        if tid == self.tid {
            count(slot, time_ns, self.cpu_ns);
            set_delay(slot, self.delay.filter(|_| time_ns >= LONG_NS));
            slot.processor.exiting.store(1, Relaxed);
        } else if let Some(cpu_ns) = processor::cpu_ns_of(tid) {
            count(slot, time_ns, cpu_ns);
            set_delay(slot, is_asked.then(|| processor::delay(tid)).flatten());
        }
    }
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
    fn the_cpu_clock_is_read_only_after_a_context_switch_or_a_long_time() {
        let shared = stat_layout::area::SharedArea::<stat_layout::stat::layout::Area>::create(0).unwrap();
        let (_, slot) = shared.area().claim_thread().unwrap();
        let (mut usage, mut at_ns) = (Usage::new(), 0);
        let mut reads_clock = |after_ns: u64| {
            at_ns += after_ns;
            slot.processor.cpu_ns.store(0, Relaxed);
            usage.read(slot, at_ns, last(Work, after_ns));
            slot.processor.cpu_ns.load(Relaxed) != 0
        };
        assert!(reads_clock(1));
        // A busy machine may take the processor away.
        assert!((0..10_000).any(|_| !reads_clock(SHORT_PIECES_NS)));
        assert!(reads_clock(CLOCK_EVERY_NS));
        while reads_clock(1) {}
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(reads_clock(1));
    }

    #[test]
    fn of_many_short_pieces_those_that_wait_come_first() {
        let group = times(&[(Work, 600), (ImplicitBarrier, 300), (Idle, 100)]);
        assert_eq!(off_by_activity(group, 350, last(Work, 10)), times(&[(ImplicitBarrier, 250), (Idle, 100)]));
        let all = times(&[(Work, 100), (ImplicitBarrier, 300), (Idle, 100)]);
        assert_eq!(off_by_activity(group, 500, last(Work, 10)), all);
    }
}
