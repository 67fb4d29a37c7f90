//! Runs the command `ora` on small C programs (`programs/`) and looks at what comes out.
//!
//! The libraries must be there: cargo builds them, because the command names their crates.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

mod advice;
mod agreement;
mod attach;
mod attach_elsewhere;
mod attach_recordings;
mod decode;
mod diff;
mod efficiency;
mod exit_status;
mod failures;
mod gdb;
mod guide;
mod hang;
mod harness;
mod instrumented;
mod json;
mod known_causes;
mod library_places;
mod limits;
mod log_requests;
mod other_environments;
mod out_of_memory;
mod output_errors;
mod perf_events;
mod planted_faults;
mod preloaded;
mod processes;
mod processors;
mod profile;
mod profile_read;
mod python;
mod race;
mod ranks;
mod region_rows;
mod report;
mod report_times;
mod sample_times;
mod scale;
mod screens;
mod shares;
mod table;
mod tasks;
mod terminal;
mod terminal_escapes;
mod times;
mod tools;
mod top;
mod trace;
mod trace_dump;
mod tune;
mod user_view;
mod validate;
mod watching;
