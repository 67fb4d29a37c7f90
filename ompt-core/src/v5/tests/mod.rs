//! A tool of OpenMP 5 on a runtime that these tests drive. It registers through the real entry points, and records
//! every callback with all of its arguments. Data words are named in the order in which they first appear.
#![allow(unsafe_code, clippy::disallowed_types, clippy::disallowed_macros)] // no program's thread runs this

mod asking;
mod predecessors;
mod regions;
mod registering;
pub(in crate::v5) mod runtime;
mod staying;
mod tasks;
mod tool;
