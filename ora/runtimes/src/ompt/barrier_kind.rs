//! Kind of a barrier in gcc's code on LLVM-like runtimes. These report the same kind for all its barriers except a region's last one. The
//! function that the code called is more specific: `GOMP_barrier`, or the end of a construct.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use system::objects::{any_object, called_before};

/// Cache of results by return address: true if the call before it is a call of `GOMP_barrier`. The address selects a few entries; the
/// result is stored in the first free one, for good. The look-up of a new address takes the dynamic linker's lock.
const CACHE_SIZE: usize = 512;
const PROBES: usize = 8;
static KNOWN: [AtomicUsize; CACHE_SIZE] = [const { AtomicUsize::new(0) }; CACHE_SIZE];
/// Bit of a positive result; addresses have 47 bits.
const YES: usize = 1 << 63;

/// Addresses of the runtimes' `__kmpc_barrier`. Their own `GOMP_barrier` calls it, and no other function for gcc's code does. Sometimes
/// (libomp 19, also natively) they report the return address of this inner call.
static INNER: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

/// Test for other functions that replace `GOMP_barrier`.
static IS_GOMP_BARRIER: OnceLock<fn(usize) -> bool> = OnceLock::new();

/// Sets the test for other functions that replace `GOMP_barrier`.
pub(super) fn prepare(is_gomp_barrier: fn(usize) -> bool) {
    let _ = IS_GOMP_BARRIER.set(is_gomp_barrier);
}

/// Looks up `__kmpc_barrier` of the runtimes, when one starts.
pub(super) fn look_for_barriers() {
    let mut free = INNER.iter();
    any_object(&mut |object| {
        if let Some(function) = object.function(c"__kmpc_barrier", None) {
            free.next().into_iter().for_each(|place| place.store(function as usize, Relaxed));
        }
        false
    });
}

/// True if the call that returns to this address is an explicit barrier of gcc's code.
pub(super) fn is_explicit_barrier(code: usize) -> bool {
    if code == 0 {
        return false;
    }
    let first = code ^ code >> 6;
    let mut places = (0..PROBES).filter_map(|probe| KNOWN.get((first + probe) % CACHE_SIZE));
    let free = loop {
        let Some(place) = places.next() else { break None };
        match place.load(Relaxed) {
            0 => break Some(place),
            known if known & !YES == code => return known & YES != 0,
            _ => {}
        }
    };
    let target = called_before(code);
    let inner = |target: usize| INNER.iter().any(|inner| inner.load(Relaxed) == target);
    let explicit =
        target.is_some_and(|target| inner(target) || IS_GOMP_BARRIER.get().is_some_and(|is_it| is_it(target)));
    if let Some(place) = free {
        // Another thread may have taken the entry: then this address is looked up again.
        let _ = place.compare_exchange(0, code | if explicit { YES } else { 0 }, Relaxed, Relaxed);
    }
    explicit
}
