//! Samples that were asked for and did not come, and why.

use terminal::quantity::percent;
use untrusted::figure;

/// Counts of samples of threads whose end was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undelivered {
    /// Samples that were asked for.
    pub asked: u64,
    /// Samples that were delivered.
    pub delivered: u64,
    /// Samples that were due while the thread was in the kernel.
    pub in_kernel: u64,
    /// Samples that were due while the thread ran code of the program for periods, and took no signal.
    pub blocked: u64,
    /// Threads that ended with samples due: one for each.
    pub ended: u64,
}

/// One part in this many may be missing without a word: the last period of each thread for instance.
const FEW: u64 = 20;
/// A reason for less than one part in this many is not mentioned.
const MIN_PART_MENTIONED: u64 = 50;

impl Undelivered {
    /// Adds a thread.
    pub fn add(&mut self, asked: u64, delivered: u64) {
        self.asked = figure::sum(self.asked, asked);
        self.delivered = figure::sum(self.delivered, delivered);
        self.ended = figure::sum(self.ended, u64::from(delivered < asked));
    }

    /// Adds CPU time for which a thread's signals were late, in the kernel and while they were blocked, at a rate.
    pub fn add_late(&mut self, [kernel_ns, blocked_ns]: [u64; 2], rate: u32) {
        let samples = |ns: u64| u64::try_from(u128::from(ns) * u128::from(rate) / 1_000_000_000).unwrap_or(u64::MAX);
        self.in_kernel = figure::sum(self.in_kernel, samples(kernel_ns));
        self.blocked = figure::sum(self.blocked, samples(blocked_ns));
    }

    /// Fraction of samples that were not delivered, and the known reasons. `None` if nearly all were delivered.
    pub fn text(&self) -> Option<String> {
        let missing = self.asked.saturating_sub(self.delivered);
        if missing.saturating_mul(FEW) < self.asked || missing < 2 {
            return None;
        }
        let blocked = self.blocked.min(missing);
        let in_kernel = self.in_kernel.min(missing - blocked);
        let ended = self.ended.min(missing - blocked - in_kernel);
        let share = |samples: u64| percent(samples as f64, self.asked as f64);
        let is_mentioned = |samples: &u64| samples.saturating_mul(MIN_PART_MENTIONED) >= self.asked;
        let reasons = [
            (in_kernel, "were due in the kernel (system calls, page faults), where signals wait"),
            (blocked, "while the program blocked the signal"),
            (ended, "were due in threads that then ended"),
            (missing - in_kernel - blocked - ended, "for an unknown reason"),
        ];
        let reasons = reasons.iter().filter(|(samples, _)| is_mentioned(samples));
        let reasons: Vec<String> = reasons.map(|(samples, why)| format!("{} % {why}", share(*samples))).collect();
        let later = "their time is in the next sample of each thread that had one";
        Some(format!("{} % of the requested samples are missing: {}; {later}", share(missing), reasons.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(delivered: u64, late_ms: [u64; 2]) -> Option<String> {
        let mut counts = Undelivered::default();
        counts.add(1000, delivered);
        counts.add_late(late_ms.map(|ms| ms * 1_000_000), 100);
        counts.text()
    }

    #[test]
    fn only_what_was_seen_is_a_reason() {
        let has = |delivered, late_ms, parts: &[&str]| {
            let text = text(delivered, late_ms).unwrap();
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
            text
        };
        assert_eq!(text(990, [100, 0]), None);
        let kernel = has(880, [1200, 0], &["12.00 % of", "12.00 % were due in the kernel"]);
        assert!(!kernel.contains("blocked") && !kernel.contains("unknown"), "{kernel}");
        has(500, [1000, 4000], &["50.00 % of", "10.00 % were due in the kernel", "40.00 % while the program blocked"]);
        let unseen = has(800, [0, 100], &["20.00 % of", "18.90 % for an unknown reason"]);
        assert!(!unseen.contains("blocked"), "{unseen}");
        let short = (0..100).fold(Undelivered::default(), |mut counts, thread| {
            counts.add(1, u64::from(thread < 30));
            counts
        });
        let short = short.text().unwrap();
        assert!(short.contains("70.00 % were due in threads that then ended") && !short.contains("unknown"), "{short}");
        // Estimates of more than is missing.
        has(900, [9000, 9000], &["10.00 % while the program blocked"]);
    }
}
