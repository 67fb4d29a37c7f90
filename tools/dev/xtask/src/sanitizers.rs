//! Valgrind and the compiler's sanitizers, which `compat-tests/sanitize.sh` runs.

use anyhow::Result;

use crate::workspace;

/// Runs a checker: `memcheck`, `address` or `thread`.
pub(crate) fn check(checker: &str) -> Result<()> {
    workspace::run(workspace::compat_script("sanitize.sh").arg(checker).env("CARGO_TARGET_DIR", workspace::target()))
}

/// Runs all checkers.
pub(crate) fn all() -> Result<()> {
    ["memcheck", "address", "thread"].into_iter().try_for_each(check)
}
