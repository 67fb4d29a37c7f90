//! Chunks of a lane that keeps only the newest events.

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use crate::chunk::Chunk;
use crate::file_header;

/// Maximum number of chunks of a lane that are reused: with 64 KiB each, they have the newest million events.
const MAX_CHUNKS: usize = 256;

/// A chunk that is full.
#[derive(Debug)]
struct Full {
    base: usize,
    bytes: usize,
    begin_ns: u64,
    end_ns: u64,
}

/// The full chunks of a lane, the oldest first. Only the lane's thread uses it, so that the lock is always free.
#[derive(Debug, Default)]
pub(crate) struct Ring(Mutex<Vec<Full>>);

impl Ring {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Keeps a chunk that is full.
    pub(crate) fn keep(&self, chunk: Chunk, begin_ns: u64, end_ns: u64) {
        if let Ok(mut all) = self.0.try_lock() {
            all.push(Full { base: chunk.base.expose_provenance(), bytes: chunk.bytes, begin_ns, end_ns });
        }
    }

    /// The oldest chunk, if its events are no longer wanted: all of them are older than `last_ns` and in no window that
    /// is kept. If the ring has its maximum length, the oldest chunk that is in no such window.
    pub(crate) fn oldest(&self, now_ns: u64, last_ns: u64) -> Option<Chunk> {
        let mut all = self.0.try_lock().ok()?;
        let is_full = all.len() >= MAX_CHUNKS;
        let first = all.iter().position(|full| !file_header::is_kept(full.begin_ns, full.end_ns))?;
        let is_old = all.get(first).is_some_and(|full| full.end_ns.saturating_add(last_ns) < now_ns);
        if !is_old && !is_full {
            return None;
        }
        let full = all.remove(first);
        let base = std::ptr::with_exposed_provenance_mut::<AtomicU64>(full.base);
        Some(Chunk { base, bytes: full.bytes })
    }

    /// Forgets all chunks, in a forked child: they belong to the parent.
    pub(crate) fn forget(&self, mut unmap: impl FnMut(Chunk)) {
        if let Ok(mut all) = self.0.try_lock() {
            for full in all.drain(..) {
                unmap(Chunk { base: std::ptr::with_exposed_provenance_mut(full.base), bytes: full.bytes });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(number: usize) -> Chunk {
        Chunk { base: std::ptr::without_provenance_mut(number * 8), bytes: 4096 }
    }

    #[test]
    fn a_chunk_is_used_again_when_it_is_old_enough() {
        let ring = Ring::new();
        ring.keep(chunk(1), 0, 10);
        ring.keep(chunk(2), 10, 20);
        assert!(ring.oldest(19, 10).is_none() && ring.oldest(20, 10).is_none());
        assert_eq!(ring.oldest(21, 10).map(|chunk| chunk.base.addr()), Some(8));
        assert!(ring.oldest(30, 10).is_none());
        assert_eq!(ring.oldest(31, 10).map(|chunk| chunk.base.addr()), Some(16));
        assert!(ring.oldest(100, 10).is_none());
    }

    #[test]
    fn a_ring_grows_no_further_than_it_may() {
        let ring = Ring::new();
        for number in 1..=MAX_CHUNKS {
            assert!(ring.oldest(5, 1_000_000).is_none());
            ring.keep(chunk(number), 0, 1);
        }
        assert_eq!(ring.oldest(5, 1_000_000).map(|chunk| chunk.base.addr()), Some(8));
        assert!(ring.oldest(5, 1_000_000).is_none());
    }
}
