//! Words of a thread's own storage, such as `threadprivate` variables, that several of its tasks access.
//!
//! ThreadSanitizer takes such accesses for a race, and the report is dropped. Starting with LLVM 15 it has then forgotten all
//! accesses to the word, and skips later reads of it: the race with another thread is found in few runs. So the word is remembered,
//! and the accesses of the thread's own tasks to it are forgotten where its next task starts. Then there is no further report, and
//! the accesses of other threads are kept.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::sanitizer::Sanitizer;
use crate::shadow;

/// Maximum number of words that are remembered.
const CAPACITY: usize = 32;

/// Remembered words of a thread. Only the thread itself uses them.
#[derive(Debug, Default)]
pub(crate) struct OwnWords {
    words: [AtomicUsize; CAPACITY],
    count: AtomicUsize,
    /// ThreadSanitizer's numbers of the contexts that the thread has executed, one bit each.
    contexts: [AtomicU64; 4],
    /// A word that shows the number of the context that accesses it.
    probe: AtomicU64,
}

impl OwnWords {
    /// A report about this address was dropped.
    pub(crate) fn note(&self, address: usize) {
        if !shadow::is_lost_by_reports() {
            return;
        }
        let word = address & !7;
        let count = self.count.load(Relaxed);
        if self.words.iter().take(count).all(|known| known.load(Relaxed) != word)
            && let Some(place) = self.words.get(count)
        {
            place.store(word, Relaxed);
            self.count.store(count + 1, Relaxed);
        }
    }

    /// Marks the calling context's accesses as the thread's own.
    pub(crate) fn own(&self, sanitizer: &Sanitizer) {
        if self.count.load(Relaxed) == 0 {
            return;
        }
        let probe = self.probe.as_ptr().addr();
        // Without another context's access there, since the two would look like a race.
        shadow::clear(probe, probe + 8);
        sanitizer.note_write(&self.probe);
        if let Some(context) = shadow::context(probe)
            && let Some(bits) = self.contexts.get(usize::from(context) / 64)
        {
            bits.fetch_or(1 << (context % 64), Relaxed);
        }
        shadow::clear(probe, probe + 8);
    }

    /// Forgets the accesses of the thread's own contexts to the words.
    pub(crate) fn forget(&self) {
        for word in self.words.iter().take(self.count.load(Relaxed)) {
            shadow::clear_of(word.load(Relaxed), |context| self.is_own(context));
        }
    }

    /// The thread ends: its storage is gone.
    pub(crate) fn end(&self) {
        self.count.store(0, Relaxed);
        self.contexts.iter().for_each(|bits| bits.store(0, Relaxed));
    }

    fn is_own(&self, context: u8) -> bool {
        self.contexts.get(usize::from(context) / 64).is_some_and(|bits| bits.load(Relaxed) >> (context % 64) & 1 != 0)
    }
}
