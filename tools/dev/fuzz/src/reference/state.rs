//! State of the reference other than the array: the session, the calling thread, and the capabilities of the process.

use std::ops::Range;

/// Number of event codes: one more than the largest.
pub const EVENTS: usize = 36;

/// Layout of a collector's struct of an `int` and a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The pointer follows the `int` directly.
    Packed,
    /// The pointer is 8 bytes past the start of the `int`.
    Padded,
}

/// The collector's session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// True if the library is turned off.
    pub disabled: bool,
    /// True between START and STOP.
    pub started: bool,
    /// True between PAUSE and RESUME.
    pub paused: bool,
    /// The layout that a REGISTER has proved.
    pub layout: Option<Layout>,
    /// Registered callback of each event code, 0 for none.
    pub callbacks: [u64; EVENTS],
    /// Number of the session.
    pub number: u64,
}

impl Default for Session {
    fn default() -> Self {
        Self { disabled: false, started: false, paused: false, layout: None, callbacks: [0; EVENTS], number: 0 }
    }
}

impl Session {
    /// Callback to which an event is dispatched now, or 0.
    pub fn callback_of(&self, event: usize) -> u64 {
        if self.started && !self.paused { self.callbacks.get(event).copied().unwrap_or(0) } else { 0 }
    }
}

/// Wait id of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitId {
    /// A known id.
    Known(u64),
    /// An id from the library that has not been seen yet.
    Unseen,
}

/// State of the calling thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Here {
    /// Number of the thread state.
    pub state: i32,
    /// Wait id; meaningless in states that don't wait.
    pub wait: WaitId,
    /// Region that the thread executes, or 0.
    pub region: u64,
    /// Enclosing region, if the thread may query it.
    pub parent: Option<u64>,
    /// Task that the thread executes, or 0.
    pub task: u64,
    /// Creator of that task, or 0.
    pub creator: u64,
}

impl Here {
    /// State of a thread outside of all regions.
    pub fn serial(initial: bool) -> Self {
        Self { state: 6, wait: WaitId::Known(0), region: 0, parent: initial.then_some(0), task: 0, creator: 0 }
    }
}

/// Capabilities of the process.
#[derive(Clone, Debug)]
pub struct Capabilities {
    /// Events that a runtime adapter can raise, by number.
    pub events: [bool; EVENTS],
    /// True if a runtime adapter tracks tasks.
    pub tasks: bool,
    /// Ranges of code.
    pub code: Vec<Range<u64>>,
}

impl Capabilities {
    /// True if a callback may have this address.
    pub fn is_code(&self, address: u64) -> bool {
        self.code.iter().any(|range| range.contains(&address))
    }
}
