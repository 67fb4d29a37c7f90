//! Counts of checks, and the collected findings.

use validate_layout::counts::Counts;
use validate_layout::event::Callback;
use validate_layout::finding::Finding;
use validate_layout::release::Release;
use validate_layout::rule::Rule;

/// Counts checks, and collects findings.
#[derive(Debug)]
pub struct Findings {
    /// True if the runtime is libomp, or derived from it. Its known deviations from the specification, which the rules'
    /// texts name, are accepted.
    pub llvm: bool,
    /// The release that the runtime is checked against, if any: rules of later ones are not checked.
    pub release: Option<Release>,
    counts: &'static Counts,
    fresh: Vec<Finding>,
    thread: u64,
    callback: Option<Callback>,
    code: u64,
}

impl Findings {
    /// Creates an empty collection that counts in `counts`.
    pub fn new(llvm: bool, counts: &'static Counts) -> Self {
        Self { llvm, release: None, counts, fresh: Vec::new(), thread: 0, callback: None, code: 0 }
    }

    /// Checks the runtime strictly against a release.
    pub fn hold_to(&mut self, release: Release) {
        self.release = Some(release);
        self.llvm = false;
    }

    /// Attributes the following checks to this callback.
    pub fn turn_to(&mut self, thread: u64, callback: Option<Callback>, code: u64) {
        (self.thread, self.callback, self.code) = (thread, callback, code);
    }

    /// Counts a check, unless the rule was introduced in a later release than the one that the runtime is checked
    /// against. If the rule is violated, adds a finding with the text of `seen`. True if the rule holds.
    pub fn check(&mut self, rule: Rule, held: bool, seen: impl FnOnce() -> String) -> bool {
        if self.release.is_some_and(|release| rule.about().since > release) {
            return true;
        }
        self.counts.add(rule, held);
        if !held {
            let (thread, callback, code) = (self.thread, self.callback, self.code);
            self.fresh.push(Finding { rule, thread, callback, code, text: seen() });
        }
        held
    }

    /// Like [`check`](Self::check), for a rule from which libomp is known to deviate. `deviates`: the violation is of that kind, and is
    /// accepted and counted.
    pub fn check_or_let_pass(&mut self, rule: Rule, held: bool, deviates: bool, seen: impl FnOnce() -> String) -> bool {
        let passes = !held && self.llvm && deviates;
        if passes {
            self.counts.let_pass();
        }
        self.check(rule, held || passes, seen)
    }

    /// Takes the findings since the last call.
    pub fn fresh(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.fresh)
    }
}
