//! Counts of checks, and the findings.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::event::Callback;
use crate::release::Release;
use crate::rule::Rule;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that was violated.
    pub rule: Rule,
    /// The validator's number of the thread.
    pub thread: u64,
    /// The callback during which it was found; `None` outside of all.
    pub callback: Option<Callback>,
    /// The callback's `codeptr_ra`, or 0.
    pub code: u64,
    /// Description of the violation.
    pub text: String,
}

/// Numbers of checks and of violations by rule, indexed as the table of rules.
#[repr(C)]
#[derive(Debug)]
pub struct Counts {
    checks: [AtomicU64; MOST_RULES],
    broken: [AtomicU64; MOST_RULES],
}

/// Capacity, in rules: more than there are.
const MOST_RULES: usize = 128;
const _: () = assert!(Rule::COUNT <= MOST_RULES);

impl Counts {
    /// Creates counts of zero.
    pub const fn new() -> Self {
        Self { checks: [const { AtomicU64::new(0) }; MOST_RULES], broken: [const { AtomicU64::new(0) }; MOST_RULES] }
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

fn add_one(counts: &[AtomicU64], rule: Rule) {
    if let Some(count) = counts.get(rule.index()) {
        count.fetch_add(1, Relaxed);
    }
}

/// Counts checks, and collects findings.
#[derive(Debug)]
pub struct Findings {
    /// True if the runtime is libomp, or derived from it. Its known deviations from the specification, which the rules'
    /// texts name, are accepted.
    pub llvm: bool,
    /// The release that the runtime is held to, if any: rules of later ones are not checked.
    pub release: Option<Release>,
    counts: &'static Counts,
    fresh: Vec<Finding>,
    thread: u64,
    callback: Option<Callback>,
    code: u64,
}

impl Findings {
    /// Creates a findings that counts in `counts`.
    pub fn new(llvm: bool, counts: &'static Counts) -> Self {
        Self { llvm, release: None, counts, fresh: Vec::new(), thread: 0, callback: None, code: 0 }
    }

    /// Holds the runtime to a release, to the letter.
    pub fn hold_to(&mut self, release: Release) {
        self.release = Some(release);
        self.llvm = false;
    }

    /// Attributes the following checks to this callback.
    pub fn turn_to(&mut self, thread: u64, callback: Option<Callback>, code: u64) {
        (self.thread, self.callback, self.code) = (thread, callback, code);
    }

    /// Counts a check, unless the rule came with a later release than the runtime is held to; if the rule is violated, adds a finding with the text of `seen`. True if the rule held.
    pub fn check(&mut self, rule: Rule, held: bool, seen: impl FnOnce() -> String) -> bool {
        if self.release.is_some_and(|release| rule.about().since > release) {
            return true;
        }
        add_one(&self.counts.checks, rule);
        if !held {
            add_one(&self.counts.broken, rule);
            let (thread, callback, code) = (self.thread, self.callback, self.code);
            self.fresh.push(Finding { rule, thread, callback, code, text: seen() });
        }
        held
    }

    /// Takes the findings since the last call.
    pub fn fresh(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.fresh)
    }
}
