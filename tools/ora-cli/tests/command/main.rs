//! Runs the command `ora` on small C programs (`programs/`) and looks at what comes out.
//!
//! The libraries must be there: cargo builds them, because the command names their crates.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

mod agreement;
mod charged;
mod decode;
mod elsewhere;
mod endings;
mod failures;
mod fast_clock;
mod guide;
mod harness;
mod hostile;
mod in_libraries;
mod instrumented;
mod json;
mod limits;
mod log_requests;
mod mistakes;
mod planted;
mod preloaded;
mod processes;
mod processors;
mod profile;
mod profile_read;
mod python;
mod ranks;
mod refused;
mod region_rows;
mod report;
mod screens;
mod shares;
mod table;
mod tasks;
mod terminal;
mod times;
mod tools;
mod truth;
mod unwritten;
mod user_view;
mod validate;
mod watching;
