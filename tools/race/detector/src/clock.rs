//! ThreadSanitizer's vector clocks, at our own addresses.

use std::sync::atomic::AtomicU64;

use crate::sanitizer::sanitizer;

/// A vector clock. [`set`](Self::set) forgets its content, so that the clocks of a record can be reused without a
/// false order.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicU64);

impl Clock {
    /// A clock that was never set.
    pub(crate) const fn zero() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Sets the clock to the calling context's.
    pub(crate) fn set(&self) {
        if let Some(sanitizer) = sanitizer() {
            sanitizer.replace(&self.0);
        }
    }

    /// Joins the calling context's clock into it (release).
    pub(crate) fn join(&self) {
        if let Some(sanitizer) = sanitizer() {
            sanitizer.release(&self.0);
        }
    }

    /// Joins it into the calling context's clock (acquire).
    pub(crate) fn acquire(&self) {
        if let Some(sanitizer) = sanitizer() {
            sanitizer.acquire(&self.0);
        }
    }
}
