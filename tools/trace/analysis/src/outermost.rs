//! The regions and implicit tasks of a thread that are in no other one. Locks, taskgroups and tasks may be around them.

use crate::{Slice, Thread, What};

/// Regions that the thread has started outside of others, and those that it was in before the recording.
pub(crate) fn regions(thread: &Thread) -> impl Iterator<Item = &Slice> {
    of(thread, |slice| matches!(slice.what, What::Region | What::Before))
}

/// Implicit tasks that the thread has started outside of others, and the regions that it was in before the recording.
pub(crate) fn implicit_tasks(thread: &Thread) -> impl Iterator<Item = &Slice> {
    of(thread, |slice| matches!(slice.what, What::Implicit | What::Before))
}

/// The slices that `is_it` accepts and that are in no other one of them.
pub(crate) fn of(thread: &Thread, is_it: impl Fn(&Slice) -> bool) -> impl Iterator<Item = &Slice> {
    let mut end_ns = 0;
    thread.slices.iter().filter(move |slice| {
        let is_outermost = slice.begin_ns >= end_ns && is_it(slice);
        if is_outermost {
            end_ns = slice.end_ns;
        }
        is_outermost
    })
}
