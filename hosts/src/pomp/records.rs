//! Records of explicit tasks, which the program hands from the call that creates a task to the one that begins it. The program
//! may also hand us values that are none: those of before we listened, and another library's. So records lie in one range of
//! addresses. They are type-stable, and are used again.
#![allow(unsafe_code)] // memory comes from mmap; words hold addresses
#![allow(clippy::cast_possible_truncation)] // addresses have 64 bits here

use ompt_core::slab::Zeroed;
use ompt_core::task::Task;
use ompt_core::thread::Thread;
use ompt_core::warning;
use std::ptr::{from_ref, null_mut};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

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
    marks: AtomicU32,
    /// The next unused record.
    next: AtomicUsize,
}

// SAFETY: atomics and links only, for which zero is a value.
unsafe impl Zeroed for Record {}

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

/// Room for so many bytes is asked for at first, half of that where the system refuses, and so on. Only what is used takes
/// memory.
const MOST: usize = 1 << 32;
const LEAST: usize = 1 << 20;
const SIZE: usize = size_of::<Record>();

static START: AtomicUsize = AtomicUsize::new(0);
static LENGTH: AtomicUsize = AtomicUsize::new(0);
/// How many bytes were ever handed out.
static USED: AtomicUsize = AtomicUsize::new(0);
/// Lists that threads had too much of: the first record's address, and a count against ABA in the upper bits.
static SPARE: AtomicU64 = AtomicU64::new(0);
const ADDRESS: u64 = (1 << 48) - 1;

/// Words of a [`Thread`]: its first unused record, and how many they are.
const UNUSED: usize = 0;
const COUNT: usize = 1;
/// How many records a thread takes at a time; it keeps no more than twice as many.
const LIST: u64 = 64;

/// Asks the system for the range. To be called before the first record is wanted.
pub(super) fn set_up() {
    if START.load(Acquire) != 0 {
        return;
    }
    let mut length = MOST;
    while length >= LEAST {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the system's choice touches no memory of ours.
        let start = unsafe { libc::mmap(null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if start != libc::MAP_FAILED {
            LENGTH.store(length / SIZE * SIZE, Release);
            START.store(start as usize, Release);
            return;
        }
        length /= 2;
    }
    warning::of_refused_memory();
}

/// The record at this address, if there is one.
#[inline(always)]
pub(super) fn at(address: u64) -> Option<&'static Record> {
    let start = START.load(Relaxed) as u64;
    let offset = address.wrapping_sub(start);
    if start == 0 || offset >= USED.load(Relaxed) as u64 || !offset.is_multiple_of(SIZE as u64) {
        return None;
    }
    // SAFETY: the beginning of a record, in memory that stays.
    unsafe { (address as *const Record).as_ref() }
}

/// The record of the task that the thread executes, if it has one.
#[inline(always)]
pub(super) fn current(thread: &'static Thread) -> Option<&'static Record> {
    at(from_ref(thread.current_task()?) as u64)
}

/// A record for the calling thread's new task.
#[inline]
pub(super) fn new(thread: &'static Thread) -> Option<&'static Record> {
    let first = thread.word(UNUSED).load(Relaxed) as *const Record;
    // SAFETY: null, or what `give` or `refill` has put there.
    let record = match unsafe { first.as_ref() } {
        Some(record) => record,
        None => refill(thread)?,
    };
    thread.word(UNUSED).store(record.next.load(Relaxed) as u64, Relaxed);
    thread.word(COUNT).store(thread.word(COUNT).load(Relaxed).saturating_sub(1), Relaxed);
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
            // Only two marks are swapped in. Pairs with itself: the other thread is done with the record.
            self.marks.swap(mark as u32, AcqRel) != 0
        };
        if last {
            give(thread, self);
        }
    }
}

fn give(thread: &'static Thread, record: &'static Record) {
    let count = thread.word(COUNT).load(Relaxed);
    if count >= 2 * LIST {
        spare(thread);
    }
    record.next.store(thread.word(UNUSED).load(Relaxed) as usize, Relaxed);
    thread.word(UNUSED).store(record.address(), Relaxed);
    thread.word(COUNT).store(thread.word(COUNT).load(Relaxed) + 1, Relaxed);
}

/// Gives a thread's unused records to whoever needs them. The first of them links this list to the next one.
#[cold]
fn spare(thread: &'static Thread) {
    let Some(head) = at(thread.word(UNUSED).swap(0, Relaxed)) else { return };
    thread.word(COUNT).store(0, Relaxed);
    let mut before = SPARE.load(Relaxed);
    loop {
        head.outer.store(before & ADDRESS, Relaxed);
        let now = head.address() | (before & !ADDRESS).wrapping_add(ADDRESS + 1);
        match SPARE.compare_exchange_weak(before, now, AcqRel, Relaxed) {
            Ok(_) => return,
            Err(other) => before = other,
        }
    }
}

/// The first of records that are the thread's from now on.
#[cold]
fn refill(thread: &'static Thread) -> Option<&'static Record> {
    let mut before = SPARE.load(Acquire);
    while let Some(head) = at(before & ADDRESS) {
        let now = head.outer.load(Relaxed) & ADDRESS | (before & !ADDRESS).wrapping_add(ADDRESS + 1);
        match SPARE.compare_exchange_weak(before, now, AcqRel, Acquire) {
            Ok(_) => {
                thread.word(COUNT).store(2 * LIST, Relaxed);
                return Some(head);
            }
            Err(other) => before = other,
        }
    }
    let bytes = SIZE * LIST as usize;
    let start = START.load(Acquire);
    let used = USED.fetch_add(bytes, AcqRel);
    if start == 0 || used + bytes > LENGTH.load(Relaxed) {
        USED.fetch_sub(bytes, AcqRel);
        return None;
    }
    let mut next = 0;
    for offset in (used..used + bytes).step_by(SIZE).rev() {
        at((start + offset) as u64)?.next.store(next, Relaxed);
        next = start + offset;
    }
    thread.word(COUNT).store(LIST, Relaxed);
    at(next as u64)
}
