//! A thread's stack of nested executions. It grows as tasks nest: its memory comes from `mmap`, never from the program's
//! allocator. Unsafe: that memory.
#![allow(unsafe_code)]

use std::hint::assert_unchecked;
use std::ptr;
use std::slice;

use super::pool::Created;
use stat_layout::loaded::place;
use stat_layout::tasks::layout::{Cell, Level};

/// Initial capacity, doubled when it is full. One level of tasks takes two frames: the task, and the suspension in which the
/// next one runs.
pub(super) const FIRST: usize = 1024;

#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Creation = 0,
    Execution = 1,
    Suspension = 2,
}

/// All zero is also a valid frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    /// For an execution: its creation is known.
    pub(super) known: bool,
    pub(super) taskloop: bool,
    /// For an execution: a task that was created in it was queued.
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
    /// For an execution: the time at which its body ended; 0 if it has not.
    pub(super) finished: u64,
    /// For a creation: its place.
    pub(super) place: u64,
    /// For a creation: if the task is undeferred, its first event is its end.
    pub(super) declined: bool,
    /// For such a task: its stages are stamped.
    pub(super) stamped: bool,
    /// Assumed duration of the creation if they are not.
    pub(super) estimated: u64,
    /// For such a task, once it runs: the sums of its level.
    pub(super) level: Option<&'static Level>,
    /// The sums of its place, also for a declined creation.
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

/// The stack. All zero is an empty stack.
#[derive(Debug)]
pub(super) struct Frames {
    /// A mapping that this stack owns; null without capacity.
    start: *mut Frame,
    /// The first free frame in it, and its end.
    next: *mut Frame,
    end: *mut Frame,
    /// Number of frames that did not fit: the system refused memory. Not 0 only while the mapping is full.
    beyond: usize,
    #[cfg(test)]
    pub(super) most: Option<usize>,
}

impl Frames {
    /// An empty stack.
    #[cfg(test)]
    pub(super) fn new() -> Self {
        Self { start: ptr::null_mut(), next: ptr::null_mut(), end: ptr::null_mut(), beyond: 0, most: None }
    }

    /// Removes all frames: nothing is executed any more.
    pub(super) fn clear(&mut self) {
        (self.next, self.beyond) = (self.start, 0);
    }

    /// True if the innermost frames did not fit.
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
        // SAFETY: `push` and `enter` have opened this number of frames in the mapping, which this stack owns. Its memory is all
        // zero or written as frames, and both are frames.
        unsafe { slice::from_raw_parts_mut(self.start, self.depth()) }
    }

    #[inline(always)]
    pub(super) fn top(&mut self) -> Option<&mut Frame> {
        if self.next == self.start {
            return None;
        }
        // SAFETY: some frame is open in the mapping, which this stack owns: the one before the first that is free.
        Some(unsafe { frame_at(self.next.wrapping_sub(1)) })
    }

    /// The innermost frame, and the one below it if there is one.
    #[inline(always)]
    pub(super) fn last_two(&mut self) -> Option<(&mut Frame, Option<&mut Frame>)> {
        if self.next == self.start {
            return None;
        }
        let top = self.next.wrapping_sub(1);
        // SAFETY: more than one frame is open in the mapping, which this stack owns.
        let below = if top == self.start { None } else { Some(unsafe { frame_at(top.wrapping_sub(1)) }) };
        // SAFETY: as for `below`, which is a different frame.
        Some((unsafe { frame_at(top) }, below))
    }

    /// The free frame above the innermost one, which [`enter`](Self::enter) opens, and the innermost one if any is open. `None`
    /// if the stack is full.
    #[inline(always)]
    pub(super) fn free(&mut self) -> Option<(&mut Frame, Option<&mut Frame>)> {
        if self.next == self.end {
            return None;
        }
        // SAFETY: some frame is open in the mapping, which this stack owns.
        let top = if self.next == self.start { None } else { Some(unsafe { frame_at(self.next.wrapping_sub(1)) }) };
        // SAFETY: the mapping has space for more frames than are open. Its memory is all zero or written as a frame.
        Some((unsafe { frame_at(self.next) }, top))
    }

    /// Opens the free frame above the innermost one. The caller has checked that there is one.
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

    /// Doubles the capacity. Returns false if the system refuses the memory.
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
            // SAFETY: a mapping of this length, to which only this stack has a pointer.
            unsafe { libc::mremap(self.start.cast(), length, bytes, libc::MREMAP_MAYMOVE) }
        };
        if start == libc::MAP_FAILED {
            return false;
        }
        self.start = start.cast();
        (self.next, self.end) = (self.start.wrapping_add(depth), self.start.wrapping_add(room));
        true
    }

    /// Drops the frames that a jump left open inside the innermost frame of this kind.
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

    /// Leaves the innermost frame, which is in the mapping.
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
        // SAFETY: the frame was open, in the mapping that this stack owns.
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
/// The address is that of a frame, and the only reference to it.
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
