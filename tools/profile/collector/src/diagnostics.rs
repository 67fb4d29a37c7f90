//! Diagnostics: each kind of error is written to the profile once, as a sentence.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use profile_format::{Record, info};

use crate::file::FILE;
use crate::text::Text;

/// A kind of error, reported once in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Diagnostic {
    /// No timer could be created.
    Timer,
    /// The requested rate is not available.
    Tick,
    /// The file can't grow.
    File,
    /// The program has a handler for the signal, or none can be installed.
    Handler,
    /// The signal is blocked.
    Blocked,
    /// A thread's alternate stack is too small.
    AlternateStack,
    /// No memory for a thread's record.
    Thread,
    /// More different stacks of forks than are kept, or no memory for them.
    Forks,
    /// More regions are active than are kept.
    Regions,
    /// No memory for the list of code, or more of these lists than are kept.
    Code,
}

static REPORTED: AtomicU32 = AtomicU32::new(0);

/// Writes the sentence that `say` makes, unless this kind was reported before. Async-signal-safe if `say` is.
pub(crate) fn report(kind: Diagnostic, say: impl FnOnce(&mut Text<256>)) {
    let bit = 1 << kind as u32;
    if !FILE.is_open() || REPORTED.fetch_or(bit, Relaxed) & bit != 0 {
        return;
    }
    let mut sentence = Text::new();
    say(&mut sentence);
    FILE.write_surely(Record::Info { key: info::TROUBLE, value: sentence.bytes() });
}

/// Forgets, in a forked child, what the parent has reported.
pub(crate) fn forget() {
    REPORTED.store(0, Relaxed);
}
