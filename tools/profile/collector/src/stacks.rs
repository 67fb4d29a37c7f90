//! Interning of stacks: a stack that was seen before already has a number. Unsafe: reading stored stacks.
//!
//! Samples' stacks are written when they are first seen; only a hash of them is stored. Stacks of forks are stored in
//! full, and written when a sample lies in one of their regions. Both use a hash table with open addressing and no
//! removal: each place is claimed once by a compare-and-swap.
#![allow(unsafe_code)]

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

use profile_format::{Cut, Frames, Record};

use crate::arena::Arena;
use crate::diagnostics::{Diagnostic, report};
use crate::file::FILE;

const SAMPLES: usize = 1 << 17;
const FORKS: usize = 1 << 15;
/// Number of places that are searched before a stack counts as new.
const PROBES: usize = 32;

/// Generation of the current file: a number from another generation was written to another file, since a forked child
/// has its own.
static GENERATION: AtomicU32 = AtomicU32::new(1);
static NEXT: AtomicU32 = AtomicU32::new(1);
static OF_SAMPLES: [Place; SAMPLES] = [const { Place::new() }; SAMPLES];
static OF_FORKS: [ForkPlace; FORKS] = [const { ForkPlace::new() }; FORKS];
/// Memory for kept stacks: 16 MiB, touched as needed.
static KEPT: Arena = Arena::new(1 << 21);

struct Place {
    hash: AtomicU64,
    /// The generation in the upper half, the number in the lower.
    number: AtomicU64,
}

struct ForkPlace {
    place: Place,
    /// Position of the stack's words in memory, plus 1, with their count and cut, packed; 0 if not there yet.
    body: AtomicU64,
}

impl Place {
    const fn new() -> Self {
        Self { hash: AtomicU64::new(0), number: AtomicU64::new(0) }
    }

    fn claim(&self, hash: u64) -> bool {
        // Acquire: pairs with no store (the exchange below is Relaxed); the place's words are published by `body`, or are
        // atomics.
        let found = self.hash.load(Acquire);
        found == hash
            || found == 0 && self.hash.compare_exchange(0, hash, Relaxed, Relaxed).map_or_else(|f| f == hash, |_| true)
    }

    /// The stack's number in the current file, if it has one.
    #[allow(clippy::cast_possible_truncation)] // halves
    fn number(&self) -> Option<u32> {
        let number = self.number.load(Relaxed);
        ((number >> 32) as u32 == generation()).then_some(number as u32)
    }

    fn write(&self, cut: Cut, frames: &[u64]) -> u32 {
        let id = write(cut, frames);
        if id != 0 {
            self.number.store(u64::from(generation()) << 32 | u64::from(id), Relaxed);
        }
        id
    }
}

impl ForkPlace {
    const fn new() -> Self {
        Self { place: Place::new(), body: AtomicU64::new(0) }
    }
}

/// The generation of this process's file.
pub(crate) fn generation() -> u32 {
    GENERATION.load(Relaxed)
}

/// Forgets all numbers in a forked child.
pub(crate) fn forget() {
    GENERATION.fetch_add(1, Relaxed);
    NEXT.store(1, Relaxed);
}

/// Number of a sample's stack; writes it if it is new. 0 if it doesn't fit. Async-signal-safe.
pub(crate) fn of_sample(cut: Cut, frames: &[u64]) -> u32 {
    let hash = hash(cut, frames);
    match probe(&OF_SAMPLES, hash, |place| place.claim(hash)) {
        Some((_, place)) => place.number().unwrap_or_else(|| place.write(cut, frames)),
        None => write(cut, frames),
    }
}

/// Stores a fork's stack; 0 if it doesn't fit.
pub(crate) fn keep_fork(cut: Cut, frames: &[u64]) -> u32 {
    let hash = hash(cut, frames);
    let Some((at, found)) = probe(&OF_FORKS, hash, |fork| fork.place.claim(hash)) else { return no_room() };
    // Acquire: pairs with the compare-exchange below; only whether it has a body counts here.
    if found.body.load(Acquire) == 0 {
        let Some(begin) = KEPT.keep_words(frames) else { return no_room() };
        let body = (begin as u64 + 1) << 32 | (frames.len() as u64) << 8 | cut as u64;
        // The first writer wins; the stacks are equal. Release: pairs with the load in `of_fork`; publishes the words that were
        // kept.
        let _ = found.body.compare_exchange(0, body, Release, Relaxed);
    }
    u32::try_from(at + 1).unwrap_or(0)
}

fn no_room() -> u32 {
    report(Diagnostic::Forks, |text| {
        text.push(if KEPT.is_there() {
            b"more different call stacks of parallel regions than are kept: later ones have no stack"
        } else {
            b"no memory for the call stacks of parallel regions: regions have none"
        });
    });
    0
}

/// Number in the file of a kept stack of a fork. Async-signal-safe.
pub(crate) fn of_fork(kept: u32) -> u32 {
    let Some(found) = (kept as usize).checked_sub(1).and_then(|at| OF_FORKS.get(at)) else { return 0 };
    found.place.number().unwrap_or_else(|| {
        // Acquire: pairs with the compare-exchange in `keep_fork`; publishes the words that were kept.
        let body = found.body.load(Acquire);
        let Some(begin) = usize::try_from(body >> 32).ok().and_then(|begin| begin.checked_sub(1)) else { return 0 };
        let count = usize::try_from(body >> 8 & 0xff_ffff).unwrap_or(0);
        let cuts = [Cut::Whole, Cut::Deep, Cut::UnknownCode, Cut::NoRule, Cut::Unreadable];
        let cut = cuts.into_iter().find(|cut| *cut as u64 == body & 0xff).unwrap_or(Cut::Whole);
        // SAFETY: `body` was stored after the words, and contains their position.
        let frames = unsafe { KEPT.kept(begin, count) };
        frames.map_or(0, |frames| found.place.write(cut, frames))
    })
}

fn probe<T>(table: &'static [T], hash: u64, claim: impl Fn(&T) -> bool) -> Option<(usize, &'static T)> {
    let begin = usize::try_from(hash >> 32).ok()?;
    (0..PROBES).find_map(|step| {
        let at = (begin + step) % table.len();
        table.get(at).filter(|place| claim(place)).map(|place| (at, place))
    })
}

fn write(cut: Cut, frames: &[u64]) -> u32 {
    let id = NEXT.fetch_add(1, Relaxed);
    if FILE.write(Record::Stack { id, cut, frames: Frames::Words(frames) }) { id } else { 0 }
}

/// Hash of a stack, never 0. Two stacks of a program have the same hash in one of some billions of cases.
fn hash(cut: Cut, frames: &[u64]) -> u64 {
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
        #[allow(clippy::cast_possible_truncation)] // halves
        let (low, high) = (product as u64, (product >> 64) as u64);
        low ^ high
    };
    frames.iter().fold(mix(cut as u64 + 1, frames.len() as u64), |hash, word| mix(hash.rotate_left(23), *word)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_similar_stacks_differ() {
        let mut seen = std::collections::BTreeSet::new();
        for leaf in 0..1000 {
            for root in 0..20 {
                assert!(seen.insert(hash(Cut::Whole, &[0x40_1000 + leaf, 7, root])));
            }
        }
        assert!(seen.insert(hash(Cut::Deep, &[0x40_1000, 7, 0])));
        assert!(seen.insert(hash(Cut::Whole, &[0x40_1000, 7])));
    }

    #[test]
    fn a_fork_that_is_met_again_is_kept_once() {
        let first = keep_fork(Cut::Whole, &[1, 2, 3]);
        assert_ne!(first, 0);
        assert_eq!(keep_fork(Cut::Whole, &[1, 2, 3]), first);
        assert_ne!(keep_fork(Cut::NoRule, &[1, 2, 3]), first);
        assert_ne!(keep_fork(Cut::Whole, &[1, 2, 4]), first);
    }
}
