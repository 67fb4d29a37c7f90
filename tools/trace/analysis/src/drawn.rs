//! Slices that are drawn.

use crate::slice::{Slice, What};
use crate::timeline::Timeline;

/// Shorter waits for a mutex are not drawn: requesting a free one takes time as well.
pub(crate) const SHORTEST_NS: u64 = 1000;

/// True for a slice that is drawn: requesting a free mutex is of no interest.
pub(crate) fn is_drawn(timeline: &Timeline, slice: &Slice) -> bool {
    let is_short = matches!(slice.what, What::MutexWait(_)) && slice.length_ns() < SHORTEST_NS;
    !is_short && timeline.is_shown(slice)
}
