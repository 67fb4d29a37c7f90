//! Identity of a thread: the part of its record that other records link to.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// Kind of a thread, in the white paper's words ("initial thread", "OpenMP thread", "non-OpenMP thread").
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The process's first thread.
    Initial = 1,
    /// Created by an OpenMP runtime.
    Worker,
    /// Created by the program.
    Other,
}

/// Identity of a thread, and the data words that it has for an OMPT 5 tool.
pub struct Identity {
    kind: AtomicU8,
    id: AtomicU64,
    data: AtomicU64,
    outside: AtomicU64,
}

system::zeroed!(Identity { kind, id, data, outside });

impl Identity {
    /// Reinitialises the record for another thread.
    pub(crate) fn renew(&self, kind: Kind, id: u64) {
        self.set_kind(kind);
        self.id.store(id, Relaxed);
        self.data.store(0, Relaxed);
        self.outside.store(0, Relaxed);
    }

    /// True if the thread is of that kind.
    fn is(&self, kind: Kind) -> bool {
        self.kind.load(Relaxed) == kind as u8
    }

    /// True if the thread is a worker of an OpenMP runtime.
    pub fn is_worker(&self) -> bool {
        self.is(Kind::Worker)
    }

    pub(crate) fn is_initial(&self) -> bool {
        self.is(Kind::Initial)
    }

    pub(crate) fn become_worker(&self) {
        self.set_kind(Kind::Worker);
    }

    pub(crate) fn set_kind(&self, kind: Kind) {
        self.kind.store(kind as u8, Relaxed);
    }

    /// The thread's id, from 1: unique, unless ids are reused ([`crate::thread::reuse_ids`]). Async-signal-safe.
    pub fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// The thread's `ompt_data_t` word of an OMPT 5 tool. Async-signal-safe.
    pub fn data(&self) -> &AtomicU64 {
        &self.data
    }

    /// The `ompt_data_t` word of an OMPT 5 tool for the implicit parallel region around the thread's initial task.
    /// Async-signal-safe.
    pub fn outside(&self) -> &AtomicU64 {
        &self.outside
    }
}
