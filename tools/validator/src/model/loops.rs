//! What is known of the worksharing loops of a region.

use std::collections::VecDeque;

/// A loop that a team shares.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loop {
    pub(crate) kind: i32,
    /// How many iterations it has, by `work`.
    pub(crate) count: Option<u64>,
    /// How many members have ended it.
    pub(crate) ended: u32,
    /// How many chunks there were, and how many iterations in all of them.
    pub(crate) chunks: u64,
    pub(crate) iterations: u64,
    /// Some member was cancelled in it.
    pub(crate) cancelled: bool,
}

/// The loops that some member has met and not all have ended, in the order in which each member meets them.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    /// How many were there before.
    over: usize,
    open: VecDeque<Loop>,
}

impl Loops {
    /// The loop at that place of the order. `make`: also where nobody has met it before. `None` also where memory is refused.
    pub(crate) fn at(&mut self, place: usize, make: bool) -> Option<&mut Loop> {
        let place = place.checked_sub(self.over)?;
        if make && place >= self.open.len() {
            self.open.try_reserve(place + 1 - self.open.len()).ok()?;
            self.open.resize(place + 1, Loop::default());
        }
        self.open.get_mut(place)
    }

    /// Takes the first loop out if all members have ended it.
    pub(crate) fn pop_if(&mut self, members: Option<u32>) -> Option<Loop> {
        let ended = self.open.front().is_some_and(|first| Some(first.ended) == members);
        let first = if ended { self.open.pop_front() } else { None };
        self.over += usize::from(ended);
        first
    }
}
