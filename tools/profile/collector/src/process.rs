//! The process that the profile is of.

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use crate::system;

/// Its number: a child that was made without the C library may share its memory.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// Makes the profile the calling process's.
pub(crate) fn begin() {
    PROCESS.store(system::process(), Relaxed);
}

/// True in the process that began the profile, and in a child that the C library has made. False in a child that shares
/// its memory, or in a copy that was made without the C library's fork handlers. Async-signal-safe.
pub(crate) fn is_here() -> bool {
    system::process() == PROCESS.load(Relaxed)
}
