//! The functions that a context is in, as recorded by ThreadSanitizer for its reports: each instrumented function notes its
//! return address on a stack that the context's record points to.
//!
//! The pointer's offset in the record is determined at run time: a function is entered, and the record is searched
//! for the word that then points past its entry.
#![allow(unsafe_code)] // reads ThreadSanitizer's record of a context

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::own_memory;
use crate::sanitizer::{Context, Sanitizer};

/// Number of callers that are read.
pub(crate) const CALLERS: usize = 6;

/// Return addresses of the calling functions, the innermost first; 0 if there is none.
pub(crate) type Callers = [usize; CALLERS];

/// Addresses that represent a caller of all code in a chunk, by the number of the thread. ThreadSanitizer makes one report for each pair
/// of stacks: without them a possible race, between chunks of one thread, would hide a sure one at the same places.
pub(crate) const MARKS: Range<usize> = 0x5252_5250..0x5252_5250 + 4;

/// Number of words that are searched, and where: at the record's start, and after the stack of 65,536 words that older releases have
/// in the record.
const WORDS: usize = 64;
const BEGINS: [usize; 2] = [0, 1 << 16];

/// Index of the pointer among the record's words, plus one; 0 if unknown.
static PLACE: AtomicUsize = AtomicUsize::new(0);

// A context that the thread executes, and the first address of its stack as far as known; zeros: unknown.
system::thread_words!("ora_race_stack", 2);

/// Notes where the stack of a context begins that the calling thread executes from now on.
pub(crate) fn note_begin(context: Context, begin: usize) {
    set_word::<0>(context.0);
    set_word::<1>(begin);
}

/// True if the stack of the calling context is known to be deep.
pub(crate) fn is_deep(sanitizer: &Sanitizer) -> bool {
    /// In bytes: a few hundred functions.
    const DEEP: usize = 4096;
    let (context, begin) = (sanitizer.current().unwrap_or(Context(0)), word::<1>());
    begin != 0 && word::<0>() == context.0 && top(context).saturating_sub(begin) > DEEP
}

/// Determines the offset of the pointer, with the calling context.
pub(crate) fn calibrate(sanitizer: &Sanitizer) {
    /// An address that no function returns to.
    const MARK: usize = 0x5151_5150;
    let Some(context) = sanitizer.current() else { return };
    for begin in BEGINS {
        let words = || own_memory::read::<WORDS>(context.0 + begin * size_of::<usize>());
        let before = words();
        let within = sanitizer.within(MARK, words);
        let (Some(before), Some(within), Some(after)) = (before, within, words()) else { continue };
        // The system calls that read the words are functions on the stack as well: the mark is below them.
        let marked = |pointer: usize| own_memory::read::<4>(pointer - 32).is_some_and(|words| words.contains(&MARK));
        let is_pointer = |place: &usize| {
            let [before, within, after] = [before, within, after].map(|words| words.get(*place).copied().unwrap_or(0));
            let moves = after == before && within == before.wrapping_add(size_of::<usize>()) && before > 32;
            moves && sanitizer.within(MARK, || marked(within))
        };
        if let Some(place) = (0..WORDS).find(is_pointer) {
            return PLACE.store(begin + place + 1, Relaxed);
        }
    }
}

/// Address after the last return address of a context's stack; 0 if unknown. The context is the calling one, or one
/// that no thread runs.
pub(crate) fn top(context: Context) -> usize {
    let Some(place) = PLACE.load(Relaxed).checked_sub(1).filter(|_| context.0 != 0) else { return 0 };
    let word = std::ptr::with_exposed_provenance::<usize>(context.0).wrapping_add(place);
    // SAFETY: a context is the address of ThreadSanitizer's record of it, which is never freed, and which `calibrate` has found to
    // have more words. Nobody else writes to it, by this function's first line.
    unsafe { word.read() }
}
