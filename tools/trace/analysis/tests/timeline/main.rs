//! Timelines of written events: what threads did, for whom they waited, and what other programs receive.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

mod causes;
mod efficiency;
mod events;
mod exports;
mod owners;
mod page;
mod paraver;
mod protobuf;
mod sampled;
mod slices;
