//! Values that are produced in one callback and used in another, kept as six words in between.

use std::sync::atomic::{AtomicU64, Ordering::*};

/// Stores the words.
#[inline(always)]
pub(super) fn keep(places: [&AtomicU64; 6], words: [u64; 6]) {
    places.into_iter().zip(words).for_each(|(place, word)| place.store(word, Relaxed));
}

/// Takes the words out, if there are any: a stored first word is never 0.
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
