//! Tests of the TR2 interface through its own entry points: a tool that is part of this program, on a runtime adapter
//! that the tests drive.
#![allow(unsafe_code)] // a tool is a C program
#![allow(clippy::disallowed_types, clippy::disallowed_macros)] // no program's thread runs this
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test has no other way to fail")]

mod contexts;
mod events;
mod interrupted;
mod registration;
mod tool;
mod workers;
