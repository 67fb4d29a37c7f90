//! The session of a process that `ora attach` records: from its start to its end in that process, not in its forked
//! children.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::system_call;

/// The process of the session; 0 if none is open.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Starts the session of this process.
pub(crate) fn begin() {
    PROCESS.store(system_call::process(), Relaxed);
}

/// True while this process has a session.
pub(crate) fn is_open() -> bool {
    PROCESS.load(Relaxed) == system_call::process()
}

/// Ends the session; returns false if there is none.
pub(crate) fn end() -> bool {
    PROCESS.swap(0, Relaxed) != 0
}

/// Leaves a session that belongs to the parent, in a forked child; returns false if there is none.
pub(crate) fn leave() -> bool {
    let process = PROCESS.load(Relaxed);
    process != 0 && process != system_call::process() && end()
}
