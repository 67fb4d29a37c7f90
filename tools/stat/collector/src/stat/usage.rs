//! A thread's time by its scheduling state: on a processor, ready without one, or blocked.
//!
//! A reading charges the time that a thread has spent off the processors since the last reading to the activities of that interval. It is
//! due at the end of each piece of work or wait of `EVERY_NS`, and of each `SHORT_PIECES_NS` of shorter ones, and takes a thousandth of the
//! time. It asks for the thread's context switches (`getrusage(2)`):
//!
//! - none: the thread has had a processor;
//! - preemptions only: it was ready without one for as long as the kernel's `schedstat` says;
//! - it was blocked: its CPU clock says how long it ran.
//!
//! The CPU clock alone would do, but not for a thread that shares a processor: it makes the kernel bring the thread's time up to date, and
//! take the processor away if the thread's turn is over. Otherwise the kernel looks at each tick of the timer. Read where work begins or
//! ends, the clock takes processors from threads that work and leaves them to those that spin for them: beside other programs, teams took
//! 2.5 times as long.
//!
//! Context-switch records of `perf_event_open` would say it exactly, but make each switch slower by some microseconds: regions whose threads
//! sleep in between took twice as long.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::before::{Before, LONG_NS};
use super::time_off::{Last, off_by_activity};
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
/// Longest time without a context switch after which the CPU clock is read: interrupts and other virtual machines take some time.
const CLOCK_EVERY_NS: u64 = 20_000_000;
/// Time between two readings of `schedstat` for each thread that is not preempted, if there are few threads.
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

/// Time that a thread spent off the processors since its last reading, and how it is known.
#[derive(Clone, Copy, Debug)]
enum Off {
    /// None.
    RanOn,
    /// Ready without a processor for this time.
    Preempted { ready_ns: u64 },
    /// All but what this CPU clock has advanced; ready for part of it, if that is known.
    Clock { cpu_ns: u64, ready_ns: Option<u64> },
}

/// The readings of one thread. Private to the thread, not in shared memory.
#[derive(Debug)]
pub(super) struct Usage {
    next_ns: u64,
    next_clock_ns: u64,
    next_delay_ns: u64,
    /// Context switches up to the last reading: blocked, preempted.
    switches: [u64; 2],
    /// The delay up to which time is charged, if it was read since the thread was last blocked.
    charged_delay_ns: Option<u64>,
    /// True if the thread's delay was read.
    has_delay: bool,
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
            switches: [0; 2],
            charged_delay_ns: None,
            has_delay: false,
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
        (self.charged_delay_ns, self.has_delay) = (None, false);
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
        let off = self.look(slot, at_ns);
        self.next_ns = at_ns + SHORT_PIECES_NS;
        let off_work_ns = self.charge(slot, off, last);
        if off_work_ns >= HELD_NS {
            self.held_ns += match off {
                Off::Clock { ready_ns: None, .. } => self.ready_part(slot, at_ns, off_work_ns),
                Off::Clock { ready_ns: Some(ready_ns), .. } => off_work_ns.min(ready_ns),
                Off::RanOn | Off::Preempted { .. } => off_work_ns,
            };
        }
        if at_ns >= self.next_delay_ns && self.read_delay(slot, at_ns).is_none() {
            self.next_delay_ns = at_ns + spread(DELAY_EVERY_NS);
            self.estimate_delay(slot, source::REFUSED);
        }
    }

    /// Asks the kernel for the time off the processors since the last reading.
    fn look(&mut self, slot: &ThreadSlot, at_ns: u64) -> Off {
        let before = std::mem::replace(&mut self.switches, processor::switches());
        let [was_blocked, was_preempted] = [0, 1].map(|kind| self.switches.get(kind) != before.get(kind));
        if !was_blocked && !was_preempted && at_ns < self.next_clock_ns {
            return Off::RanOn;
        }
        self.next_clock_ns = at_ns + CLOCK_EVERY_NS;
        if was_blocked {
            self.charged_delay_ns = None;
        }
        let mut ready_ns = None;
        if was_preempted && !was_blocked && self.may_read_delay(at_ns) {
            let charged_ns = self.charged_delay_ns.take();
            let before_ns = slot.processor.delay_ns.load(Relaxed);
            self.charged_delay_ns = self.read_delay(slot, at_ns);
            if let (Some(delay_ns), Some(charged_ns)) = (self.charged_delay_ns, charged_ns) {
                return Off::Preempted { ready_ns: delay_ns.wrapping_sub(charged_ns) };
            }
            // Read before the CPU clock: what the thread loses in between belongs to the next reading.
            ready_ns = self.charged_delay_ns.map(|delay_ns| delay_ns.wrapping_sub(before_ns));
        }
        Off::Clock { cpu_ns: processor::cpu_ns(), ready_ns }
    }

    /// Reads the thread's delay, and gives what the slot then has.
    fn read_delay(&mut self, slot: &ThreadSlot, at_ns: u64) -> Option<u64> {
        set_delay(slot, processor::delay(slot.tid.load(Relaxed))).then(|| {
            self.has_delay = true;
            self.next_delay_ns = at_ns + spread(DELAY_EVERY_NS);
            slot.processor.delay_ns.load(Relaxed)
        })
    }

    /// True if the thread has lived long enough for its end to become slower by an entry in `/proc`.
    fn may_read_delay(&self, at_ns: u64) -> bool {
        at_ns + LONG_NS >= self.long_ns + spread(YOUNG_NS)
    }

    /// Reads the clocks at the thread's end.
    pub(super) fn close(&mut self, slot: &ThreadSlot, at_ns: u64, last: Last) {
        let _ = THREADS.fetch_update(Relaxed, Relaxed, |threads| threads.checked_sub(1));
        if at_ns >= self.long_ns {
            self.next_delay_ns = at_ns;
            read_moves(slot);
        }
        // By the clock.
        (self.next_clock_ns, self.charged_delay_ns) = (at_ns, None);
        self.read(slot, at_ns, last);
        if at_ns < self.long_ns && off_ns(slot) > self.earlier_off_ns + LITTLE_NS {
            let is_read = self.has_delay && self.read_delay(slot, at_ns).is_some();
            if !is_read {
                self.estimate_delay(slot, source::SWITCHES);
            }
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
        if self.may_read_delay(at_ns)
            && let Some(delay_ns) = self.read_delay(slot, at_ns)
        {
            return off_ns.min(delay_ns.wrapping_sub(before_ns));
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

    /// Charges the time, and returns the time of work off the processors.
    fn charge(&mut self, slot: &ThreadSlot, off: Off, last: Last) -> u64 {
        let now = spent(slot);
        let mut times = [0; ACTIVITIES];
        for ((time, now), before) in times.iter_mut().zip(now).zip(self.spent_ns) {
            // An activity from which time was moved to another one has less than before.
            *time = now.saturating_sub(before);
        }
        self.spent_ns = now;
        let all_ns: u64 = times.iter().sum();
        // The kernel is asked a little after the event: the excess belongs to the next reading.
        let off_ns = match off {
            Off::RanOn => 0,
            Off::Preempted { ready_ns } => {
                let excess_ns = ready_ns.saturating_sub(all_ns);
                self.charged_delay_ns = self.charged_delay_ns.map(|delay_ns| delay_ns.wrapping_sub(excess_ns));
                ready_ns - excess_ns
            }
            Off::Clock { cpu_ns, .. } => all_ns.saturating_sub(cpu_ns.saturating_sub(self.cpu_ns)),
        };
        self.cpu_ns += all_ns - off_ns;
        if let Off::Clock { cpu_ns, .. } = off {
            // Time that interrupts and other virtual machines took since the last reading of the clock is not charged to later activities.
            self.cpu_ns = self.cpu_ns.min(cpu_ns);
        }
        let off_by_activity = off_by_activity(times, off_ns, last);
        for (to, off_ns) in slot.processor.off_ns.iter().zip(off_by_activity) {
            if off_ns > 0 {
                add(to, off_ns);
            }
        }
        let cpu_ns = if let Off::Clock { cpu_ns, .. } = off { cpu_ns } else { self.cpu_ns };
        count(slot, slot.spent_in_all_ns(), cpu_ns);
        off_by_activity.get(Activity::Work as usize).copied().unwrap_or_default()
    }
}

/// The part of the time off the processors in proportion to the calling thread's preemptions among all its context
/// switches.
fn taken_off_part(off_ns: u64) -> u64 {
    let [blocked, taken_off] = processor::switches();
    let share = u128::from(off_ns) * u128::from(taken_off) / u128::from((blocked + taken_off).max(1));
    u64::try_from(share).unwrap_or_default()
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

    #[test]
    fn the_cpu_clock_is_read_after_sleep_and_not_while_the_thread_runs_on() {
        let shared = stat_layout::area::SharedArea::<stat_layout::stat::layout::Area>::create(0).unwrap();
        let (_, slot) = shared.area().claim_thread().unwrap();
        let (mut usage, mut at_ns) = (Usage::new(), 0);
        let mut reads_clock = |after_ns: u64| {
            at_ns += after_ns;
            matches!(usage.look(slot, at_ns), Off::Clock { .. })
        };
        assert!(reads_clock(1));
        // A busy machine may take the processor away.
        assert!((0..10_000).any(|_| !reads_clock(SHORT_PIECES_NS)));
        while reads_clock(1) {}
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(reads_clock(1));
    }
}
