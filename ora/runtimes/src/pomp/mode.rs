//! What instrumented code's calls do: one byte, which each of them reads.

use ompt_core::first_use;
use std::sync::atomic::{AtomicU8, Ordering::*};

/// [`WATCHED`] and so on; 0: nothing at all.
pub(super) static MODE: AtomicU8 = AtomicU8::new(0);

/// A tool has attached.
pub(super) const WATCHED: u8 = 1;
/// Calls go on to another measurement library.
pub(super) const FORWARDED: u8 = 2;
/// Calls are noted: some tool wants to know of them.
pub(super) const CALLS: u8 = 4;
/// No runtime tells anything of the instrumented code: all that is known of it is known from its own calls.
pub(super) const ALONE: u8 = 8;
/// The instrumented code was compiled by gcc, for a runtime that tells the rest: what gcc does without a runtime is told by
/// us.
pub(super) const ADDS: u8 = 16;
/// The first call is awaited: it is the first use of the runtime, at which tools are looked for.
pub(super) const AWAITED: u8 = 32;
/// It is written to a file where calls are, and which constructs they are about.
pub(super) const WRITTEN: u8 = 64;

/// The program asks for the ids of tasks, by the calls of the paper.
pub(super) const COUNTED: u8 = 128;

/// Whoever wants to hear of constructs that are told beside another host, too.
pub(super) const ANYBODY: u8 = 0xff;
/// Whoever wants to hear of those that are told only where there is none.
pub(super) const ALONE_ONLY: u8 = ALONE | FORWARDED | AWAITED | WRITTEN;
/// Whoever wants to hear of those at which a thread changes its task.
pub(super) const TASKS: u8 = ALONE_ONLY | COUNTED;

/// What calls do at one time.
#[derive(Clone, Copy)]
pub(super) struct Mode(u8);

impl Mode {
    /// The mode for a call that has come.
    #[inline(always)]
    pub(super) fn of_call() -> Self {
        let mode = MODE.load(Relaxed);
        if mode & AWAITED == 0 { Self(mode) } else { first_use() }
    }

    /// As above, for a call that goes nowhere else, of which nothing is written, which is not awaited, and in a program that
    /// doesn't ask for ids.
    #[inline(always)]
    pub(super) fn of_usual_call() -> Option<Self> {
        const UNUSUAL: u8 = FORWARDED | AWAITED | WRITTEN | COUNTED;
        let mode = MODE.load(Relaxed);
        // The compiler leaves out what those would do.
        (mode & UNUSUAL == 0).then_some(Self(mode & !UNUSUAL))
    }

    /// Whether a tool has attached, and no runtime's host tells anything.
    #[inline(always)]
    pub(super) fn is_alone(self) -> bool {
        self.0 & ALONE != 0
    }

    /// Whether a tool has attached.
    #[inline(always)]
    pub(super) fn is_watched(self) -> bool {
        self.0 & WATCHED != 0
    }

    /// Whether what gcc inlines is told here.
    #[inline(always)]
    pub(super) fn tells_inlined(self) -> bool {
        self.0 & (ALONE | ADDS) != 0
    }

    /// Whether calls are noted.
    #[inline(always)]
    pub(super) fn notes_calls(self) -> bool {
        self.0 & CALLS != 0
    }

    /// Whether it is written where they are.
    #[cfg(not(feature = "linked"))]
    #[inline(always)]
    pub(super) fn is_written(self) -> bool {
        self.0 & WRITTEN != 0
    }

    /// Whether the program asks for the ids of tasks.
    #[inline(always)]
    pub(super) fn asks_for_ids(self) -> bool {
        self.0 & COUNTED != 0
    }

    /// Whether the program asks for the ids of tasks, and the calls' places for values are ours.
    #[inline(always)]
    pub(super) fn is_counted(self) -> bool {
        self.0 & (COUNTED | FORWARDED) == COUNTED
    }

    /// Whether calls go on to another library.
    #[inline(always)]
    pub(super) fn is_forwarded(self) -> bool {
        self.0 & FORWARDED != 0
    }
}

/// Whether a tool has attached, and no runtime's host tells anything.
#[inline(always)]
pub(super) fn is_alone() -> bool {
    Mode(MODE.load(Relaxed)).is_alone()
}

/// [`ALONE`], [`ADDS`] or neither, as far as is known.
pub(super) static PLACE: AtomicU8 = AtomicU8::new(0);

/// It is written from now on where calls are.
#[cfg(not(feature = "linked"))]
pub(super) fn write_regions() {
    // Pairs with nothing: calls come later, on threads that begin behind this.
    MODE.fetch_or(WRITTEN, Relaxed);
}

/// The program asks for the ids of tasks: from now on they are kept across calls that change a thread's task.
#[cold]
pub(super) fn count_tasks() {
    MODE.fetch_or(COUNTED, Relaxed);
}

/// The instrumented code is used for the first time, if it is.
pub(super) fn note_use() {
    Mode::of_call();
}

#[cold]
fn first_use() -> Mode {
    first_use::happens();
    Mode(MODE.fetch_and(!AWAITED, Relaxed) & !AWAITED)
}

/// Where the instrumented code runs: [`ALONE`], beside a host to which it [`ADDS`], or elsewhere (0).
pub(super) fn place() -> u8 {
    PLACE.load(Relaxed)
}
