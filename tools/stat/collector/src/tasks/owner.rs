//! The thread that writes to a slot of the shared memory.

use stat_layout::tasks::layout::{TaskInstance, TaskThreadSlot, TasksArea};

/// The thread that keeps the sums, and the memory that it writes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub(super) area: &'static TasksArea,
    pub(super) instances: &'static [TaskInstance],
    pub(super) slot: &'static TaskThreadSlot,
    /// The slot's number.
    pub(super) number: u32,
}
