//! Tasks: who a thread's current task is, and who created it.
//!
//! A task's record lives wherever its host finds room; a thread points to the one it executes, so that a query finds id and
//! parent of the same task. Explicit tasks get their id when they are created, implicit and initial ones when somebody asks:
//! most are never asked for.

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
    /// The word that an OMPT 5 tool keeps for the task.
    pub(crate) data: AtomicU64,
    /// Its frames on the stack of the thread that executes it.
    pub(crate) frame: Frame,
    /// While a thread executes it: the task that lies below it there, suspended; for a worker's implicit task the one that
    /// encountered the region.
    below: Link<Task>,
    /// What kind of task it is; among it, at [`MEMORY`], how many words of copies of variables lie before this record.
    flags: AtomicU32,
    /// The number, in its team, of the thread that executes it.
    number: AtomicU32,
}

/// What kind of task it is, in bits (`ompt_task_flag_t`; OpenMP 5.0, 4.4.4.18).
pub mod flag {
    /// An initial task.
    pub const INITIAL: u32 = 1;
    /// An implicit task of a parallel region.
    pub const IMPLICIT: u32 = 2;
    /// An explicit task.
    pub const EXPLICIT: u32 = 4;
    /// Nothing but a place to wait for other tasks (5.1).
    pub const TASKWAIT: u32 = 0x10;
    /// Its creator goes on only when it is done.
    pub const UNDEFERRED: u32 = 1 << 27;
    /// Any thread may resume it.
    pub const UNTIED: u32 = 1 << 28;
    /// Its children are included, and final.
    pub const FINAL: u32 = 1 << 29;
    /// It may be merged if it is undeferred.
    pub const MERGEABLE: u32 = 1 << 30;
}

system::zeroed!(Task { id, parent, data, frame, below, flags, number });

/// Of a task's flags, and no interface's: `data` is the address of its frames.
const FRAME_ELSEWHERE: u32 = 1 << 5;
/// Bits of the flags that the standard leaves free.
const MEMORY: u32 = 0x07ff_ffc0;

/// In place of an id: the task gets one when somebody asks.
const UNNAMED: u64 = u64::MAX;

/// Ids are handed to threads in blocks, so that creating a task shares no cache line.
const BLOCK: u64 = 256;
static LAST_BLOCK: AtomicU64 = AtomicU64::new(0);

impl Clone for Task {
    /// The same task's record in another place.
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
    /// The task's id, from 1; 0 for a record that is none's.
    #[inline(always)]
    pub fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// The id of the task that created it, or 0.
    #[inline(always)]
    pub fn parent(&self) -> u64 {
        self.parent.load(Relaxed)
    }

    /// What kind of task it is: [`flag`]s.
    #[inline(always)]
    pub fn flags(&self) -> u32 {
        self.flags.load(Relaxed) & !(MEMORY | FRAME_ELSEWHERE)
    }

    /// Says what kind of task it is.
    #[inline(always)]
    pub fn set_flags(&self, flags: u32) {
        self.flags.store(flags, Relaxed);
    }

    /// The number, in its team, of the thread that executes it.
    #[inline(always)]
    pub fn thread_number(&self) -> u32 {
        self.number.load(Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set_thread_number(&self, number: u32) {
        self.number.store(number, Relaxed);
    }

    /// The task's copies of variables take so many bytes before this record, which is where it stays. (What takes more than 16
    /// megabytes goes unnoted.)
    #[inline]
    pub fn set_memory(&self, bytes: usize) {
        const MOST: usize = (MEMORY >> MEMORY.trailing_zeros()) as usize;
        let words = u32::try_from(bytes / 8).ok().filter(|words| *words as usize <= MOST).unwrap_or(0);
        self.flags.store(self.flags() | words << MEMORY.trailing_zeros(), Relaxed);
    }

    /// Where its copies of variables lie, and how many bytes they take; `None` where it has none, or nobody knows.
    /// Async-signal-safe.
    pub(crate) fn memory(&self) -> Option<(usize, usize)> {
        let size = ((self.flags.load(Relaxed) & MEMORY) >> MEMORY.trailing_zeros()) as usize * 8;
        (size != 0).then(|| (std::ptr::from_ref(self).addr().wrapping_sub(size), size))
    }

    /// The word that an OMPT 5 tool keeps for it.
    #[inline(always)]
    pub fn data(&self) -> &AtomicU64 {
        &self.data
    }

    /// Its frames.
    #[inline(always)]
    pub fn frame(&self) -> &Frame {
        self.runtimes_frame().unwrap_or(&self.frame)
    }

    /// Its frames where its runtime keeps them.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn runtimes_frame(&self) -> Option<&Frame> {
        if self.flags.load(Relaxed) & FRAME_ELSEWHERE == 0 {
            return None;
        }
        // SAFETY: null, or from `keep_frame_at`: a record that is there as long as the task is one of a thread that asks.
        unsafe { (self.data.load(Relaxed) as *const Frame).as_ref() }
    }

    /// The task's runtime keeps its frames itself, there. No tool's word is kept for such a task: the runtime does that, too.
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

    /// The runtime may use its record of the task for another one from now on; the frames are those that the core keeps.
    pub fn leave_runtimes_frame(&self) {
        self.flags.fetch_and(!FRAME_ELSEWHERE, Relaxed);
    }

    /// The task that lies below it on its thread; for a worker's implicit task the one that encountered the region.
    #[inline(always)]
    pub fn below(&self) -> Option<&'static Task> {
        self.below.get()
    }

    #[inline(always)]
    pub(crate) fn put_above(&self, task: Option<&'static Task>) {
        self.below.set(task);
    }

    /// The id of a task that the calling thread, which gives these ids, executes. Async-signal-safe.
    #[inline(always)]
    pub(crate) fn id_by(&self, ids: &Ids) -> u64 {
        match self.id() {
            UNNAMED => self.name_late(ids),
            id => id,
        }
    }

    /// The record is another implicit task's from now on.
    #[inline(always)]
    pub(crate) fn renew(&self, parent: u64) {
        self.id.store(UNNAMED, Relaxed);
        self.parent.store(parent, Relaxed);
        self.data.store(0, Relaxed);
    }

    /// What is kept of an implicit task where calls are told.
    pub(crate) fn renew_told(&self, flags: u32, below: Option<&'static Task>) {
        self.frame.clear();
        self.below.set(below);
        self.flags.store(flags, Relaxed);
        self.number.store(0, Relaxed);
    }

    #[cold]
    fn name_late(&self, ids: &Ids) -> u64 {
        let id = ids.next_late();
        // A handler may have been first.
        self.id.compare_exchange(UNNAMED, id, Relaxed, Relaxed).map_or_else(|first| first, |_| id)
    }
}

/// The ids that a thread gives to tasks: one block for the tasks that it creates, another one for the tasks that get their ids when
/// somebody asks, also in a signal handler.
#[derive(Debug)]
pub(crate) struct Ids {
    last: AtomicU64,
    last_late: AtomicU64,
}

system::zeroed!(Ids { last, last_late });

impl Ids {
    /// The id of a new task.
    #[inline(always)]
    fn next(&self) -> u64 {
        let next = self.last.load(Relaxed);
        let next = if next.is_multiple_of(BLOCK) { new_block() } else { next };
        self.last.store(next + 1, Relaxed);
        next + 1
    }

    /// As above, if that takes no new block.
    #[inline(always)]
    fn next_at_hand(&self) -> Option<u64> {
        let last = self.last.load(Relaxed);
        if last.is_multiple_of(BLOCK) {
            return None;
        }
        self.last.store(last + 1, Relaxed);
        Some(last + 1)
    }

    /// The id of a task that got none when it was created: a handler may come in between.
    fn next_late(&self) -> u64 {
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
        for size in [8, 800, 8 * 0x1f_ffff] {
            task.set_memory(size);
            assert_eq!((task.memory(), task.flags()), (Some((here - size, size)), flag::EXPLICIT | flag::UNDEFERRED));
        }
        task.set_memory(8 * 0x20_0000);
        assert_eq!((task.memory(), task.clone().memory()), (None, None));
    }
}
