//! Skipped tests: each prints a line, and with `CI=true` nothing that can be installed may be missing.

use std::fmt::Display;

/// Prints that a test, or a part of it, is skipped: the machine forbids it, or only a long run has it. For missing software see
/// [`missing`].
pub fn skip(subject: impl Display, why: impl Display) {
    eprintln!("SKIPPED: {subject}: {why}");
}

/// Skips a test, or a part of it, if software is missing that is not a [`Requirement`](crate::Requirement).
///
/// # Panics
/// With `CI=true`.
pub fn missing(subject: impl Display, what: impl Display) {
    assert!(!crate::is_ci(), "{what} is missing, and CI must run every test");
    skip(subject, format_args!("{what} is missing"));
}
