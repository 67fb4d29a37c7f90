//! A thread-local word that is read with two loads: `thread_local!` in a shared library makes a call.
#![allow(unsafe_code)] // what the macro makes

system::thread_words!("ora_collectors_thread", 1);

/// The calling thread's word: 0 from its birth until it is set.
#[inline(always)]
pub(crate) fn get() -> usize {
    word::<0>()
}

/// Sets it.
pub(crate) fn set(value: usize) {
    set_word::<0>(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_its_own() {
        set(7);
        std::thread::spawn(|| {
            assert_eq!(get(), 0);
            set(8);
        })
        .join()
        .unwrap();
        assert_eq!(get(), 7);
    }
}
