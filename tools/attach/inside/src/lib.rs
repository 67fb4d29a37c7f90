//! The watched process's side of `ora attach`, for each library that is brought into a running process.
//!
//! `ora` creates a thread in the process ([`mailbox`]), which loads a library and runs its session ([`serve`]). The session's progress
//! is in shared memory ([`progress`]). A library may have several sessions in turn ([`current`]).

pub mod current;
pub mod mailbox;
pub mod nameless;
pub mod progress;
pub mod serve;
pub mod settings;
