//! State of a mutex.

/// A mutex that was used, identified by its wait id.
#[derive(Debug, Default)]
pub(crate) struct Mutex {
    /// Kind of the mutex when it was last acquired or initialized.
    pub(crate) kind: i32,
    /// The thread that holds the mutex.
    pub(crate) holder: Option<u64>,
    /// Number of times that a nestable lock was set again.
    pub(crate) depth: u32,
    /// True if `lock_init` was seen, and no `lock_destroy` since.
    pub(crate) initialized: bool,
    /// True if `lock_destroy` was seen, and no `lock_init` since.
    pub(crate) destroyed: bool,
}
