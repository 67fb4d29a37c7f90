//! What begins in one callback and ends in another is kept as words in between.

use std::sync::atomic::{AtomicU64, Ordering::*};

/// Keeps them.
#[inline(always)]
pub(super) fn keep(places: [&AtomicU64; 6], words: [u64; 6]) {
    places.into_iter().zip(words).for_each(|(place, word)| place.store(word, Relaxed));
}

/// Takes them back, if some are kept: the first one is never 0.
#[inline(always)]
pub(super) fn take(places: [&AtomicU64; 6]) -> Option<[u64; 6]> {
    let [first, ..] = places;
    if first.load(Relaxed) == 0 {
        return None;
    }
    let words = places.map(|place| place.load(Relaxed));
    first.store(0, Relaxed);
    Some(words)
}
