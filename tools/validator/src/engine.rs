//! The engine: events in, findings out.

use crate::answers::Answers;
use crate::event::Event;
use crate::word::{Kind, number};

/// One event with what was known around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The thread's number.
    pub thread: u64,
    /// What the runtime said.
    pub event: Event,
    /// What it answered meanwhile.
    pub answers: Answers,
}

/// Everything that is remembered.
#[derive(Debug, Default)]
pub struct Engine {
    last: u32,
}

impl Engine {
    /// Nothing has happened.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one event. What its new data word is to hold, if it brings one.
    pub fn take(&mut self, seen: &Seen) -> Option<u64> {
        let tag = match &seen.event {
            Event::ThreadBegin { .. } => Kind::Thread,
            Event::ParallelBegin { .. } => Kind::Region,
            Event::ImplicitTask { endpoint: 1, .. } | Event::TaskCreate { .. } => Kind::Task,
            _ => return None,
        };
        self.last += 1;
        Some(number(tag, self.last))
    }
}
