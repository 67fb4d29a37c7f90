//! The process to which the profile belongs.

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use crate::system;

/// Its number: a child that was created without the C library may share its memory.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// Assigns the profile to the calling process.
pub(crate) fn begin() {
    PROCESS.store(system::process(), Relaxed);
}

/// True in the process that started the profile, and in a child that the C library has created. False in a child that
/// shares its memory, or in a copy that was created without the C library's fork handlers. Async-signal-safe.
pub(crate) fn is_here() -> bool {
    system::process() == PROCESS.load(Relaxed)
}
