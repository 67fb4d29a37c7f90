//! Records of threads, in memory that outlives them: the first ones in the library's own memory, the others in mapped
//! memory. Unsafe: the calling thread's record is found by its address.
#![allow(unsafe_code)]

use std::cell::{RefCell, RefMut, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::{Local, Once};
use crate::hooks::ThreadEnd;
use crate::stat::blocks::Blocks;
use crate::thread_word;

/// A thread's record, in memory of its own that is never unmapped: the library may be loaded into a running process, which
/// has little space for thread-local storage.
#[repr(C, align(64))]
struct Record {
    /// The next unused record, while this one is unused.
    next: AtomicU64,
    local: RefCell<Local>,
}

/// Number of threads whose records need no mapping.
const READY: usize = 64;

const _: () = assert!(std::mem::offset_of!(Record, next) == 0);

/// Memory for the records of the first threads, which are therefore seen even if the system has no memory left. Pages that no
/// thread uses are never allocated.
struct Ready([UnsafeCell<MaybeUninit<Record>>; READY]);

// SAFETY: each element is given to one thread, by `TAKEN`, and only its address is taken from here.
unsafe impl Sync for Ready {}

static FIRST: Ready = Ready([const { UnsafeCell::new(MaybeUninit::uninit()) }; READY]);
/// Number of elements of `FIRST` that have been given away.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// All further ones, and those of threads that have ended.
static BLOCKS: Blocks = Blocks::of::<Record>(8);

/// Notification of the ends of threads, which is kept for all sessions.
pub(in crate::stat) static THREAD_END: OnceLock<Option<ThreadEnd>> = OnceLock::new();

/// Value of the thread's word, in place of a record's address, if the thread is about to end. It is 0 until the thread has a record.
const OUT: usize = 1;

/// The calling thread's record, unless it is in use: a signal handler interrupted the user. Must not be kept beyond
/// the callback.
#[inline(always)]
pub(in crate::stat) fn local() -> Option<RefMut<'static, Local>> {
    let mut place = thread_word::get::<{ thread_word::STAT }>();
    if place <= OUT {
        place = make_record()?;
    }
    // SAFETY: the address of the calling thread's record, which exists as long as the thread does. What is returned stays on
    // this thread: it can't be sent.
    let record = unsafe { &*with_exposed_provenance::<Record>(place) };
    record.local.try_borrow_mut().ok()
}

/// Gives the calling thread a record, unless the thread is about to end.
#[cold]
#[inline(never)]
fn make_record() -> Option<usize> {
    if thread_word::get::<{ thread_word::STAT }>() == OUT {
        return None;
    }
    let (once, begun_cpu_ns) = Once::begin();
    let place = BLOCKS.take_unused().or_else(first_record).or_else(|| BLOCKS.map())?;
    let record = Record { next: AtomicU64::new(0), local: RefCell::new(Local { once, ..Local::new(0) }) };
    // SAFETY: memory of this size that no other thread knows about: it was mapped just now, or taken from the first or the
    // unused records.
    unsafe { with_exposed_provenance_mut::<Record>(place).write(record) };
    thread_word::set::<{ thread_word::STAT }>(place);
    if let Some(Some(thread_end)) = THREAD_END.get() {
        thread_end.set(1);
    }
    // SAFETY: the record that was written above, which only this thread knows about.
    let record = unsafe { &*with_exposed_provenance::<Record>(place) };
    if let Ok(mut local) = record.local.try_borrow_mut() {
        local.once.end_record(begun_cpu_ns);
    }
    Some(place)
}

/// An element of `FIRST` that no thread has had.
fn first_record() -> Option<usize> {
    if TAKEN.load(Relaxed) >= READY {
        return None;
    }
    FIRST.0.get(TAKEN.fetch_add(1, Relaxed)).map(|record| record.get().expose_provenance())
}

/// Returns the record of the calling thread, which has ended and won't have further events, for use by another one.
pub(in crate::stat) fn give_back() {
    let place = thread_word::get::<{ thread_word::STAT }>();
    if place <= OUT {
        return;
    }
    thread_word::set::<{ thread_word::STAT }>(OUT);
    // SAFETY: the address of the calling thread's record, which stays mapped, and which the thread no longer uses.
    unsafe { BLOCKS.give_back(place) };
}
