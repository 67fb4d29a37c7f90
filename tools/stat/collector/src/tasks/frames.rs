//! A thread's stack of what it executes, inside of what. It grows as tasks nest: its memory comes from `mmap`, never from the
//! program's allocator. Unsafe: that memory.
#![allow(unsafe_code)]

use std::hint::assert_unchecked;
use std::ptr;
use std::slice;

use super::pool::Created;
use stat_layout::loaded::place;
use stat_layout::tasks::layout::{Cell, Level};

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
    /// Of a creation: the task has no event before its end if it runs at once.
    pub(super) declined: bool,
    /// Of such a task: its stages are stamped.
    pub(super) stamped: bool,
    /// Duration that the creation is taken to have where they are not.
    pub(super) estimated: u64,
    /// Of such a task, once it runs: the sums of its level.
    pub(super) level: Option<&'static Level>,
    /// The sums of its place, also of a creation that is declined.
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
    declined: false,
    stamped: false,
    estimated: 0,
    level: None,
    cell: None,
};

/// The stack. All zero is an empty one.
#[derive(Debug)]
pub(super) struct Frames {
    /// A mapping of this stack's own; null without room.
    start: *mut Frame,
    /// The first free frame in it, and its end.
    next: *mut Frame,
    end: *mut Frame,
    /// Frames that found no room: the system refused memory. Not 0 only while the mapping is full.
    beyond: usize,
    #[cfg(test)]
    pub(super) most: Option<usize>,
}

impl Frames {
    /// An empty one.
    #[cfg(test)]
    pub(super) fn new() -> Self {
        Self { start: ptr::null_mut(), next: ptr::null_mut(), end: ptr::null_mut(), beyond: 0, most: None }
    }

    /// Nothing is executed any more.
    pub(super) fn clear(&mut self) {
        (self.next, self.beyond) = (self.start, 0);
    }

    /// True if the innermost frames found no room.
    pub(super) fn overflown(&self) -> bool {
        self.beyond > 0
    }

    /// The number of open frames.
    fn depth(&self) -> usize {
        frames_between(self.start, self.next)
    }

    /// The open frames, the outermost first.
    fn open(&mut self) -> &mut [Frame] {
        if self.next == self.start {
            return &mut [];
        }
        // SAFETY: `push` and `enter` have opened so many frames in the mapping, which is this stack's own. Its memory is all zero
        // or written as frames, and both are frames.
        unsafe { slice::from_raw_parts_mut(self.start, self.depth()) }
    }

    #[inline(always)]
    pub(super) fn top(&mut self) -> Option<&mut Frame> {
        if self.next == self.start {
            return None;
        }
        // SAFETY: some frame is open in the mapping, which is this stack's own: the one before the first that is free.
        Some(unsafe { frame_at(self.next.wrapping_sub(1)) })
    }

    /// The innermost frame, and the one below it if there is one.
    #[inline(always)]
    pub(super) fn last_two(&mut self) -> Option<(&mut Frame, Option<&mut Frame>)> {
        if self.next == self.start {
            return None;
        }
        let top = self.next.wrapping_sub(1);
        // SAFETY: more than one frame is open in the mapping, which is this stack's own.
        let below = if top == self.start { None } else { Some(unsafe { frame_at(top.wrapping_sub(1)) }) };
        // SAFETY: as for `below`, which is another frame.
        Some((unsafe { frame_at(top) }, below))
    }

    /// The free frame above the innermost one, which [`enter`](Self::enter) opens, and the innermost one if any is open. `None`
    /// without room.
    #[inline(always)]
    pub(super) fn free(&mut self) -> Option<(&mut Frame, Option<&mut Frame>)> {
        if self.next == self.end {
            return None;
        }
        // SAFETY: some frame is open in the mapping, which is this stack's own.
        let top = if self.next == self.start { None } else { Some(unsafe { frame_at(self.next.wrapping_sub(1)) }) };
        // SAFETY: the mapping has room for more frames than are open. Its memory is all zero or written as a frame.
        Some((unsafe { frame_at(self.next) }, top))
    }

    /// Opens the free frame above the innermost one. There is room.
    #[inline(always)]
    pub(super) fn enter(&mut self) {
        self.next = self.next.wrapping_add(1);
    }

    /// The explicit task that is being executed.
    pub(super) fn current(&mut self) -> Option<&mut Frame> {
        self.open().iter_mut().rev().find(|frame| frame.kind == Kind::Execution)
    }

    #[inline(always)]
    pub(super) fn push(&mut self, frame: Frame) -> bool {
        if self.beyond > 0 || self.next == self.end && !self.grow() {
            self.beyond += 1;
            return false;
        }
        self.enter();
        if let Some(free) = self.top() {
            *free = frame;
        }
        true
    }

    /// Doubles the room. False: the system refuses the memory.
    #[cold]
    fn grow(&mut self) -> bool {
        let (before, depth) = (frames_between(self.start, self.end), self.depth());
        #[cfg(test)]
        if self.most.is_some_and(|most| before >= most) {
            return false;
        }
        let room = if before == 0 { FIRST } else { before * 2 };
        let bytes = room * size_of::<Frame>();
        let start = if self.start.is_null() {
            let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: a new mapping at a place that the kernel chooses touches nobody's memory.
            unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) }
        } else {
            let length = before * size_of::<Frame>();
            // SAFETY: a mapping of this length, to which nobody has a pointer but this stack.
            unsafe { libc::mremap(self.start.cast(), length, bytes, libc::MREMAP_MAYMOVE) }
        };
        if start == libc::MAP_FAILED {
            return false;
        }
        self.start = start.cast();
        (self.next, self.end) = (self.start.wrapping_add(depth), self.start.wrapping_add(room));
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
                self.next = self.start.wrapping_add(found + 1);
                true
            }
            None => false,
        }
    }

    /// Leaves the innermost frame, which has room.
    #[inline(always)]
    pub(super) fn leave(&mut self) {
        if self.next != self.start {
            self.next = self.next.wrapping_sub(1);
        }
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
        self.next = self.next.wrapping_sub(1);
        // SAFETY: the frame was open, in the mapping that is this stack's own.
        Some(unsafe { frame_at(self.next) })
    }
}

/// The number of frames between two addresses in a stack.
fn frames_between(from: *const Frame, to: *const Frame) -> usize {
    (to.addr() - from.addr()) / size_of::<Frame>()
}

/// The frame at an address in a stack's mapping.
///
/// # Safety
/// The address is that of a frame, to which there is no other reference.
#[inline(always)]
unsafe fn frame_at<'a>(address: *mut Frame) -> &'a mut Frame {
    // SAFETY: no mapping begins at null (`mmap` without MAP_FIXED never gives page 0).
    unsafe { assert_unchecked(!address.is_null()) };
    // SAFETY: by this function's `# Safety`.
    unsafe { &mut *address }
}

#[cfg(test)]
impl Drop for Frames {
    fn drop(&mut self) {
        if !self.start.is_null() {
            // SAFETY: a mapping of this length, which ends with its stack.
            unsafe { libc::munmap(self.start.cast(), frames_between(self.start, self.end) * size_of::<Frame>()) };
        }
    }
}
