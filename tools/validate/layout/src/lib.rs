//! Memory that validated processes share with `ora validate`, and the words in it.
//!
//! The command creates the table ([`shared_table`]), and the tool in each process stores findings and counts in it
//! ([`process_table`]). They refer to the [rules](rule) of a [release] of the specification, and to the runtime's [events](event).
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod counts;
pub mod event;
pub mod finding;
pub mod process_table;
pub mod release;
pub mod rule;
pub mod shared_table;
