//! Banks: the slots and real functions of one libgomp instance. Today there is one bank, for the libgomp that the process
//! finds in its global scope; privately loaded ones are called directly.
#![allow(unsafe_code)] // addresses of code become functions

use super::entry::Code;
use super::table::{ENTRIES, Entry, SLOTS, SYMBOLS, unbound, wrappers};
use std::mem::transmute_copy;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};

/// Slots and real functions of one libgomp. The slots come first: entries know their distance from the bank's start.
#[repr(C)]
pub(super) struct Bank {
    slots: [AtomicPtr<()>; SLOTS],
    real: [AtomicPtr<()>; ENTRIES],
    unbound: [Code; SLOTS],
    wrappers: [Code; SLOTS],
    /// Whether somebody is in the unnamed critical section; its address names the section.
    pub(super) in_critical: AtomicU32,
    /// Whether somebody holds the lock behind `GOMP_atomic_start`; its address names that lock.
    pub(super) in_atomic: AtomicU32,
    /// Whether constructs can be cancelled, once that is known: libgomp decides when it is loaded.
    cancellation: AtomicU32,
}

const NO: u32 = 1;
const YES: u32 = 2;

/// All banks.
pub(super) static BANKS: [Bank; 1] = [Bank::new::<0>()];

/// Bank `B`.
#[inline(always)]
pub(super) fn bank<const B: usize>() -> &'static Bank {
    #[allow(clippy::indexing_slicing)] // a wrong number does not compile
    const {
        &BANKS[B]
    }
}

#[allow(clippy::indexing_slicing)] // `i` is less than `N`
const fn pointers<const N: usize>(from: [Code; N]) -> [AtomicPtr<()>; N] {
    let mut slots = [const { AtomicPtr::new(null_mut()) }; N];
    let mut i = 0;
    while i < N {
        slots[i] = AtomicPtr::new(from[i].0.cast_mut());
        i += 1;
    }
    slots
}

impl Bank {
    const fn new<const B: usize>() -> Self {
        Self {
            slots: pointers(unbound::<B>()),
            real: [const { AtomicPtr::new(null_mut()) }; ENTRIES],
            unbound: unbound::<B>(),
            wrappers: wrappers::<B>(),
            in_critical: AtomicU32::new(0),
            in_atomic: AtomicU32::new(0),
            cancellation: AtomicU32::new(0),
        }
    }

    /// The real function behind an entry, if it is known.
    pub(super) fn address(&self, entry: usize) -> Option<Code> {
        let address = self.real.get(entry)?.load(Acquire);
        (!address.is_null()).then_some(Code(address))
    }

    /// Binds an entry to its real function: its calls go there, without a report.
    pub(super) fn bind(&self, entry: usize, real: Code) {
        if let Some(place) = self.real.get(entry) {
            place.store(real.0.cast_mut(), Release);
        }
        self.forward(entry, real);
    }

    /// Whether constructs can be cancelled (`OMP_CANCELLATION`). libgomp before gcc 4.9 has no such thing.
    #[inline]
    pub(super) fn cancels(&self) -> bool {
        match self.cancellation.load(Relaxed) {
            0 => self.ask_cancellation(),
            known => known == YES,
        }
    }

    #[cold]
    fn ask_cancellation(&self) -> bool {
        let cancels = self.address(Entry::omp_get_cancellation as usize).is_some_and(|get| {
            // SAFETY: takes nothing and returns an int.
            let get: extern "C" fn() -> i32 = unsafe { std::mem::transmute(get.0) };
            get() != 0
        });
        self.cancellation.store(if cancels { YES } else { NO }, Relaxed);
        cancels
    }

    /// Whether there is a libgomp behind the bank.
    pub(super) fn is_bound(&self) -> bool {
        self.address(Entry::GOMP_parallel as usize).is_some()
    }

    /// Binds an entry to a function that is not libgomp's: its calls go there for ever.
    pub(super) fn forward(&self, entry: usize, function: Code) {
        if let Some(slot) = self.slots.get(entry) {
            slot.store(function.0.cast_mut(), Release);
        }
    }

    /// Where a call of the entry goes now, if that is known.
    pub(super) fn target(&self, entry: usize) -> Option<Code> {
        let target = self.slots.get(entry)?.load(Acquire);
        (!std::ptr::addr_eq(target, self.unbound.get(entry)?.0)).then_some(Code(target))
    }

    /// From now on calls are reported: entries that close something first, so that nobody is seen entering what he is not
    /// seen leaving. Nothing is, unless all that wrappers call besides their own function is there.
    pub(super) fn wrap(&self) {
        const NEEDED: [Entry; 7] = [
            Entry::GOMP_barrier,
            Entry::omp_get_level,
            Entry::omp_get_num_threads,
            Entry::omp_test_lock,
            Entry::omp_test_lock_,
            Entry::omp_test_nest_lock,
            Entry::omp_test_nest_lock_,
        ];
        if NEEDED.iter().any(|entry| self.address(*entry as usize).is_none()) {
            return;
        }
        for closing in [true, false] {
            let bound = self.slots.iter().zip(&self.real).zip(self.wrappers.iter().zip(&SYMBOLS));
            for ((slot, real), (wrapper, (name, _))) in bound {
                if name.contains("_end") == closing && !real.load(Acquire).is_null() {
                    slot.store(wrapper.0.cast_mut(), Release);
                }
            }
        }
    }

    /// Whether the calling thread is in a parallel region, as libgomp itself sees it. Async-signal-safe: libgomp reads an
    /// initial-exec thread-local.
    pub(super) fn in_parallel(&self) -> bool {
        let Some(get_level) = self.address(Entry::omp_get_level as usize) else { return false };
        // SAFETY: the address is libgomp's omp_get_level, which takes nothing and returns an int.
        let get_level: extern "C" fn() -> i32 = unsafe { std::mem::transmute(get_level.0) };
        get_level() > 0
    }
}

/// The real function behind an entry, as a function of type `F`.
///
/// # Safety
/// `F` is a function pointer type that fits the entry, and the entry of bank `B` is bound: wrappers are reached only then.
#[inline(always)]
pub(super) unsafe fn real<const B: usize, const E: usize, F: Copy>() -> F {
    const { assert!(size_of::<F>() == size_of::<*mut ()>()) };
    #[allow(clippy::indexing_slicing)]
    let address = bank::<B>().real[E].load(Relaxed);
    // SAFETY: the caller's promise.
    unsafe { transmute_copy(&address) }
}
