//! The release of OpenMP whose events and values the tool gets. A tool can't state which one it was built for.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Dates of releases, as in `omp_version`.
pub(super) const V5_1: u32 = 202_011;
pub(super) const V5_2: u32 = 202_111;
pub(super) const V6_0: u32 = 202_411;

static SERVED: AtomicU32 = AtomicU32::new(V5_2);

/// Serves tools with the release of that date from now on.
pub(super) fn serve(date: u32) {
    SERVED.store(date, Relaxed);
}

/// True if tools get the values of an older release than that one.
#[inline(always)]
pub(super) fn is_before(date: u32) -> bool {
    SERVED.load(Relaxed) < date
}
