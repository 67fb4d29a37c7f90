//! The functions that a context is in, as ThreadSanitizer keeps them for its reports: each instrumented function notes where it
//! returns to, on a stack that the context's record points to.
//!
//! The pointer's place in the record is found out: a function is entered, and the word looked for that then points behind it.
#![allow(unsafe_code)] // reads ThreadSanitizer's record of a context

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::chunk::MARKS;
use crate::own_memory;
use crate::sanitizer::{Context, Sanitizer, sanitizer};
use crate::task::Task;
use crate::thread::Thread;

/// Number of callers that are read.
pub(crate) const CALLERS: usize = 6;

/// Return addresses of the calling functions, the innermost first; 0: none.
pub(crate) type Callers = [usize; CALLERS];

/// Number of words that are looked at, and where: at the record's begin, and behind the stack of 65,536 words that older releases have
/// in the record.
const WORDS: usize = 64;
const BEGINS: [usize; 2] = [0, 1 << 16];

/// Place of the pointer among the record's words, plus one; 0: unknown.
static PLACE: AtomicUsize = AtomicUsize::new(0);

/// Finds the place of the pointer, with the calling context.
pub(crate) fn calibrate(sanitizer: &Sanitizer) {
    /// An address that no function returns to.
    const MARK: usize = 0x5151_5150;
    let Some(context) = sanitizer.current() else { return };
    for begin in BEGINS {
        let words = || own_memory::read::<WORDS>(context.0 + begin * size_of::<usize>());
        let before = words();
        let within = sanitizer.within(MARK, words);
        let (Some(before), Some(within), Some(after)) = (before, within, words()) else { continue };
        // System calls, which read the words, are functions of the stack, too: the mark lies below them.
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

/// Address behind the last return address of a context's stack; 0 if unknown. The context is the calling one, or no thread's.
pub(crate) fn top(context: Context) -> usize {
    let Some(place) = PLACE.load(Relaxed).checked_sub(1).filter(|_| context.0 != 0) else { return 0 };
    let word = std::ptr::with_exposed_provenance::<usize>(context.0).wrapping_add(place);
    // SAFETY: a context is the address of ThreadSanitizer's record of it, which stays, and which `calibrate` has found to have more
    // words. Nobody else writes to it, by this function's first line.
    unsafe { word.read() }
}

/// The functions that the calling thread is in, within the task that it executes.
pub(crate) fn callers(thread: &Thread, task: &Task) -> Callers {
    /// The deepest stack that is believed, in bytes.
    const DEEPEST: usize = 1 << 20;
    let mut callers = [0; CALLERS];
    let Some(context) = sanitizer().and_then(Sanitizer::current) else { return callers };
    let Some(bottom) = bottom(thread, task, context).filter(|bottom| *bottom != 0) else { return callers };
    let Some(size) = top(context).checked_sub(bottom).filter(|size| *size < DEEPEST) else { return callers };
    let end = std::ptr::with_exposed_provenance::<usize>(bottom + size);
    for (number, caller) in (1..=size / size_of::<usize>()).zip(&mut callers) {
        // SAFETY: the words between where the task began and the stack's end, to which ThreadSanitizer has written for this context.
        let found = unsafe { end.wrapping_sub(number).read() };
        if MARKS.contains(&found) {
            break;
        }
        *caller = found;
    }
    callers
}

/// End of a context's stack when the task began on it.
fn bottom(thread: &Thread, task: &Task, context: Context) -> Option<usize> {
    let fibers = [task.fiber.get(), task.share.fiber(), thread.league.fiber()];
    let fiber = fibers.into_iter().flatten().find(|fiber| fiber.context() == context);
    let own = || Some(task.bottom.load(Relaxed)).filter(|_| task.own_context.load(Relaxed) == context.0);
    fiber.map(|fiber| fiber.bottom()).or_else(own)
}
