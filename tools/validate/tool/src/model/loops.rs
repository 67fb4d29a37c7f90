//! State of a region's worksharing loops.

use std::collections::VecDeque;

/// A worksharing loop of a team.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loop {
    pub(crate) kind: i32,
    /// Number of iterations, reported by `work`.
    pub(crate) count: Option<u64>,
    /// Number of members that have ended the loop.
    pub(crate) ended: u32,
    /// Number of chunks, and the sum of their iterations.
    pub(crate) chunks: u64,
    pub(crate) iterations: u64,
    /// True if a member was cancelled in the loop.
    pub(crate) cancelled: bool,
}

/// Loops that some member has started and not all have ended, in the order in which each member encounters them.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    /// Number of loops that were removed: the index of the first open one.
    over: usize,
    open: VecDeque<Loop>,
}

impl Loops {
    /// The loop with this index in the order. `make`: create it if no member has encountered it before. Returns `None`
    /// also if memory is refused.
    pub(crate) fn at(&mut self, place: usize, make: bool) -> Option<&mut Loop> {
        let place = place.checked_sub(self.over)?;
        if make && place >= self.open.len() {
            self.open.try_reserve(place + 1 - self.open.len()).ok()?;
            self.open.resize(place + 1, Loop::default());
        }
        self.open.get_mut(place)
    }

    /// Removes the first loop if all members have ended it.
    pub(crate) fn pop_if(&mut self, members: Option<u32>) -> Option<Loop> {
        let ended = self.open.front().is_some_and(|first| Some(first.ended) == members);
        let first = if ended { self.open.pop_front() } else { None };
        self.over += usize::from(ended);
        first
    }
}
