//! Teams that libgomp gives a thread outside of all regions.

use ompt_core::thread::Thread;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// True if libgomp may have given a thread a team of its own outside of all regions, because tasks need one there. It then frees the teams
/// of the thread's regions as soon as they end, while workers may still read them (gcc 12: `gomp_team_end` tests for such a team before it
/// keeps the region's own, and the barrier that makes that safe is for nested regions).
static HAS_OWN_TEAM: AtomicBool = AtomicBool::new(false);

/// True if an additional region, which the program did not start, could do harm.
pub(super) fn frees_teams_early() -> bool {
    HAS_OWN_TEAM.load(Relaxed)
}

/// Records that nothing is known of what threads did before a tool attached.
pub(super) fn assume_own_team() {
    HAS_OWN_TEAM.store(true, Relaxed);
}

/// Records that the thread uses tasks in a way for which libgomp creates a team.
#[cold]
#[inline(never)]
pub(super) fn want_team(thread: &Thread) {
    // Neither a league nor a target region has a team in libgomp.
    if thread.current.region().is_none_or(|region| region.non_parallel_number() != 0) {
        HAS_OWN_TEAM.store(true, Relaxed);
    }
}
