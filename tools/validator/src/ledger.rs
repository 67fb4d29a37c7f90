//! What was checked, and what was found.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::event::Callback;
use crate::rule::Rule;

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which.
    pub rule: Rule,
    /// On which thread.
    pub thread: u64,
    /// In which callback; `None` outside of all.
    pub callback: Option<Callback>,
    /// The callback's `codeptr_ra`, or 0.
    pub code: u64,
    /// What was seen.
    pub text: String,
}

/// How often each rule was checked, and how often it was broken, by its place in the table.
#[repr(C)]
#[derive(Debug)]
pub struct Counts {
    checks: [AtomicU64; MOST_RULES],
    broken: [AtomicU64; MOST_RULES],
}

/// Room for more rules than there are.
const MOST_RULES: usize = 128;
const _: () = assert!(Rule::COUNT <= MOST_RULES);

impl Counts {
    /// Nothing is counted yet.
    pub const fn new() -> Self {
        Self { checks: [const { AtomicU64::new(0) }; MOST_RULES], broken: [const { AtomicU64::new(0) }; MOST_RULES] }
    }

    /// How often a rule was checked, and how often it was broken.
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
pub struct Ledger {
    /// The runtime is libomp, or a relative: what it does otherwise than the specification says, and the rule's text tells, is
    /// let pass.
    pub llvm: bool,
    counts: &'static Counts,
    fresh: Vec<Finding>,
    thread: u64,
    callback: Option<Callback>,
    code: u64,
}

impl Ledger {
    /// One that counts there.
    pub fn new(llvm: bool, counts: &'static Counts) -> Self {
        Self { llvm, counts, fresh: Vec::new(), thread: 0, callback: None, code: 0 }
    }

    /// What is checked from now on belongs to this callback.
    pub fn turn_to(&mut self, thread: u64, callback: Option<Callback>, code: u64) {
        (self.thread, self.callback, self.code) = (thread, callback, code);
    }

    /// Counts a check; if the rule is broken, notes what `seen` says. Whether the rule held.
    pub fn check(&mut self, rule: Rule, held: bool, seen: impl FnOnce() -> String) -> bool {
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
