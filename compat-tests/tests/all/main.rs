//! All tests of this crate in one program: it is compiled and linked once, and all processors are busy until the end.
//!
//! `cargo test --release -p compat-tests` runs the quick tests, `cargo test --release -p compat-tests pomp::` those of one file; `--
//! --include-ignored` adds the slow ones.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test has no other way to fail")]

mod adverse_conditions;
mod answers;
mod archer;
mod blocked;
mod body_frames;
mod control_header;
mod counts;
mod counts_beside_tools;
mod documents;
mod embed;
mod ending_workers;
mod endings;
mod examples;
mod golden;
mod guide;
mod header;
mod hostile_tools;
mod kernels;
mod llvm_runtime;
mod llvm_runtime_collectors;
mod llvm_runtime_discovery;
mod llvm_runtime_tools;
mod llvm_runtime_tr2;
mod loading;
mod many_ids;
mod ompt5;
mod ompt5_chunks;
mod ompt5_devices;
mod ompt5_discovery;
mod ompt5_sampling;
mod ompt5_scopes;
mod ompt5_target;
mod ompt_header;
mod other_tools;
mod pomp;
mod predecessors;
mod private_bindings;
mod private_runtimes;
mod processes;
mod python_wheels;
mod race;
mod refused_memory;
mod sampling;
mod sanitizers;
mod secure;
mod session_stress;
mod sessions;
mod signal_stress;
mod small;
mod support;
mod tables;
mod task_id_queries;
mod three_interfaces;
mod tool_in_program;
mod tr2;
mod tr2_header;
mod tr2_programs;
mod transparency;
mod wait_durations;
mod waits;
mod warnings;
