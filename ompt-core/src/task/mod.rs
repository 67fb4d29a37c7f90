//! Records of tasks: identity of a thread's current task, and of its creator.
//!
//! A task's record is in memory that its adapter provides; a thread links to the record of the task that it executes,
//! so that a query gets id and parent of the same task. Explicit tasks get their ids when they are created. Implicit
//! and initial tasks get theirs at the first query: most are never queried.

mod naming;

pub use naming::Named;

use crate::frame::Frame;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use system::memory::Link;

/// One task: explicit, implicit or initial.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Task {
    id: AtomicU64,
    parent: AtomicU64,
    /// The `ompt_data_t` word of an OMPT 5 tool for the task.
    pub(crate) data: AtomicU64,
    /// Frames of the task on the stack of the thread that executes it.
    pub(crate) frame: Frame,
    /// While a thread executes the task: the suspended task below it on that thread. For a worker's implicit task, the
    /// task that encountered the region.
    below: Link<Task>,
    /// Kind of the task ([`flag`]s); in the bits [`MEMORY`], the number of words of copied variables before this
    /// record.
    flags: AtomicU32,
    /// The number that the thread which executes the task has in its team.
    number: AtomicU32,
}

/// Kinds of tasks, as bits (`ompt_task_flag_t`; OpenMP 5.0, 4.4.4.18).
pub mod flag {
    /// An initial task.
    pub const INITIAL: u32 = 1;
    /// An implicit task of a parallel region.
    pub const IMPLICIT: u32 = 2;
    /// An explicit task.
    pub const EXPLICIT: u32 = 4;
    /// The task of a target construct.
    pub const TARGET: u32 = 8;
    /// A taskwait with dependences, which is treated as a task (5.1).
    pub const TASKWAIT: u32 = 0x10;
    /// The creator continues only when the task is complete.
    pub const UNDEFERRED: u32 = 1 << 27;
    /// Any thread may resume the task.
    pub const UNTIED: u32 = 1 << 28;
    /// Children of the task are included, and final.
    pub const FINAL: u32 = 1 << 29;
    /// The task may be merged if it is undeferred.
    pub const MERGEABLE: u32 = 1 << 30;
}

system::zeroed!(Task { id, parent, data, frame, below, flags, number });

/// A flag of the record, which no interface reports: `data` is the address of the task's frames.
const FRAME_ELSEWHERE: u32 = 1 << 5;
/// A flag of the record, which no interface reports: the task has encountered an active cancellation point.
const CANCELLED: u32 = 1 << 6;
/// Bits of the flags that the standard leaves unused.
const MEMORY: u32 = 0x07ff_ff80;

/// Replaces an id: the task gets one at the first query.
const UNNAMED: u64 = u64::MAX;

/// The number of ids that a thread gets at a time, so that the creation of tasks shares no cache line.
const BLOCK: u64 = 256;
static LAST_BLOCK: AtomicU64 = AtomicU64::new(0);

impl Clone for Task {
    /// A copy of the record, for the same task at another address.
    #[inline]
    fn clone(&self) -> Self {
        Self {
            id: AtomicU64::new(self.id()),
            parent: AtomicU64::new(self.parent()),
            data: AtomicU64::new(self.data.load(Relaxed)),
            flags: AtomicU32::new(self.flags()),
            ..Self::default()
        }
    }
}

impl Task {
    /// The task's id, from 1; 0 for a record without a task.
    #[inline(always)]
    pub fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// The id of the task that created this one, or 0.
    #[inline(always)]
    pub fn parent(&self) -> u64 {
        self.parent.load(Relaxed)
    }

    /// The kind of the task: [`flag`]s.
    #[inline(always)]
    pub fn flags(&self) -> u32 {
        self.flags.load(Relaxed) & !(MEMORY | FRAME_ELSEWHERE | CANCELLED)
    }

    /// True for an explicit task and a target task, which have a parallel region in common with their creators.
    #[inline(always)]
    pub(crate) fn is_created(&self) -> bool {
        self.flags() & (flag::EXPLICIT | flag::TARGET) != 0
    }

    /// Records that the task ends at its own cancellation point.
    pub(crate) fn cancel(&self) {
        self.flags.fetch_or(CANCELLED, Relaxed);
    }

    /// True if the task ends at its own cancellation point.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.flags.load(Relaxed) & CANCELLED != 0
    }

    /// Sets the kind of the task.
    #[inline(always)]
    pub fn set_flags(&self, flags: u32) {
        self.flags.store(flags, Relaxed);
    }

    /// The number that the thread which executes the task has in its team.
    #[inline(always)]
    pub fn thread_number(&self) -> u32 {
        self.number.load(Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set_thread_number(&self, number: u32) {
        self.number.store(number, Relaxed);
    }

    /// Sets the size of the task's copied variables, which precede this record; the record stays at its address. Sizes
    /// above 8 megabytes are not recorded.
    #[inline]
    pub fn set_memory(&self, bytes: usize) {
        const MAX_COUNT: usize = (MEMORY >> MEMORY.trailing_zeros()) as usize;
        let words = u32::try_from(bytes / 8).ok().filter(|words| *words as usize <= MAX_COUNT).unwrap_or(0);
        self.flags.store(self.flags() | words << MEMORY.trailing_zeros(), Relaxed);
    }

    /// Address and size, in bytes, of the task's copied variables; `None` if it has none, or they are not known.
    /// Async-signal-safe.
    pub(crate) fn memory(&self) -> Option<(usize, usize)> {
        let size = ((self.flags.load(Relaxed) & MEMORY) >> MEMORY.trailing_zeros()) as usize * 8;
        (size != 0).then(|| (std::ptr::from_ref(self).addr().wrapping_sub(size), size))
    }

    /// The `ompt_data_t` word of an OMPT 5 tool for the task.
    #[inline(always)]
    pub fn data(&self) -> &AtomicU64 {
        &self.data
    }

    /// The task's frames.
    #[inline(always)]
    pub fn frame(&self) -> &Frame {
        self.runtimes_frame().unwrap_or(&self.frame)
    }

    /// The task's frames for a tool of OpenMP 5, which also reads their flags.
    #[inline(always)]
    pub(crate) fn frame_with_flags(&self) -> &Frame {
        self.runtimes_frame().unwrap_or_else(|| self.frame.with_flags())
    }

    /// The task's frames if its runtime keeps them.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn runtimes_frame(&self) -> Option<&Frame> {
        if self.flags.load(Relaxed) & FRAME_ELSEWHERE == 0 {
            return None;
        }
        // SAFETY: null, or from `keep_frame_at`: a record that exists as long as the task belongs to a thread that queries it.
        unsafe { (self.data.load(Relaxed) as *const Frame).as_ref() }
    }

    /// Makes the runtime's own record the task's frames. The core keeps no data word of a tool for such a task, as the
    /// runtime also does that.
    ///
    /// # Safety
    /// The record stays there until the task is over.
    #[allow(unsafe_code)]
    pub unsafe fn keep_frame_at(&self, frame: *const Frame) {
        if !frame.is_null() {
            self.data.store(frame as u64, Relaxed);
            self.flags.fetch_or(FRAME_ELSEWHERE, Relaxed);
        }
    }

    /// Makes the core's own record the task's frames again: the runtime may reuse its record for another task.
    pub fn leave_runtimes_frame(&self) {
        self.flags.fetch_and(!FRAME_ELSEWHERE, Relaxed);
    }

    /// The task below this one on its thread; for a worker's implicit task the one that encountered the region.
    #[inline(always)]
    pub fn below(&self) -> Option<&'static Task> {
        self.below.get()
    }

    #[inline(always)]
    pub(crate) fn put_above(&self, task: Option<&'static Task>) {
        self.below.set(task);
    }

    /// The id of a task that the calling thread executes; `ids` are that thread's. Async-signal-safe.
    #[inline(always)]
    pub(crate) fn id_by(&self, ids: &Ids) -> u64 {
        match self.id() {
            UNNAMED => self.name_late(ids),
            id => id,
        }
    }

    /// Reinitialises the record for another implicit task.
    #[inline(always)]
    pub(crate) fn renew(&self, parent: u64) {
        self.id.store(UNNAMED, Relaxed);
        self.parent.store(parent, Relaxed);
        self.data.store(0, Relaxed);
    }

    /// Reinitialises the part of an implicit task's record that is used where calls are reported.
    pub(crate) fn renew_reported(&self, flags: u32, below: Option<&'static Task>) {
        self.frame.clear();
        self.below.set(below);
        self.flags.store(flags, Relaxed);
        self.number.store(0, Relaxed);
    }

    #[cold]
    fn name_late(&self, ids: &Ids) -> u64 {
        let id = ids.next_late();
        // A handler may have assigned an id first.
        self.id.compare_exchange(UNNAMED, id, Relaxed, Relaxed).map_or_else(|first| first, |_| id)
    }
}

/// The ids that a thread gives to tasks: one block for the tasks that it creates, another one for the tasks that get
/// their ids at the first query, possibly in a signal handler.
#[derive(Debug)]
pub(crate) struct Ids {
    last: AtomicU64,
    last_late: AtomicU64,
}

system::zeroed!(Ids { last, last_late });

impl Ids {
    /// Ids of threads that have none of their own.
    pub(crate) const fn shared() -> Self {
        Self { last: AtomicU64::new(0), last_late: AtomicU64::new(0) }
    }

    /// The id of a task that the thread, which is the calling one, executes. Async-signal-safe.
    #[inline(always)]
    pub(crate) fn id_of(&self, task: &Task) -> u64 {
        task.id_by(self)
    }

    /// The id of a new task.
    #[inline(always)]
    fn next(&self) -> u64 {
        let next = self.last.load(Relaxed);
        let next = if next.is_multiple_of(BLOCK) { new_block() } else { next };
        self.last.store(next + 1, Relaxed);
        next + 1
    }

    /// The id of a new task, if that needs no new block.
    #[inline(always)]
    fn next_at_hand(&self) -> Option<u64> {
        let last = self.last.load(Relaxed);
        if last.is_multiple_of(BLOCK) {
            return None;
        }
        self.last.store(last + 1, Relaxed);
        Some(last + 1)
    }

    /// The id of a task that got none when it was created, or a number for a tool, which no task has. A handler or another thread may come
    /// in between.
    pub(crate) fn next_late(&self) -> u64 {
        loop {
            let last = self.last_late.load(Relaxed);
            let next = if last.is_multiple_of(BLOCK) { new_block() } else { last } + 1;
            if self.last_late.compare_exchange(last, next, Relaxed, Relaxed).is_ok() {
                return next;
            }
        }
    }
}

#[cold]
fn new_block() -> u64 {
    LAST_BLOCK.fetch_add(1, Relaxed) * BLOCK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_variables_lie_before_the_record_and_are_no_flag() {
        let task = Task::default();
        task.set_flags(flag::EXPLICIT | flag::UNDEFERRED);
        assert_eq!(task.memory(), None);
        let here = std::ptr::from_ref(&task).addr();
        for size in [8, 800, 8 * 0x0f_ffff] {
            task.set_memory(size);
            assert_eq!((task.memory(), task.flags()), (Some((here - size, size)), flag::EXPLICIT | flag::UNDEFERRED));
        }
        task.set_memory(8 * 0x10_0000);
        assert_eq!((task.memory(), task.clone().memory()), (None, None));
    }
}
