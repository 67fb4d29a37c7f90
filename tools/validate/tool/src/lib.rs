//! An OMPT 5 tool that checks every callback against the specification.
//!
//! The shared library `libora_validator.so` is preloaded by `ora validate`. It registers every callback of the host device,
//! converts each call to plain data ([events](validate_layout::event), [`answers`]), and passes it to the [`engine`]. The
//! engine contains a model of threads, regions, tasks and mutexes, and the [rules](validate_layout::rule), one file for each
//! family. A violation of a rule becomes a finding ([`findings`]), stored in memory that the command reads
//! ([`validate_layout`]).
//!
//! The engine receives the events of several threads in the order in which it processes them. So a rule about two
//! threads holds only where the runtime orders them: between the creation and the start of a task, and between a task's
//! end and the end of a wait for it.

pub mod answers;
mod constants;
pub mod data_word;
pub mod engine;
pub mod findings;
mod hook;
mod memory;
mod model;
mod rules;
mod trace;
