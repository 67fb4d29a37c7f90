//! Programs and rights that a machine may lack: tests that need them say so, and where `CI=true` nothing that can be installed may be missing.

use std::fmt::Display;

/// Says that a test, or a part of it, isn't run. For what the machine forbids or what only a long run has; see [`missing`].
pub fn skip(subject: impl Display, why: impl Display) {
    eprintln!("SKIPPED: {subject}: {why}");
}

/// Skips a test, or a part of it, for something that isn't installed.
///
/// # Panics
/// With `CI=true`.
pub fn missing(subject: impl Display, what: impl Display) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{what} is missing, and CI must run every test");
    skip(subject, format_args!("{what} is missing"));
}
