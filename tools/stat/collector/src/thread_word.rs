//! Thread-local words, one for each collector, that are read with two loads: `thread_local!` in a shared library makes a call.
#![allow(unsafe_code)] // what the macro makes

system::thread_words!("ora_collectors_thread", 2);

/// The word of `ora stat`'s collector.
pub(crate) const STAT: usize = 0;
/// The word of `ora tasks`' collector. A process may be watched by both in turn.
pub(crate) const TASKS: usize = 1;

/// The calling thread's word: 0 from the thread's creation until it is set.
#[inline(always)]
pub(crate) fn get<const WORD: usize>() -> usize {
    word::<WORD>()
}

/// Sets the calling thread's word.
pub(crate) fn set<const WORD: usize>(value: usize) {
    set_word::<WORD>(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_its_own() {
        set::<STAT>(7);
        set::<TASKS>(9);
        std::thread::spawn(|| {
            assert_eq!(get::<STAT>(), 0);
            set::<STAT>(8);
        })
        .join()
        .unwrap();
        assert_eq!((get::<STAT>(), get::<TASKS>()), (7, 9));
    }
}
