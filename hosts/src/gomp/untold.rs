//! Calls that no object's relocations explain: a library has our function by `dlsym`, and no libgomp of its own. Where such a
//! call goes is found out once, as long as no object comes or goes.

use super::entry::Code;
use super::relink::Call;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering::*};

const PLACES: usize = 64;

/// One call, and the function that it goes to unless the thread is in a region. Written while `version` is odd.
struct Place {
    version: AtomicU64,
    loads: AtomicU64,
    entry: AtomicUsize,
    return_address: AtomicUsize,
    target: AtomicPtr<()>,
}

static UNTOLD: [Place; PLACES] = [const {
    Place {
        version: AtomicU64::new(0),
        loads: AtomicU64::new(0),
        entry: AtomicUsize::new(0),
        return_address: AtomicUsize::new(0),
        target: AtomicPtr::new(null_mut()),
    }
}; PLACES];

fn place(call: Call) -> Option<&'static Place> {
    UNTOLD.get((call.return_address ^ call.entry << 4) % PLACES)
}

/// Where the call went before, with the same objects loaded.
pub(super) fn known(call: Call, loads: u64) -> Option<Code> {
    let place = place(call)?;
    let version = place.version.load(Acquire);
    let same = place.loads.load(Acquire) == loads
        && place.entry.load(Acquire) == call.entry
        && place.return_address.load(Acquire) == call.return_address;
    let target = place.target.load(Acquire);
    (same && !target.is_null() && version & 1 == 0 && place.version.load(Acquire) == version).then_some(Code(target))
}

/// Keeps where it goes.
pub(super) fn keep(call: Call, loads: u64, target: Code) {
    let Some(place) = place(call) else { return };
    let version = place.version.load(Relaxed);
    if version & 1 != 0 || place.version.compare_exchange(version, version + 1, AcqRel, Relaxed).is_err() {
        return;
    }
    place.loads.store(loads, Release);
    place.entry.store(call.entry, Release);
    place.return_address.store(call.return_address, Release);
    place.target.store(target.0.cast_mut(), Release);
    place.version.store(version + 2, Release);
}
