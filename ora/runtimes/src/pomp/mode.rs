//! Mode of instrumented code's calls: one byte, which each call reads.

use ompt_core::first_use;
use std::sync::atomic::{AtomicU8, Ordering::*};

/// Bits of the mode: [`WATCHED`] and so on; 0: calls do nothing.
pub(super) static MODE: AtomicU8 = AtomicU8::new(0);

/// A tool has attached.
pub(super) const WATCHED: u8 = 1;
/// Calls are passed on to another measurement library.
pub(super) const FORWARDED: u8 = 2;
/// Call sites are recorded: an OMPT tool has attached.
pub(super) const CALLS: u8 = 4;
/// The runtime of the instrumented code lacks an adapter: only the code's own calls are seen.
pub(super) const ALONE: u8 = 8;
/// The instrumented code was compiled by gcc, for a runtime with an adapter: what gcc does without its runtime is reported here.
pub(super) const ADDS: u8 = 16;
/// The first call is awaited: it is the first use of the runtime, at which tools are looked for.
pub(super) const AWAITED: u8 = 32;
/// The positions of calls, and their constructs, are written to a file.
pub(super) const WRITTEN: u8 = 64;

/// The program asks for the ids of tasks, by the task functions of Lorenz et al. (2010).
pub(super) const COUNTED: u8 = 128;

/// Mode bits of calls that record their call site.
pub(super) const NOTED: u8 = CALLS | AWAITED | WRITTEN;
/// Mode bits of calls that report even alongside a runtime adapter.
pub(super) const ANYBODY: u8 = 0xff;
/// Mode bits of calls that report only without a runtime adapter.
pub(super) const ALONE_ONLY: u8 = ALONE | FORWARDED | AWAITED | WRITTEN;
/// Mode bits of calls at which a thread switches to another task.
pub(super) const TASKS: u8 = ALONE_ONLY | COUNTED;

/// Mode at the time of a call.
#[derive(Clone, Copy)]
pub(super) struct Mode(u8);

impl Mode {
    /// The mode for the call at hand.
    #[inline(always)]
    pub(super) fn of_call() -> Self {
        let mode = MODE.load(Relaxed);
        if mode & AWAITED == 0 { Self(mode) } else { first_use() }
    }

    /// The mode if the call is a usual one: not passed on, not written, not awaited, and in a program that doesn't ask for ids. Otherwise
    /// `None`.
    #[inline(always)]
    pub(super) fn of_usual_call() -> Option<Self> {
        const UNUSUAL: u8 = FORWARDED | AWAITED | WRITTEN | COUNTED;
        let mode = MODE.load(Relaxed);
        // Lets the compiler drop the code for those modes.
        (mode & UNUSUAL == 0).then_some(Self(mode & !UNUSUAL))
    }

    /// True if a tool has attached, and the runtime lacks an adapter.
    #[inline(always)]
    pub(super) fn is_alone(self) -> bool {
        self.0 & ALONE != 0
    }

    /// True if a tool has attached.
    #[inline(always)]
    pub(super) fn is_watched(self) -> bool {
        self.0 & WATCHED != 0
    }

    /// True if constructs that gcc inlines are reported here.
    #[inline(always)]
    pub(super) fn reports_inlined(self) -> bool {
        self.0 & (ALONE | ADDS) != 0
    }

    /// True if call sites are recorded.
    #[inline(always)]
    pub(super) fn records_calls(self) -> bool {
        self.0 & CALLS != 0
    }

    /// True if the positions of calls are written.
    #[cfg(not(feature = "linked"))]
    #[inline(always)]
    pub(super) fn is_written(self) -> bool {
        self.0 & WRITTEN != 0
    }

    /// True if the program asks for the ids of tasks.
    #[inline(always)]
    pub(super) fn asks_for_ids(self) -> bool {
        self.0 & COUNTED != 0
    }

    /// True if the program asks for the ids of tasks, and the values that the calls keep are ours.
    #[inline(always)]
    pub(super) fn is_counted(self) -> bool {
        self.0 & (COUNTED | FORWARDED) == COUNTED
    }

    /// True if calls are passed on to another library.
    #[inline(always)]
    pub(super) fn is_forwarded(self) -> bool {
        self.0 & FORWARDED != 0
    }
}

/// True if a tool has attached, and the runtime lacks an adapter.
#[inline(always)]
pub(super) fn is_alone() -> bool {
    Mode(MODE.load(Relaxed)).is_alone()
}

/// [`ALONE`], [`ADDS`] or neither, by the imports known so far.
pub(super) static PLACE: AtomicU8 = AtomicU8::new(0);

/// Enables the file of positions.
#[cfg(not(feature = "linked"))]
pub(super) fn write_regions() {
    // Pairs with nothing: calls come later, on threads that start after this.
    MODE.fetch_or(WRITTEN, Relaxed);
}

/// Enables the ids of tasks: from now on they are kept across calls that switch a thread's task.
#[cold]
pub(super) fn count_tasks() {
    MODE.fetch_or(COUNTED, Relaxed);
}

/// Records a use of the instrumented code, which may be the first one.
pub(super) fn note_use() {
    Mode::of_call();
}

#[cold]
fn first_use() -> Mode {
    first_use::handle();
    Mode(MODE.fetch_and(!AWAITED, Relaxed) & !AWAITED)
}

/// [`ALONE`]; [`ADDS`] alongside a runtime adapter that doesn't see what gcc inlines; or 0.
pub(super) fn place() -> u8 {
    PLACE.load(Relaxed)
}
