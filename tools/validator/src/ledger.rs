//! What was checked, and what was found.

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

/// Counts checks, and collects findings.
#[derive(Debug)]
pub struct Ledger {
    /// The runtime is libomp, or a relative: what it does otherwise than the specification says, and the rule's text tells, is
    /// let pass.
    pub llvm: bool,
    checks: [u64; Rule::COUNT],
    broken: [u64; Rule::COUNT],
    fresh: Vec<Finding>,
    thread: u64,
    callback: Option<Callback>,
    code: u64,
}

impl Ledger {
    /// An empty one.
    pub fn new(llvm: bool) -> Self {
        Self {
            llvm,
            checks: [0; Rule::COUNT],
            broken: [0; Rule::COUNT],
            fresh: Vec::new(),
            thread: 0,
            callback: None,
            code: 0,
        }
    }

    /// What is checked from now on belongs to this callback.
    pub fn turn_to(&mut self, thread: u64, callback: Option<Callback>, code: u64) {
        (self.thread, self.callback, self.code) = (thread, callback, code);
    }

    /// Counts a check; if the rule is broken, notes what `seen` says. Whether the rule held.
    pub fn check(&mut self, rule: Rule, held: bool, seen: impl FnOnce() -> String) -> bool {
        if let Some(count) = self.checks.get_mut(rule.index()) {
            *count += 1;
        }
        if !held {
            if let Some(count) = self.broken.get_mut(rule.index()) {
                *count += 1;
            }
            let (thread, callback, code) = (self.thread, self.callback, self.code);
            self.fresh.push(Finding { rule, thread, callback, code, text: seen() });
        }
        held
    }

    /// Takes the findings since the last call.
    pub fn fresh(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.fresh)
    }

    /// How often a rule was checked, and how often it was broken.
    pub fn counts(&self, rule: Rule) -> (u64, u64) {
        let of = |counts: &[u64]| counts.get(rule.index()).copied().unwrap_or_default();
        (of(&self.checks), of(&self.broken))
    }
}
