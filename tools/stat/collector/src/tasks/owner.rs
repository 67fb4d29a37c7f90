//! The thread that writes to a slot of the shared memory.

use stat_layout::tasks::layout::{Area, Instance, ThreadSlot};

/// The thread that keeps the sums, and the memory that it writes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub(super) area: &'static Area,
    pub(super) instances: &'static [Instance],
    pub(super) slot: &'static ThreadSlot,
    /// The slot's number.
    pub(super) number: u32,
}
