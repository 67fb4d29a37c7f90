//! Copies of variables that tasks reduce. libgomp has one for each thread, which all tasks of that thread use.
//!
//! A call that registers reductions passes an array of words, on the caller's stack. Once the call has returned, its third word is
//! the address of all copies, the fifth the next array, and the seventh the end of the copies; the second is the size of one
//! thread's (libgomp's task.c).

use std::sync::{Mutex, MutexGuard};

use ompt_tool::lock_or_give_up;

use crate::own_memory;

/// Number of words of an array that are read.
const WORDS: usize = 7;

/// Addresses of the arrays, in memory that is not ThreadSanitizer's (`allocator`). Nothing that ThreadSanitizer observes happens while it is
/// locked: reports are made inside ThreadSanitizer.
static REGISTERED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// `None` in a forked child if another thread had locked it.
fn registered() -> Option<MutexGuard<'static, Vec<usize>>> {
    lock_or_give_up(&REGISTERED)
}

/// An array is about to be registered; 0 if there is none.
pub(crate) fn register(array: usize) {
    let Some(mut all) = registered() else { return };
    if array != 0 && !all.contains(&array) {
        all.push(array);
    }
}

/// An array is about to be unregistered.
pub(crate) fn unregister(array: usize) {
    let Some(mut all) = registered() else { return };
    all.retain(|place| *place != array);
}

/// A work-sharing construct ends, whose call doesn't name its array: the innermost one of the calling thread's stack.
pub(crate) fn unregister_innermost() {
    /// Maximum distance from a call to an array of its function, in bytes.
    const LONGEST: usize = 1 << 16;
    let here = system::arch::stack_pointer();
    let Some(mut all) = registered() else { return };
    let of_thread = all.iter().copied().filter(|place| place.wrapping_sub(here) < LONGEST);
    if let Some(innermost) = of_thread.min() {
        all.retain(|place| *place != innermost);
    }
}

/// True if an address is in a copy.
pub(crate) fn is_copy(address: usize) -> bool {
    /// Maximum length of a chain of arrays that is followed.
    const LONGEST: usize = 16;
    let Some(all) = registered() else { return false };
    all.iter().any(|array| {
        let next = |words: &[usize; WORDS]| self::words(words[4]);
        let mut chain = std::iter::successors(words(*array), next).take(LONGEST);
        chain.any(|[_, size, start, _, _, _, end]| {
            (start..end).contains(&address) && size != 0 && (end - start).is_multiple_of(size)
        })
    })
}

/// The words of an array, if it is mapped: a program may have left the function whose frame contains it.
fn words(array: usize) -> Option<[usize; WORDS]> {
    own_memory::read(array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_thousand_registrations_are_known() {
        let all: Vec<[usize; WORDS]> =
            (1..=1000).map(|number| [0, 64, number << 12, 0, 0, 0, (number << 12) + 128]).collect();
        all.iter().for_each(|array| register(array.as_ptr().addr()));
        assert!((1..=1000).all(|number| is_copy((number << 12) + 100) && !is_copy((number << 12) + 128)));
        all.iter().for_each(|array| unregister(array.as_ptr().addr()));
        assert!((1..=1000).all(|number| !is_copy(number << 12)));
    }
}
