//! A thread's stack of what it executes, inside of what. Of fixed size: nothing is allocated on a program's threads.

use super::layout::place;
use super::pool::Created;

/// What can be nested. One level of tasks takes two: the task, and the suspension in which the next one runs.
pub(super) const FRAMES: usize = 1024;

#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Creation = 0,
    Execution = 1,
    Suspension = 2,
}

/// All zero is a frame, too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    /// Of an execution: its creation is known.
    pub(super) known: bool,
    pub(super) taskloop: bool,
    pub(super) children: u32,
    pub(super) suspensions: u32,
    /// The task that is executed.
    pub(super) id: u64,
    /// Time charged.
    pub(super) own: u64,
    pub(super) begun: u64,
    pub(super) created: Created,
    pub(super) suspension: u64,
    pub(super) idle: u64,
    /// Of an execution: when its body was done; 0: it is not.
    pub(super) finished: u64,
    /// Of a creation: where.
    pub(super) place: u64,
}

pub(super) const NOTHING: Frame = Frame {
    kind: Kind::Creation,
    known: false,
    taskloop: false,
    children: 0,
    suspensions: 0,
    id: 0,
    own: 0,
    begun: 0,
    created: Created { at: 0, place: 0, level: 0, instance: 0 },
    suspension: 0,
    idle: 0,
    finished: 0,
    place: place::UNKNOWN,
};

/// The stack. All zero is an empty one.
#[derive(Debug)]
pub(super) struct Frames {
    frames: [Frame; FRAMES],
    depth: usize,
    /// Frames that found no room.
    beyond: usize,
}

impl Frames {
    /// An empty one.
    #[cfg(test)]
    pub(super) fn new() -> Self {
        Self { frames: [NOTHING; FRAMES], depth: 0, beyond: 0 }
    }

    /// Nothing is executed any more.
    pub(super) fn clear(&mut self) {
        (self.depth, self.beyond) = (0, 0);
    }

    /// Whether the innermost frames found no room.
    pub(super) fn overflown(&self) -> bool {
        self.beyond > 0
    }

    pub(super) fn top(&mut self) -> Option<&mut Frame> {
        self.frames.get_mut(self.depth.checked_sub(1)?)
    }

    /// The explicit task that is being executed.
    pub(super) fn current(&mut self) -> Option<&mut Frame> {
        let frames = self.frames.get_mut(..self.depth)?;
        frames.iter_mut().rev().find(|frame| frame.kind == Kind::Execution)
    }

    pub(super) fn push(&mut self, frame: Frame) -> bool {
        match self.frames.get_mut(self.depth).filter(|_| self.beyond == 0) {
            Some(free) => {
                *free = frame;
                self.depth += 1;
                true
            }
            None => {
                self.beyond += 1;
                false
            }
        }
    }

    /// Drops what was left open (a jump went past it) inside of the innermost frame of this kind.
    pub(super) fn unwind(&mut self, kind: Kind) -> bool {
        let open = self.frames.get(..self.depth).unwrap_or_default();
        match open.iter().rposition(|frame| frame.kind == kind) {
            Some(found) => {
                self.depth = found + 1;
                true
            }
            None => false,
        }
    }

    pub(super) fn pop(&mut self, kind: Kind) -> Option<Frame> {
        if self.beyond > 0 {
            self.beyond -= 1;
            return None;
        }
        if !self.unwind(kind) {
            return None;
        }
        self.depth -= 1;
        self.frames.get(self.depth).copied()
    }
}
