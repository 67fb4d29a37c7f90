//! gcc's code on these runtimes: they call all barriers of it but a region's last one by the same kind. Which function the code
//! called says more: `GOMP_barrier`, or the end of a construct.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use system::objects::{any_object, called_before};

/// Answers are kept, in the first free place of a few that the address selects, and never given up: for a return address,
/// whether the call before it is of `GOMP_barrier`. To find out takes the dynamic linker's lock.
const PLACES: usize = 512;
const PROBES: usize = 8;
static KNOWN: [AtomicUsize; PLACES] = [const { AtomicUsize::new(0) }; PLACES];
/// The bit of an answer that says yes; addresses have 47 bits.
const YES: usize = 1 << 63;

/// Where the runtimes have `__kmpc_barrier`. Their own `GOMP_barrier` calls it, and of functions for gcc's code no other does;
/// now and then (libomp 19, natively too) the return address that they give is the one of that call.
static INNER: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

/// The test for other functions that stand for `GOMP_barrier`.
static IS_GOMP_BARRIER: OnceLock<fn(usize) -> bool> = OnceLock::new();

/// Notes that test.
pub(super) fn prepare(is_gomp_barrier: fn(usize) -> bool) {
    let _ = IS_GOMP_BARRIER.set(is_gomp_barrier);
}

/// A runtime has started.
pub(super) fn look_for_barriers() {
    let mut free = INNER.iter();
    any_object(&mut |object| {
        if let Some(function) = object.function(c"__kmpc_barrier", None) {
            free.next().into_iter().for_each(|place| place.store(function as usize, Relaxed));
        }
        false
    });
}

/// Whether the call that returns to this address is an explicit barrier of gcc's code.
pub(super) fn is_explicit_barrier(code: usize) -> bool {
    if code == 0 {
        return false;
    }
    let first = code ^ code >> 6;
    let mut places = (0..PROBES).filter_map(|probe| KNOWN.get((first + probe) % PLACES));
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
        // Another thread may have taken it: then this address is looked at again.
        let _ = place.compare_exchange(0, code | if explicit { YES } else { 0 }, Relaxed, Relaxed);
    }
    explicit
}
