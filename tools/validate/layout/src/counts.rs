//! Numbers of checks, by rule.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::rule::Rule;

/// Numbers of checks and of violations by rule, indexed as the table of rules.
#[repr(C)]
#[derive(Debug)]
pub struct Counts {
    checks: [AtomicU64; MAX_RULES],
    broken: [AtomicU64; MAX_RULES],
    let_pass: AtomicU64,
}

/// Capacity, in rules: more than the number of rules.
const MAX_RULES: usize = 128;
const _: () = assert!(Rule::COUNT <= MAX_RULES);

impl Counts {
    /// Creates counts of zero.
    pub const fn new() -> Self {
        Self {
            checks: [const { AtomicU64::new(0) }; MAX_RULES],
            broken: [const { AtomicU64::new(0) }; MAX_RULES],
            let_pass: AtomicU64::new(0),
        }
    }

    /// Counts a check of a rule, and whether it held.
    #[inline]
    pub fn add(&self, rule: Rule, held: bool) {
        add_one(&self.checks, rule);
        if !held {
            add_one(&self.broken, rule);
        }
    }

    /// Counts a known deviation of the runtime, which isn't a violation.
    pub fn let_pass(&self) {
        self.let_pass.fetch_add(1, Relaxed);
    }

    /// Number of known deviations that were accepted.
    pub fn passed(&self) -> u64 {
        self.let_pass.load(Relaxed)
    }

    /// Number of checks and number of violations of a rule.
    pub fn of(&self, rule: Rule) -> (u64, u64) {
        let of = |counts: &[AtomicU64]| counts.get(rule.index()).map_or(0, |count| count.load(Relaxed));
        (of(&self.checks), of(&self.broken))
    }
}

impl Default for Counts {
    fn default() -> Self {
        Self::new()
    }
}

#[inline]
fn add_one(counts: &[AtomicU64], rule: Rule) {
    if let Some(count) = counts.get(rule.index()) {
        count.fetch_add(1, Relaxed);
    }
}
