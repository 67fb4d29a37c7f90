//! What other programs get, read back as they read it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

mod sampled;

mod firefox;
mod flame;
mod folded;
