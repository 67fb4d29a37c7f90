//! A thread's share of a work-sharing construct.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use system::memory::Link;

use crate::clock::Clock;
use crate::fiber::Fiber;

/// The work-sharing construct that an implicit task is in.
#[derive(Debug, Default)]
pub(crate) struct Share {
    /// Set where the construct starts.
    pub(crate) begin: Clock,
    /// Joined at each chunk's end.
    pub(crate) ends: Clock,
    /// The fiber of the chunk that is executed.
    pub(crate) fiber: Link<Fiber>,
    /// Return address of the call that started the construct.
    pub(crate) codeptr: AtomicUsize,
    /// Number of chunks so far.
    pub(crate) chunks: AtomicU64,
    /// True if the rest of the construct is ordered.
    pub(crate) is_ordered: AtomicBool,
}
