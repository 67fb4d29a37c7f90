//! Thread-local words in the initial-exec model.

/// Declares `$count` thread-local words under a hidden symbol, and functions that read and write them. All of them are
/// zero when the thread starts.
///
/// `thread_local!` in a shared library calls `__tls_get_addr`, which may allocate. These words lie at a fixed distance
/// from the thread pointer (ELF for the Arm 64-bit Architecture, "Thread Local Storage"): async-signal-safe loads.
#[macro_export]
macro_rules! thread_words {
    ($symbol:literal, $count:literal) => {
        ::std::arch::global_asm!(
            concat!(".pushsection .tbss.", $symbol, ",\"awT\",@nobits"),
            ".balign 16",
            concat!(".globl ", $symbol),
            concat!(".hidden ", $symbol),
            concat!(".type ", $symbol, ",@object"),
            concat!(".size ", $symbol, ", 8 * ", $count),
            concat!($symbol, ":"),
            concat!(".zero 8 * ", $count),
            ".popsection",
        );

        /// Reads word `INDEX` of the calling thread.
        #[inline(always)]
        fn word<const INDEX: usize>() -> usize {
            const { assert!(INDEX < $count) };
            let word: usize;
            // SAFETY: the word is the thread's own and exists from its birth: the library is loaded with the program,
            // so the offset is fixed.
            unsafe {
                ::std::arch::asm!(
                    $crate::thread_words_address!($symbol, "{w}", "{t}"),
                    "ldr {w}, [{w}, #{offset}]",
                    w = out(reg) word,
                    t = out(reg) _,
                    offset = const 8 * INDEX,
                    options(nostack, preserves_flags, readonly),
                );
            }
            word
        }

        /// Writes word `INDEX` of the calling thread.
        #[inline(always)]
        fn set_word<const INDEX: usize>(word: usize) {
            const { assert!(INDEX < $count) };
            // SAFETY: the word is the thread's own from its birth, at a fixed offset (as `word` says); no other thread
            // writes it.
            unsafe {
                ::std::arch::asm!(
                    $crate::thread_words_address!($symbol, "{a}", "{t}"),
                    "str {w}, [{a}, #{offset}]",
                    a = out(reg) _,
                    t = out(reg) _,
                    w = in(reg) word,
                    offset = const 8 * INDEX,
                    options(nostack, preserves_flags),
                );
            }
        }

        /// Address of word `INDEX` of the calling thread, which is valid until the thread's end.
        #[allow(dead_code)] // not every library shares words
        fn address<const INDEX: usize>() -> *const usize {
            const { assert!(INDEX < $count) };
            let address: *const usize;
            // SAFETY: computes an address, at a fixed offset from the thread pointer (as `word` says).
            unsafe {
                ::std::arch::asm!(
                    $crate::thread_words_address!($symbol, "{a}", "{t}"),
                    "add {a}, {a}, #{offset}",
                    a = out(reg) address,
                    t = out(reg) _,
                    offset = const 8 * INDEX,
                    options(nostack, preserves_flags, readonly),
                );
            }
            address
        }

        /// Adds to word `INDEX` of the calling thread, and returns its old value. Atomic with respect to signal handlers: a handler in
        /// between makes the exclusive store fail.
        #[allow(dead_code)] // not every library counts
        #[inline(always)]
        fn add_to_word<const INDEX: usize>(number: usize) -> usize {
            const { assert!(INDEX < $count) };
            let word: usize;
            // SAFETY: the word is the thread's own from its birth, at a fixed offset (as `word` says); no other thread
            // writes it. The exclusive pair contains no other memory access (Arm ARM, "Load-Exclusive and
            // Store-Exclusive").
            unsafe {
                ::std::arch::asm!(
                    $crate::thread_words_address!($symbol, "{a}", "{s}"),
                    "add {a}, {a}, #{offset}",
                    "2:",
                    "ldxr {w}, [{a}]",
                    "add {s}, {w}, {n}",
                    "stxr {f:w}, {s}, [{a}]",
                    "cbnz {f:w}, 2b",
                    a = out(reg) _,
                    s = out(reg) _,
                    f = out(reg) _,
                    w = out(reg) word,
                    n = in(reg) number,
                    offset = const 8 * INDEX,
                    options(nostack, preserves_flags),
                );
            }
            word
        }

        /// Reads words `INDEX` and `INDEX + 1` of the calling thread, and computes their address once.
        #[allow(dead_code)] // not every library has two
        #[inline(always)]
        fn two_words<const INDEX: usize>() -> [usize; 2] {
            const { assert!(INDEX + 1 < $count) };
            let (first, second): (usize, usize);
            // SAFETY: both words are the thread's own from its birth, at a fixed offset (as `word` says); INDEX + 1 is
            // checked above.
            unsafe {
                ::std::arch::asm!(
                    $crate::thread_words_address!($symbol, "{a}", "{b}"),
                    "ldp {a}, {b}, [{a}, #{offset}]",
                    a = out(reg) first,
                    b = out(reg) second,
                    offset = const 8 * INDEX,
                    options(nostack, preserves_flags, readonly),
                );
            }
            [first, second]
        }

        /// Writes words `INDEX` and `INDEX + 1` of the calling thread, and computes their address once.
        #[allow(dead_code)] // not every library has two
        #[inline(always)]
        fn set_two_words<const INDEX: usize>(words: [usize; 2]) {
            const { assert!(INDEX + 1 < $count) };
            let [first, second] = words;
            // SAFETY: both words are the thread's own from its birth, at a fixed offset (as `word` says); INDEX + 1 is
            // checked above.
            unsafe {
                ::std::arch::asm!(
                    $crate::thread_words_address!($symbol, "{p}", "{t}"),
                    "stp {a}, {b}, [{p}, #{offset}]",
                    p = out(reg) _,
                    t = out(reg) _,
                    a = in(reg) first,
                    b = in(reg) second,
                    offset = const 8 * INDEX,
                    options(nostack, preserves_flags),
                );
            }
        }
    };
}

/// Assembly text that loads the address of the thread's words into a register; also changes another one.
#[doc(hidden)]
#[macro_export]
macro_rules! thread_words_address {
    ($symbol:literal, $to:literal, $scratch:literal) => {
        concat!(
            "adrp ",
            $to,
            ", :gottprel:",
            $symbol,
            "\n",
            "ldr ",
            $to,
            ", [",
            $to,
            ", :gottprel_lo12:",
            $symbol,
            "]\n",
            "mrs ",
            $scratch,
            ", tpidr_el0\n",
            "add ",
            $to,
            ", ",
            $to,
            ", ",
            $scratch,
            "\n",
        )
    };
}
