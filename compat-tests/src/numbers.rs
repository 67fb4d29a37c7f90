//! The interface's numbers as the tests see them, from the white paper's text.
//!
//! They are written down a second time here on purpose: a test that took them from the library could not see a wrong
//! one.

/// Answers in an entry's `ec` field.
pub mod ec {
    /// Done.
    pub const OK: i32 = 0;
    /// No such request or event.
    pub const UNKNOWN: i32 = 2;
    /// A known event that the runtime can't raise.
    pub const UNSUPPORTED: i32 = 3;
    /// Not at this time.
    pub const SEQUENCE_ERR: i32 = 4;
    /// Not on this thread.
    pub const THREAD_ERR: i32 = 6;
    /// The result needs more room.
    pub const MEM_TOO_SMALL: i32 = 7;
}

/// Thread states.
pub mod state {
    /// Overhead.
    pub const OVHD: i32 = 1;
    /// Work in a region.
    pub const WORK: i32 = 2;
    /// Implicit barrier.
    pub const IBAR: i32 = 3;
    /// Explicit barrier.
    pub const EBAR: i32 = 4;
    /// In the pool.
    pub const IDLE: i32 = 5;
    /// Outside of regions.
    pub const SERIAL: i32 = 6;
    /// Combines a reduction; never on libgomp.
    pub const REDUC: i32 = 7;
    /// Waits for a lock.
    pub const LKWT: i32 = 8;
    /// Waits for a critical section.
    pub const CTWT: i32 = 9;
    /// Waits for its turn.
    pub const ODWT: i32 = 10;
    /// Waits for an atomic update.
    pub const ATWT: i32 = 11;

    /// Whether a wait id goes with the state.
    pub fn waits(state: i32) -> bool {
        matches!(state, IBAR | EBAR | LKWT | CTWT | ODWT | ATWT)
    }
}

/// Event numbers; `FORK` and the `BEGIN_*` ones are odd, what ends them is one more.
pub mod event {
    /// A signal handler's sample, in our traces only.
    pub const SAMPLE: i32 = 0;
    /// A region begins.
    pub const FORK: i32 = 1;
    /// It is over.
    pub const JOIN: i32 = 2;
    /// Into the pool.
    pub const BEGIN_IDLE: i32 = 3;
    /// Out of the pool.
    pub const END_IDLE: i32 = 4;
    /// Implicit barrier.
    pub const BEGIN_IBAR: i32 = 5;
    /// Its end.
    pub const END_IBAR: i32 = 6;
    /// Explicit barrier.
    pub const BEGIN_EBAR: i32 = 7;
    /// Wait for a lock.
    pub const BEGIN_LKWT: i32 = 9;
    /// Wait for a critical section.
    pub const BEGIN_CTWT: i32 = 11;
    /// Wait for one's turn.
    pub const BEGIN_ODWT: i32 = 13;
    /// A master region; gcc inlines all of it.
    pub const BEGIN_MASTER: i32 = 15;
    /// Body of a single.
    pub const BEGIN_SINGLE: i32 = 17;
    /// Body of an ordered region.
    pub const BEGIN_ORDERED: i32 = 19;
    /// Wait for an atomic update.
    pub const BEGIN_ATWT: i32 = 21;
    /// Its end; no later event is raised on a libgomp whose tasks nobody reports.
    pub const LAST: i32 = 22;

    /// The white paper's names, `NAMES[n]` for event `n`, without `OMP_EVENT_` and `THR_`.
    pub const NAMES: [&str; 23] = [
        "(sample)",
        "FORK",
        "JOIN",
        "BEGIN_IDLE",
        "END_IDLE",
        "BEGIN_IBAR",
        "END_IBAR",
        "BEGIN_EBAR",
        "END_EBAR",
        "BEGIN_LKWT",
        "END_LKWT",
        "BEGIN_CTWT",
        "END_CTWT",
        "BEGIN_ODWT",
        "END_ODWT",
        "BEGIN_MASTER",
        "END_MASTER",
        "BEGIN_SINGLE",
        "END_SINGLE",
        "BEGIN_ORDERED",
        "END_ORDERED",
        "BEGIN_ATWT",
        "END_ATWT",
    ];

    /// An event's name, for messages.
    pub fn name(event: i32) -> &'static str {
        usize::try_from(event).ok().and_then(|n| NAMES.get(n)).copied().unwrap_or("(unknown event)")
    }
}
