//! What is known of a mutex.

/// A mutex that was used, by its wait id.
#[derive(Debug, Default)]
pub(crate) struct Mutex {
    /// Its kind when it was last acquired or initialized.
    pub(crate) kind: i32,
    /// The thread that has it.
    pub(crate) holder: Option<u64>,
    /// How often a nestable lock was set again.
    pub(crate) depth: u32,
    /// `lock_init` was seen, and no `lock_destroy` since.
    pub(crate) initialized: bool,
    /// `lock_destroy` was seen, and no `lock_init` since.
    pub(crate) destroyed: bool,
}
