//! Thread-local words in the initial-exec model.

/// Declares `$count` thread-local words under a hidden symbol, and functions that read and write them. All of them are
/// zero when the thread starts.
///
/// `thread_local!` in a shared library calls `__tls_get_addr`, which may allocate. These words lie at a fixed distance
/// from the thread pointer (ELF Handling For Thread-Local Storage, 4.3.6): two loads, async-signal-safe.
#[macro_export]
macro_rules! thread_words {
    ($symbol:literal, $count:literal) => {
        ::std::arch::global_asm!(
            concat!(".pushsection .tbss.", $symbol, ",\"awT\",@nobits"),
            ".balign 8",
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
                    concat!("mov {w}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    "mov {w}, qword ptr fs:[{w} + {offset}]",
                    w = out(reg) word,
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
                    concat!("mov {t}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    "mov qword ptr fs:[{t} + {offset}], {w}",
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
            // SAFETY: computes an address. The thread pointer's own address is the word that it points to (ELF Handling
            // For Thread-Local Storage, 4.3.6).
            unsafe {
                ::std::arch::asm!(
                    concat!("mov {a}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    "add {a}, qword ptr fs:[0]",
                    "add {a}, {offset}",
                    a = out(reg) address,
                    offset = const 8 * INDEX,
                    options(nostack, readonly),
                );
            }
            address
        }

        /// Adds to word `INDEX` of the calling thread, and returns its old value. Atomic with respect to signal
        /// handlers: one instruction.
        #[allow(dead_code)] // not every library counts
        #[inline(always)]
        fn add_to_word<const INDEX: usize>(number: usize) -> usize {
            const { assert!(INDEX < $count) };
            let mut word = number;
            // SAFETY: the word is the thread's own from its birth, at a fixed offset (as `word` says); no other thread
            // writes it.
            unsafe {
                ::std::arch::asm!(
                    concat!("mov {t}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    "xadd qword ptr fs:[{t} + {offset}], {w}",
                    t = out(reg) _,
                    w = inout(reg) word,
                    offset = const 8 * INDEX,
                    options(nostack),
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
                    concat!("mov {b}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    "mov {a}, qword ptr fs:[{b} + {offset}]",
                    "mov {b}, qword ptr fs:[{b} + {offset} + 8]",
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
                    concat!("mov {t}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    "mov qword ptr fs:[{t} + {offset}], {a}",
                    "mov qword ptr fs:[{t} + {offset} + 8], {b}",
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
