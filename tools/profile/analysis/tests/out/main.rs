//! Output for other programs, read back as they read it.
//!
//! Environment of the tests; without it they are skipped:
//! - `ORA_TEST_CHROMIUM`: a Chromium, for the flame graph.
//! - `ORA_TEST_FIREFOX_PROFILER`: the command `profiler-cli` (npm: `@firefox-devtools/profiler-cli`), the Firefox
//!   Profiler for terminals.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

mod sampled;

mod firefox;
mod flame;
mod folded;
