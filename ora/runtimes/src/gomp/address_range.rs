//! Address range of a libgomp, and the test that it is still mapped there. Signal handlers query it, and a libgomp may be unloaded at any
//! time without notice: so the linker is queried each time.

use super::entry::Code;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use system::object_range::find;

/// Address range of one libgomp.
pub(super) struct AddressRange {
    /// An address in it; 0 if the range is unknown.
    inside: AtomicUsize,
    /// Start, end, and address of its unwind tables: no two objects share all three by chance.
    is: [AtomicUsize; 3],
}

impl AddressRange {
    pub(super) const fn unknown() -> Self {
        Self { inside: AtomicUsize::new(0), is: [const { AtomicUsize::new(0) }; 3] }
    }

    /// Records the range of the libgomp that contains this function.
    pub(super) fn set(&self, function: Option<Code>) {
        let Some((function, found)) = function.and_then(|function| Some((function, find(function.0 as usize)?))) else {
            return self.clear();
        };
        self.is.iter().zip(found).for_each(|(place, found)| place.store(found, Relaxed));
        // Release: pairs with the load in `is_there`; publishes `is`.
        self.inside.store(function.0 as usize, Release);
    }

    /// Forgets the range.
    pub(super) fn clear(&self) {
        // Release: pairs with the load in `is_there`, which reads nothing else after a 0.
        self.inside.store(0, Release);
    }

    /// True if the libgomp is still mapped there; false if that can't be determined. Async-signal-safe.
    pub(super) fn is_there(&self) -> bool {
        // Acquire: pairs with the store in `set`, before which `is` was written.
        let inside = self.inside.load(Acquire);
        inside != 0 && find(inside).is_some_and(|found| self.is.iter().zip(found).all(|(is, f)| is.load(Relaxed) == f))
    }
}
