//! What the reference knows besides the array: the session, the calling thread, and what the process has to offer.

use std::ops::Range;

/// One more than the largest event number.
pub const EVENTS: usize = 36;

/// How a collector lays out a struct of an `int` and a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The pointer comes at once.
    Packed,
    /// The pointer comes 8 bytes behind the `int`'s begin.
    Padded,
}

/// The collector's session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The library is turned off.
    pub disabled: bool,
    /// START has come, and no STOP since.
    pub started: bool,
    /// PAUSE has come, and no RESUME since.
    pub paused: bool,
    /// What a REGISTER has proved.
    pub layout: Option<Layout>,
    /// The registered callback of each event number, 0 for none.
    pub callbacks: [u64; EVENTS],
    /// Counts the sessions.
    pub number: u64,
}

impl Default for Session {
    fn default() -> Self {
        Self { disabled: false, started: false, paused: false, layout: None, callbacks: [0; EVENTS], number: 0 }
    }
}

impl Session {
    /// The callback that an event reaches now, 0 for none.
    pub fn hears(&self, event: usize) -> u64 {
        if self.started && !self.paused { self.callbacks.get(event).copied().unwrap_or(0) } else { 0 }
    }
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitId {
    /// This.
    Known(u64),
    /// The library gives the id, and it has not been seen yet.
    Unseen,
}

/// What the calling thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Here {
    /// The number of its state.
    pub state: i32,
    /// What it waits for; without meaning in states that don't wait.
    pub wait: WaitId,
    /// The region that it executes, or 0.
    pub region: u64,
    /// The region around that one, where the thread may ask.
    pub parent: Option<u64>,
    /// The task that it executes, or 0.
    pub task: u64,
    /// That task's creator, or 0.
    pub creator: u64,
}

impl Here {
    /// A thread outside of all regions.
    pub fn serial(initial: bool) -> Self {
        Self { state: 6, wait: WaitId::Known(0), region: 0, parent: initial.then_some(0), task: 0, creator: 0 }
    }
}

/// What the process has to offer.
#[derive(Clone, Debug)]
pub struct Supply {
    /// Events that some host can raise, by number.
    pub events: [bool; EVENTS],
    /// Whether a host tracks tasks.
    pub tasks: bool,
    /// Addresses of code.
    pub code: Vec<Range<u64>>,
}

impl Supply {
    /// Whether a callback may have this address.
    pub fn is_code(&self, address: u64) -> bool {
        self.code.iter().any(|range| range.contains(&address))
    }
}
