//! Accounting of each thread's time that no sample represents yet.
//!
//! A thread that ends has run for a part of a period since its last sample. A thread that lives shorter than a period
//! usually gets no sample at all. So that their CPU time isn't lost, the record keeps it, and the next thread that
//! uses the record continues from there: its first sample comes earlier by that time, and also represents it. If many
//! threads end simultaneously, no thread follows; so the first thread that gets a record, unless it is the initial
//! thread, starts somewhere within a period. One sample then represents a period's CPU time, and threads get samples
//! in proportion to their run time.
//!
//! Threads that do the same for the same time would always be sampled at the same place if all periods of a record had
//! equal lengths. So a period that passes from one thread to the next is half to one and a half times as long as the
//! others.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Minimum time to a thread's first sample. A clock keeps ticking until that sample has adjusted it. If it ticked
/// every ten microseconds, the kernel's minimum, a virtual machine might do nothing but handle its signals.
const SOON_NS: u64 = 100_000;

/// Time account of a thread record. All zeros are valid: a record that was never used.
#[derive(Debug)]
pub(crate) struct Account {
    /// Wall-clock time up to which samples represent the thread; the next field is the same for CPU time.
    charged_ns: AtomicU64,
    charged_cpu_ns: AtomicU64,
    /// The thread's CPU clock at its start.
    begun_cpu_ns: AtomicU64,
    /// CPU time that the previous thread has left with the record.
    left_ns: AtomicU64,
    /// CPU time at which the thread's first sample is due, including the time left with the record; 0 if never used.
    due_ns: AtomicU64,
    /// Part of a period that is over at the thread's start: earlier threads' CPU time that is not in their [`Rest::asked`].
    owed_ns: AtomicU64,
}

/// Time that a thread leaves uncharged at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rest {
    /// Wall-clock time that no sample represents.
    pub(crate) wall_ns: u64,
    pub(crate) cpu_ns: u64,
    /// Number of signals that its clock should have sent: periods that its CPU time has completed. The first one was begun by
    /// earlier threads with this record, or at a random time.
    pub(crate) asked: u64,
}

impl Account {
    /// Starts the account of a new thread.
    pub(crate) fn begin(&self, now_ns: u64, cpu_ns: u64) {
        self.charged_ns.store(now_ns, Relaxed);
        self.charged_cpu_ns.store(cpu_ns, Relaxed);
        self.begun_cpu_ns.store(cpu_ns, Relaxed);
    }

    /// CPU time from the thread's start to its first sample. `None`: the usual period. Also prepares a record that is
    /// used for the first time.
    pub(crate) fn first_period_ns(&self, period_ns: u64, seed: u64) -> Option<u64> {
        let is_unused = self.due_ns.load(Relaxed) == 0;
        if is_unused {
            let length_ns = length_around(period_ns, seed);
            self.due_ns.store(length_ns, Relaxed);
            self.left_ns.store(part(length_ns, !seed), Relaxed);
        }
        let left_ns = self.left_ns.load(Relaxed);
        // A sample that is already due comes soon, but only after the thread has run a little.
        let soon_ns = SOON_NS.min(period_ns);
        let first_ns = (left_ns > 0).then(|| self.due_ns.load(Relaxed).saturating_sub(left_ns).max(soon_ns));
        if is_unused {
            // The first signal completes a period.
            self.owed_ns.store(period_ns.saturating_sub(first_ns.unwrap_or(period_ns)), Relaxed);
        }
        first_ns
    }

    /// Records that a thread had its early first sample, and draws the next thread's period.
    pub(crate) fn due(&self, period_ns: u64, seed: u64) {
        self.due_ns.store(period_ns / 2 + part(period_ns, seed), Relaxed);
    }

    /// Wall-clock time up to which samples represent the thread.
    pub(crate) fn charged_until_ns(&self) -> u64 {
        self.charged_ns.load(Relaxed)
    }

    /// Wall-clock and CPU time that no sample represents yet.
    pub(crate) fn open(&self, now_ns: u64, cpu_ns: u64) -> (u64, u64) {
        let left_ns = self.left_ns.load(Relaxed);
        (
            (now_ns + left_ns).saturating_sub(self.charged_ns.load(Relaxed)),
            (cpu_ns + left_ns).saturating_sub(self.charged_cpu_ns.load(Relaxed)),
        )
    }

    /// Charges the time of a sample.
    pub(crate) fn charge(&self, wall_ns: u64, cpu_ns: u64) {
        self.charged_ns.fetch_add(wall_ns, Relaxed);
        self.charged_cpu_ns.fetch_add(cpu_ns, Relaxed);
    }

    /// Uncharged time at the end of a thread or of the process.
    pub(crate) fn rest(&self, now_ns: u64, cpu_ns: u64, period_ns: u64) -> Rest {
        let ran_ns = cpu_ns.saturating_sub(self.begun_cpu_ns.load(Relaxed)) + self.owed_ns.load(Relaxed);
        let (wall_ns, cpu_ns) = self.open(now_ns, cpu_ns);
        Rest { wall_ns, cpu_ns, asked: ran_ns / period_ns.max(1) }
    }

    /// Closes the account at a thread's end and leaves its CPU time to the next thread that gets the record. The rest
    /// of the wall-clock time may have been spent asleep anywhere; it stays unattributed.
    pub(crate) fn pass_on(&self, now_ns: u64, cpu_ns: u64, period_ns: u64) -> Rest {
        let ran_ns = cpu_ns.saturating_sub(self.begun_cpu_ns.load(Relaxed)) + self.owed_ns.load(Relaxed);
        let mut rest = self.rest(now_ns, cpu_ns, period_ns);
        self.owed_ns.store(ran_ns % period_ns.max(1), Relaxed);
        // Timers may have missed all of several threads. If there is more time than that, signals are blocked.
        let left_ns = rest.cpu_ns.min(rest.wall_ns).min(8 * period_ns);
        self.left_ns.store(left_ns, Relaxed);
        rest.wall_ns -= left_ns;
        rest.cpu_ns -= left_ns;
        rest
    }

    /// Resets the account in a forked child, whose earlier time is the parent's, and for the initial thread.
    pub(crate) fn forget(&self, period_ns: u64) {
        self.left_ns.store(0, Relaxed);
        self.owed_ns.store(0, Relaxed);
        self.due_ns.store(period_ns, Relaxed);
    }
}

/// Pseudo-random length of a period that an arbitrary moment lies in, by `seed`: from half to one and a half times the usual
/// one, like others, but with a probability in proportion to the length, as long periods contain more moments.
fn length_around(period_ns: u64, seed: u64) -> u64 {
    let period = u128::from(period_ns);
    let square = period * period / 4 + 2 * period * u128::from(part(period_ns, seed));
    u64::try_from(square.isqrt()).unwrap_or(period_ns)
}

/// A pseudo-random part of a time: below `whole`, by `seed`.
fn part(whole: u64, seed: u64) -> u64 {
    let mixed = (seed ^ seed >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    u64::try_from((u128::from(mixed) * u128::from(whole)) >> 64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: u64 = 10_000_000;

    fn new() -> Account {
        let zero = || AtomicU64::new(0);
        Account {
            charged_ns: zero(),
            charged_cpu_ns: zero(),
            begun_cpu_ns: zero(),
            left_ns: zero(),
            due_ns: zero(),
            owed_ns: zero(),
        }
    }

    /// Runs `threads` threads on one record, one after the other. Returns how often each quarter of their lives was
    /// sampled, the time charged to samples, and the signals requested.
    fn run(threads: u64, life_ns: u64) -> ([u64; 4], u64, u64) {
        let (account, mut met, mut charged, mut asked) = (new(), [0; 4], 0, 0);
        for thread in 0..threads {
            // Each at a different time, with a new CPU clock.
            let now_ns = thread * 3 * life_ns;
            account.begin(now_ns, 5);
            let first = account.first_period_ns(PERIOD, now_ns + 77);
            let mut at = first.unwrap_or(PERIOD);
            while at <= life_ns {
                let (wall, cpu) = account.open(now_ns + at, 5 + at);
                assert_eq!(wall, cpu);
                account.charge(wall, cpu);
                charged += cpu;
                met[usize::try_from((at * 4 - 1) / life_ns).unwrap()] += 1;
                if at == first.unwrap_or(PERIOD) {
                    account.due(PERIOD, now_ns + 99);
                }
                at += PERIOD;
            }
            let rest = account.pass_on(now_ns + 2 * life_ns, 5 + life_ns, PERIOD);
            assert_eq!((rest.wall_ns, rest.cpu_ns), (life_ns, 0));
            asked += rest.asked;
        }
        (met, charged, asked)
    }

    #[test]
    fn short_threads_time_is_charged_to_samples_all_over_their_lives() {
        for life_ns in [PERIOD / 5, PERIOD / 3 + 1, PERIOD * 3 / 2] {
            let threads = 4000;
            let (met, charged, asked) = run(threads, life_ns);
            let all = threads * life_ns;
            assert!(charged.abs_diff(all) <= 2 * PERIOD, "{charged} of {all}");
            assert!(asked.abs_diff(all / PERIOD) <= 1, "{asked}");
            let samples: u64 = met.iter().sum();
            assert!(met.iter().all(|part| part * 16 > samples * 3 && part * 16 < samples * 5), "{met:?}");
        }
    }

    #[test]
    fn threads_that_all_end_at_once_have_samples_for_their_time_and_as_many_are_requested() {
        let (threads, life_ns) = (4000, PERIOD / 4);
        let charge = |seed: u64| {
            let account = new();
            account.begin(0, 0);
            let first = account.first_period_ns(PERIOD, seed * 1000).filter(|first| *first <= life_ns);
            let charged = first.map(|first| account.open(first, first).1);
            assert_eq!(account.pass_on(life_ns, life_ns, PERIOD).asked, u64::from(first.is_some()), "{seed}");
            charged
        };
        let charged: Vec<u64> = (0..threads).filter_map(charge).collect();
        // One in four, and their samples stand for the time of all.
        assert!((940..1060).contains(&charged.len()), "{}", charged.len());
        let (sum, all) = (charged.iter().sum::<u64>(), threads * life_ns);
        assert!(sum.abs_diff(all) < all / 20, "{sum} of {all}");
    }

    #[test]
    fn what_is_due_at_once_leaves_the_thread_time() {
        for (period_ns, soon_ns) in [(50_000, 50_000), (200_000, SOON_NS), (PERIOD, SOON_NS)] {
            let account = new();
            account.due(period_ns, 1);
            account.left_ns.store(8 * period_ns, Relaxed);
            assert_eq!(account.first_period_ns(period_ns, 1), Some(soon_ns));
        }
    }

    #[test]
    fn a_program_begins_at_a_periods_begin() {
        let account = new();
        account.forget(PERIOD);
        account.begin(100, 50);
        assert_eq!(account.first_period_ns(PERIOD, 1), None);
        assert_eq!(account.open(300, 150), (200, 100));
    }
}
