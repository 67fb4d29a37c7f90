//! Records of explicit tasks, which the program hands from the call that creates a task to the one that begins it. The program
//! may also hand us values that are none: those of before we listened, and another library's. So records lie in a pool.
#![allow(unsafe_code)] // records begin as zeros

use super::place::Place;
use ompt_core::task::Task;
use ompt_core::thread::Thread;
use std::ptr::from_ref;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use system::memory::{Kept, Pool, Pooled, Zeroed};

/// What is known of one explicit task.
#[repr(C, align(64))]
pub(super) struct Record {
    /// The first field: a thread's current task says which record it is in.
    pub(super) task: Task,
    /// Its creation, until that is told to be over.
    pub(super) creation: [AtomicU64; 4],
    /// What goes on with its thread when it is over.
    pub(super) suspended: [AtomicU64; 6],
    /// The wait that the task is in.
    pub(super) wait: [AtomicU64; 6],
    /// The creation that its own lies in, if that is one.
    pub(super) outer: AtomicU64,
    /// The other library's value for it.
    pub(super) theirs: AtomicU64,
    /// Where it waits for its begin, in programs with the paper's calls.
    pub(super) place: Place,
    marks: AtomicU32,
    /// The next unused record.
    next: AtomicU64,
}

// SAFETY: `Task` is `Zeroed`, and all other fields are atomic integers or booleans, `Place`'s too: zero is a value of each.
unsafe impl Zeroed for Record {}

impl Pooled for Record {
    #[inline(always)]
    fn next(&self) -> &AtomicU64 {
        &self.next
    }

    fn next_list(&self) -> &AtomicU64 {
        &self.outer
    }
}

/// What has happened to a task: when its creation is over and it is over itself, the record is free.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Its creation is over.
    Created = 1,
    /// It is over itself.
    Done = 2,
    /// It runs inside of its creation, on one thread: when that is over, it is over, too.
    AtOnce = 4,
}

static POOL: Pool<Record> = Pool::empty();

/// The calling thread's unused ones, in its words 16 and 17.
fn kept(thread: &'static Thread) -> Kept<'static> {
    Kept { first: thread.word(16), count: thread.word(17) }
}

/// To be called before the first record is wanted.
pub(super) fn set_up() {
    POOL.set_up();
}

/// The record at this address, if there is one.
#[inline(always)]
pub(super) fn at(address: u64) -> Option<&'static Record> {
    POOL.beginning_at(address)
}

/// The record of the task that the thread executes, if it has one.
#[inline(always)]
pub(super) fn current(thread: &'static Thread) -> Option<&'static Record> {
    at(from_ref(thread.current_task()?) as u64)
}

/// A record for the calling thread's new task.
#[inline]
pub(super) fn new(thread: &'static Thread) -> Option<&'static Record> {
    let record = POOL.take(kept(thread))?;
    record.marks.store(0, Relaxed);
    for [first, ..] in [&record.suspended, &record.wait] {
        first.store(0, Relaxed);
    }
    let [first, ..] = &record.creation;
    first.store(0, Relaxed);
    record.theirs.store(0, Relaxed);
    Some(record)
}

impl Record {
    /// The record's address: the program's value for the task.
    #[inline(always)]
    pub(super) fn address(&self) -> u64 {
        from_ref(self) as u64
    }

    /// The task begins inside of its creation, on the calling thread.
    #[inline(always)]
    pub(super) fn is_at_once(&self) {
        self.marks.store(Mark::AtOnce as u32, Relaxed);
    }

    /// Something has happened to the task, on the calling thread, for the first time. Nobody uses the record behind the last
    /// of it.
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
            POOL.give(kept(thread), self);
        }
    }
}
