//! The watched process's side of `ora attach`, for each library that is brought into a running process.
//!
//! `ora` creates a thread in the process ([`mailbox`]), which loads a library and runs its session ([`serve`]). How far that is stands
//! in shared memory ([`progress`]). A library may have several sessions, one after another ([`current`]).

pub mod current;
pub mod mailbox;
pub mod nameless;
pub mod progress;
pub mod serve;
pub mod settings;
