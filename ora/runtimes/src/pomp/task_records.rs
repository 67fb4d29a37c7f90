//! Records of explicit tasks, whose addresses the program passes from the call that creates a task to the call that begins it. The program
//! may also pass foreign values: those from before a tool attached, and another library's. So records are in a type-stable pool, which
//! recognises its own records.

use super::list_node::Place;
use super::thread_fields::Fields;
use ompt_core::explicit_task::SuspendedCell;
use ompt_core::task::Task;
use ompt_core::thread::Thread;
use std::ptr::from_ref;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use system::memory::{Pool, Pooled};

/// Record of an explicit task.
#[repr(C, align(64))]
pub(super) struct Record {
    /// The first field, so that the address of a thread's current task is that of its record.
    pub(super) task: Task,
    /// Creation of the task, until the end of the creation is reported.
    pub(super) creation: [AtomicU64; 4],
    /// Saved state of the thread, to restore when the task ends.
    pub(super) suspended: SuspendedCell,
    /// The wait that the task is in.
    pub(super) wait: [AtomicU64; 6],
    /// The enclosing creation, if the task was created inside another creation.
    pub(super) outer: AtomicU64,
    /// The other library's value for it.
    pub(super) theirs: AtomicU64,
    /// List node until the task begins, in programs with the functions of Lorenz et al.
    pub(super) place: Place,
    marks: AtomicU32,
    /// The next unused record.
    next: AtomicU64,
}

system::zeroed!(Record { task, creation, suspended, wait, outer, theirs, place, marks, next });

impl Pooled for Record {
    #[inline(always)]
    fn next(&self) -> &AtomicU64 {
        &self.next
    }

    fn next_list(&self) -> &AtomicU64 {
        &self.outer
    }
}

/// Completed parts of a task's life: when its creation and the task itself are over, the record is freed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// The task's creation is over.
    Created = 1,
    /// The task itself is over.
    Done = 2,
    /// The task runs inside its creation, on one thread: when the task is over, the creation ends with it.
    AtOnce = 4,
}

static POOL: Pool<Record> = Pool::empty();

/// Reserves the pool. Called before the first record is needed.
pub(super) fn set_up() {
    POOL.set_up();
}

/// The record at this address, if a record starts there.
#[inline(always)]
pub(super) fn at(address: u64) -> Option<&'static Record> {
    POOL.beginning_at(address)
}

/// The record of the thread's current task, if it has one.
#[inline(always)]
pub(super) fn current(thread: &'static Thread) -> Option<&'static Record> {
    at(from_ref(thread.current.task()?) as u64)
}

/// A record for the calling thread's new task.
#[inline]
pub(super) fn new(thread: &'static Thread) -> Option<&'static Record> {
    let record = POOL.take(Fields::of(thread).tasks)?;
    record.marks.store(0, Relaxed);
    record.suspended.clear();
    let ([wait, ..], [creation, ..]) = (&record.wait, &record.creation);
    wait.store(0, Relaxed);
    creation.store(0, Relaxed);
    record.theirs.store(0, Relaxed);
    Some(record)
}

impl Record {
    /// The record's address: the program's value for the task.
    #[inline(always)]
    pub(super) fn address(&self) -> u64 {
        from_ref(self) as u64
    }

    /// Marks the task as one that begins inside its creation, on the calling thread.
    #[inline(always)]
    pub(super) fn is_at_once(&self) {
        self.marks.store(Mark::AtOnce as u32, Relaxed);
    }

    /// Marks a part of the task's life as complete, on the calling thread, for the first time. The record is not used after the last mark.
    #[inline(always)]
    pub(super) fn mark(&'static self, thread: &'static Thread, mark: Mark) {
        let last = if self.marks.load(Relaxed) == Mark::AtOnce as u32 {
            mark == Mark::Created
        } else {
            // Only two marks are swapped in. AcqRel: pairs with this swap on the other thread, which publishes that thread's
            // last writes to the record before it is reused.
            self.marks.swap(mark as u32, AcqRel) != 0
        };
        if last {
            POOL.give(Fields::of(thread).tasks, self);
        }
    }
}
