//! A thread's stack of what it executes, inside of what. It grows as tasks nest: its memory comes from `mmap`, never from the
//! program's allocator. Unsafe: that memory.
#![allow(unsafe_code)]

use std::ptr::{self, NonNull};
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
    /// Of an execution: its creation is known.
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
    /// A mapping of this stack's own, with room for so many frames.
    start: Option<NonNull<Frame>>,
    room: usize,
    depth: usize,
    /// Frames that found no room: the system refused memory.
    beyond: usize,
    #[cfg(test)]
    pub(super) most: Option<usize>,
}

impl Frames {
    /// An empty one.
    #[cfg(test)]
    pub(super) fn new() -> Self {
        Self { start: None, room: 0, depth: 0, beyond: 0, most: None }
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
        let Some(start) = self.start else { return &mut [] };
        // SAFETY: the mapping has room for more than that, all zero or written by `push`, both of which are frames. It is this
        // stack's own.
        unsafe { slice::from_raw_parts_mut(start.as_ptr(), self.depth) }
    }

    pub(super) fn top(&mut self) -> Option<&mut Frame> {
        self.open().last_mut()
    }

    /// The innermost two, the innermost one last.
    #[inline(always)]
    pub(super) fn last_two(&mut self) -> (Option<&mut Frame>, Option<&mut Frame>) {
        match self.open() {
            [.., below, top] => (Some(below), Some(top)),
            [top] => (None, Some(top)),
            [] => (None, None),
        }
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
        let start = match self.start {
            None => {
                let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
                // SAFETY: a new mapping at a place that the kernel chooses touches nobody's memory.
                unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) }
            }
            // SAFETY: a mapping of this length, to which nobody has a pointer but this stack.
            Some(start) => unsafe {
                libc::mremap(start.as_ptr().cast(), self.room * size_of::<Frame>(), bytes, libc::MREMAP_MAYMOVE)
            },
        };
        if start == libc::MAP_FAILED {
            return false;
        }
        (self.start, self.room) = (NonNull::new(start.cast()), room);
        self.start.is_some()
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
        // SAFETY: the mapping has room for more than that.
        let popped = unsafe { self.start?.add(self.depth) };
        // SAFETY: `push` has written this frame, and the mapping is this stack's own.
        Some(unsafe { popped.as_ref() })
    }
}

#[cfg(test)]
impl Drop for Frames {
    fn drop(&mut self) {
        if let Some(start) = self.start {
            // SAFETY: a mapping of this length, which ends with its stack.
            unsafe { libc::munmap(start.as_ptr().cast(), self.room * size_of::<Frame>()) };
        }
    }
}
