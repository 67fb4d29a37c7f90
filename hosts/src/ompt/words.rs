//! What begins in one callback and ends in another is kept as words in between.

use std::sync::atomic::{AtomicU64, Ordering::*};

/// Keeps them.
#[inline(always)]
pub(super) fn keep(places: [&AtomicU64; 6], words: [u64; 6]) {
    places.into_iter().zip(words).for_each(|(place, word)| place.store(word, Relaxed));
}

/// Takes them back; zeros are left.
#[inline(always)]
pub(super) fn take(places: [&AtomicU64; 6]) -> [u64; 6] {
    let [first, ..] = places;
    let words = places.map(|place| place.load(Relaxed));
    first.store(0, Relaxed);
    words
}
