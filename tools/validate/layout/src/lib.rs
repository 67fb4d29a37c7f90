//! Memory that validated processes share with `ora validate`, and the words in it.
//!
//! The command makes the table ([`shared_table`]), and the tool in each process enters findings and counts into it
//! ([`process_table`]). They are about [rules](rule) of a [release] of the specification, and about the runtime's [events](event).
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod counts;
pub mod event;
pub mod finding;
pub mod process_table;
pub mod release;
pub mod rule;
pub mod shared_table;
