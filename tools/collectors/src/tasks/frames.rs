//! A thread's stack of what it executes, inside of what. It grows as tasks nest: its memory comes from `mmap`, never from the
//! program's allocator. Unsafe: that memory.
#![allow(unsafe_code)]

use std::ptr;
use std::slice;

use super::layout::Cell;
use super::pool::Created;
use crate::loaded::place;

/// Room at first; it doubles when it is full. One level of tasks takes two frames: the task, and the suspension in which the
/// next one runs.
pub(super) const FIRST: usize = 1024;

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
    /// Of an execution: its creation is known. Of a creation: it may become an execution, since all that its level depends on is
    /// known.
    pub(super) known: bool,
    pub(super) taskloop: bool,
    /// Of an execution: a task that was created in it was queued.
    pub(super) queued: bool,
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
    /// Of a task whose creation was not measured: how long that is taken to have been, and where it counts.
    pub(super) estimated: u64,
    pub(super) cell: Option<&'static Cell>,
}

pub(super) const NOTHING: Frame = Frame {
    kind: Kind::Creation,
    known: false,
    taskloop: false,
    queued: false,
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
    estimated: 0,
    cell: None,
};

/// The stack. All zero is an empty one.
#[derive(Debug)]
pub(super) struct Frames {
    /// A mapping of this stack's own, with room for so many frames; null without room.
    start: *mut Frame,
    room: usize,
    depth: usize,
    /// Frames that found no room: the system refused memory. Not 0 only while the mapping is full.
    beyond: usize,
    #[cfg(test)]
    pub(super) most: Option<usize>,
}

impl Frames {
    /// An empty one.
    #[cfg(test)]
    pub(super) fn new() -> Self {
        Self { start: ptr::null_mut(), room: 0, depth: 0, beyond: 0, most: None }
    }

    /// Nothing is executed any more.
    pub(super) fn clear(&mut self) {
        (self.depth, self.beyond) = (0, 0);
    }

    /// True if the innermost frames found no room.
    pub(super) fn overflown(&self) -> bool {
        self.beyond > 0
    }

    /// The open frames, the outermost first.
    fn open(&mut self) -> &mut [Frame] {
        if self.depth == 0 {
            return &mut [];
        }
        // SAFETY: `push` and `enter` have opened so many frames in the mapping, which is this stack's own. Its memory is all zero
        // or written as frames, and both are frames.
        unsafe { slice::from_raw_parts_mut(self.start, self.depth) }
    }

    #[inline(always)]
    pub(super) fn top(&mut self) -> Option<&mut Frame> {
        let top = self.start.wrapping_add(self.depth.checked_sub(1)?);
        // SAFETY: the mapping, which is this stack's own, has so many frames.
        Some(unsafe { &mut *top })
    }

    /// The innermost frame, and the one below it if there is one.
    #[inline(always)]
    pub(super) fn last_two(&mut self) -> Option<(&mut Frame, Option<&mut Frame>)> {
        let last = self.depth.checked_sub(1)?;
        let top = self.start.wrapping_add(last);
        // SAFETY: the mapping, which is this stack's own, has so many frames.
        let below = if last == 0 { None } else { Some(unsafe { &mut *top.wrapping_sub(1) }) };
        // SAFETY: as for `below`, which is another frame.
        Some((unsafe { &mut *top }, below))
    }

    /// The free frame above the innermost one, which [`enter`](Self::enter) opens, and the innermost one if any is open. `None`
    /// without room.
    #[inline(always)]
    pub(super) fn free(&mut self) -> Option<(&mut Frame, Option<&mut Frame>)> {
        if self.depth >= self.room {
            return None;
        }
        let free = self.start.wrapping_add(self.depth);
        // SAFETY: the mapping, which is this stack's own, has so many frames.
        let top = if self.depth == 0 { None } else { Some(unsafe { &mut *free.wrapping_sub(1) }) };
        // SAFETY: the mapping has room for more frames than are open. Its memory is all zero or written as a frame.
        Some((unsafe { &mut *free }, top))
    }

    /// Opens the free frame above the innermost one. There is room.
    #[inline(always)]
    pub(super) fn enter(&mut self) {
        self.depth += 1;
    }

    /// The explicit task that is being executed.
    pub(super) fn current(&mut self) -> Option<&mut Frame> {
        self.open().iter_mut().rev().find(|frame| frame.kind == Kind::Execution)
    }

    #[inline(always)]
    pub(super) fn push(&mut self, frame: Frame) -> bool {
        if self.beyond > 0 || self.depth == self.room && !self.grow() {
            self.beyond += 1;
            return false;
        }
        self.depth += 1;
        if let Some(free) = self.top() {
            *free = frame;
        }
        true
    }

    /// Doubles the room. False: the system refuses the memory.
    #[cold]
    fn grow(&mut self) -> bool {
        #[cfg(test)]
        if self.most.is_some_and(|most| self.room >= most) {
            return false;
        }
        let room = if self.room == 0 { FIRST } else { self.room * 2 };
        let bytes = room * size_of::<Frame>();
        let start = if self.start.is_null() {
            let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: a new mapping at a place that the kernel chooses touches nobody's memory.
            unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) }
        } else {
            let length = self.room * size_of::<Frame>();
            // SAFETY: a mapping of this length, to which nobody has a pointer but this stack.
            unsafe { libc::mremap(self.start.cast(), length, bytes, libc::MREMAP_MAYMOVE) }
        };
        if start == libc::MAP_FAILED {
            return false;
        }
        (self.start, self.room) = (start.cast(), room);
        true
    }

    /// Drops what was left open (a jump went past it) inside of the innermost frame of this kind.
    #[inline(always)]
    pub(super) fn unwind(&mut self, kind: Kind) -> bool {
        self.top().is_some_and(|top| top.kind == kind) || self.unwind_to(kind)
    }

    #[cold]
    #[inline(never)]
    fn unwind_to(&mut self, kind: Kind) -> bool {
        match self.open().iter().rposition(|frame| frame.kind == kind) {
            Some(found) => {
                self.depth = found + 1;
                true
            }
            None => false,
        }
    }

    /// Leaves the innermost frame, which has room.
    #[inline(always)]
    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Takes the innermost frame of this kind, which stays readable until the next one is pushed.
    #[inline(always)]
    pub(super) fn pop(&mut self, kind: Kind) -> Option<&Frame> {
        if self.beyond > 0 {
            self.beyond -= 1;
            return None;
        }
        if !self.unwind(kind) {
            return None;
        }
        self.depth -= 1;
        // SAFETY: the frame was open, in the mapping that is this stack's own.
        Some(unsafe { &*self.start.wrapping_add(self.depth) })
    }
}

#[cfg(test)]
impl Drop for Frames {
    fn drop(&mut self) {
        if !self.start.is_null() {
            // SAFETY: a mapping of this length, which ends with its stack.
            unsafe { libc::munmap(self.start.cast(), self.room * size_of::<Frame>()) };
        }
    }
}
