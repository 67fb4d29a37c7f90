#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod archive;
mod chunks;
mod location;
mod paradigm;
mod record;
mod references;
mod role;

pub use archive::Archive;
pub use location::{Location, Task};
pub use paradigm::Paradigm;
pub use references::{Comm, Node, Process, Region};
pub use role::Role;
