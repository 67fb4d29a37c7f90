//! Violations of rules.

use crate::event::Callback;
use crate::rule::Rule;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that was violated.
    pub rule: Rule,
    /// The validator's number of the thread.
    pub thread: u64,
    /// The callback during which it was found; `None` outside all callbacks.
    pub callback: Option<Callback>,
    /// The callback's `codeptr_ra`, or 0.
    pub code: u64,
    /// Description of the violation.
    pub text: String,
}
