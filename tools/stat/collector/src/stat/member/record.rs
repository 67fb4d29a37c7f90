//! Records of threads, in memory that outlives them: of the first ones in the library's own, of others mapped.
//! Unsafe: the calling thread's record is found by its address.
#![allow(unsafe_code)]

use std::cell::{RefCell, RefMut, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use system::memory::{TreiberStack, pages};

use super::Local;
use crate::hooks::ThreadEnd;
use crate::thread_word;

/// A thread's record, in memory of its own that is never unmapped: the library may be loaded into a running process, in which
/// there is hardly room for thread-local storage.
#[repr(C)]
struct Record {
    /// The next unused one, while this one is unused.
    next: AtomicU64,
    local: RefCell<Local>,
}

/// Number of threads whose records need no mapping.
const READY: usize = 64;

/// Memory for the records of the first threads: they are seen, too, where the system has no memory left. Pages that no thread
/// uses are never made.
struct Ready([UnsafeCell<MaybeUninit<Record>>; READY]);

// SAFETY: each element is given to one thread, by `TAKEN`, and its address is all that is taken from here.
unsafe impl Sync for Ready {}

static FIRST: Ready = Ready([const { UnsafeCell::new(MaybeUninit::uninit()) }; READY]);
/// Number of the elements of `FIRST` that are given away.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Records of threads that have ended.
static UNUSED: TreiberStack = TreiberStack::empty();

/// Notification of the ends of threads, which stays for all sessions.
pub(in crate::stat) static THREAD_END: OnceLock<Option<ThreadEnd>> = OnceLock::new();

/// In the thread's word, in place of a record's address: there is none yet.
const NONE: usize = 0;
/// The same: the thread is about to end.
const OUT: usize = 1;

/// The calling thread's record, unless it is being used: a signal handler came in between. Not to be kept beyond the callback.
#[inline(always)]
pub(in crate::stat) fn local() -> Option<RefMut<'static, Local>> {
    let mut place = thread_word::get::<{ thread_word::STAT }>();
    if place <= OUT {
        place = make_record()?;
    }
    // SAFETY: the address of the calling thread's record, which is there as long as the thread is. What is returned stays on
    // this thread: it can't be sent.
    let record = unsafe { &*with_exposed_provenance::<Record>(place) };
    record.local.try_borrow_mut().ok()
}

/// Gives the calling thread a record, unless it is about to end.
#[cold]
#[inline(never)]
fn make_record() -> Option<usize> {
    if thread_word::get::<{ thread_word::STAT }>() == OUT {
        return None;
    }
    // SAFETY: only `give_back` pushes records, which stay mapped.
    let next =
        |address| unsafe { with_exposed_provenance::<Record>(place_of(address)).as_ref() }.map(|record| &record.next);
    let place = match UNUSED.pop(next) {
        Some(address) => place_of(address),
        None => first_record().or_else(map_record)?,
    };
    let record = Record { next: AtomicU64::new(0), local: RefCell::new(Local::new(0)) };
    // SAFETY: memory of this size, which no other thread knows of: it was mapped, or taken from the first or the unused ones,
    // just now.
    unsafe { with_exposed_provenance_mut::<Record>(place).write(record) };
    thread_word::set::<{ thread_word::STAT }>(place);
    if let Some(Some(thread_end)) = THREAD_END.get() {
        thread_end.set(1);
    }
    Some(place)
}

/// An address that was kept as a number of 64 bits.
fn place_of(address: u64) -> usize {
    usize::try_from(address).unwrap_or(NONE)
}

/// An element of `FIRST` that no thread has had.
fn first_record() -> Option<usize> {
    if TAKEN.load(Relaxed) >= READY {
        return None;
    }
    FIRST.0.get(TAKEN.fetch_add(1, Relaxed)).map(|record| record.get().expose_provenance())
}

fn map_record() -> Option<usize> {
    pages(size_of::<Record>()).map(|start| start.as_ptr().expose_provenance())
}

/// The calling thread has ended, and no event of it will come: another one may have its record.
pub(in crate::stat) fn give_back() {
    let place = thread_word::get::<{ thread_word::STAT }>();
    if place <= OUT {
        return;
    }
    thread_word::set::<{ thread_word::STAT }>(OUT);
    // SAFETY: the address of the calling thread's record, which stays mapped.
    let record = unsafe { &*with_exposed_provenance::<Record>(place) };
    UNUSED.push(place as u64, &record.next);
}
