//! Tests that are left out: they say so, and where `CI=true` nothing that can be installed may be missing.

use std::fmt::Display;

/// Says that a test, or a part of it, isn't run. For what the machine forbids or what only a long run has; see [`missing`].
pub fn skip(subject: impl Display, why: impl Display) {
    eprintln!("SKIPPED: {subject}: {why}");
}

/// Skips a test, or a part of it, for something that isn't installed and is no [`Requirement`](crate::Requirement).
///
/// # Panics
/// With `CI=true`.
pub fn missing(subject: impl Display, what: impl Display) {
    assert!(!crate::is_ci(), "{what} is missing, and CI must run every test");
    skip(subject, format_args!("{what} is missing"));
}
