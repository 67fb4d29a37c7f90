//! Thread-local words in the initial-exec model, and weak references to symbols.

/// Declares `$count` words of each thread's own under a hidden symbol, and functions that read and write them. All of
/// them are zero from the thread's birth. They lie at a fixed distance from the thread pointer (RISC-V ELF psABI,
/// "Thread Local Storage"): async-signal-safe loads.
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

        /// The address of word `INDEX` of the calling thread.
        #[inline(always)]
        fn word_address<const INDEX: usize>() -> *mut usize {
            const { assert!(INDEX < $count) };
            let address: *mut usize;
            // SAFETY: the words exist from the thread's birth: the library is loaded with the program, so their offset
            // from the thread pointer is fixed.
            unsafe {
                ::std::arch::asm!(
                    concat!("la.tls.ie {a}, ", $symbol),
                    "add {a}, {a}, tp",
                    "addi {a}, {a}, {offset}",
                    a = out(reg) address,
                    offset = const 8 * INDEX,
                    options(nostack, preserves_flags, readonly),
                );
            }
            address
        }

        /// Address of word `INDEX` of the calling thread, which is valid until the thread's end.
        #[allow(dead_code)] // not every library shares words
        fn address<const INDEX: usize>() -> *const usize {
            word_address::<INDEX>()
        }

        /// Reads word `INDEX` of the calling thread.
        #[inline(always)]
        fn word<const INDEX: usize>() -> usize {
            // SAFETY: the word is the thread's own; its signal handlers write it as a whole.
            unsafe { word_address::<INDEX>().read_volatile() }
        }

        /// Writes word `INDEX` of the calling thread.
        #[inline(always)]
        fn set_word<const INDEX: usize>(word: usize) {
            // SAFETY: the word is the thread's own; no other thread writes it.
            unsafe { word_address::<INDEX>().write_volatile(word) };
        }

        /// Adds to word `INDEX` of the calling thread, and returns what it was: one instruction, which signal handlers
        /// come before or after.
        #[allow(dead_code)] // not every library counts
        #[inline(always)]
        fn add_to_word<const INDEX: usize>(number: usize) -> usize {
            let word: usize;
            // SAFETY: the word is the thread's own; no other thread writes it.
            unsafe {
                ::std::arch::asm!(
                    "amoadd.d {w}, {n}, ({a})",
                    w = out(reg) word,
                    n = in(reg) number,
                    a = in(reg) word_address::<INDEX>(),
                    options(nostack, preserves_flags),
                );
            }
            word
        }

        /// Reads words `INDEX` and `INDEX + 1` of the calling thread.
        #[allow(dead_code)] // not every library has two
        #[inline(always)]
        fn two_words<const INDEX: usize>() -> [usize; 2] {
            const { assert!(INDEX + 1 < $count) };
            let first = word_address::<INDEX>();
            // SAFETY: both words are the thread's own; INDEX + 1 is checked above.
            unsafe { [first.read_volatile(), first.add(1).read_volatile()] }
        }

        /// Writes words `INDEX` and `INDEX + 1` of the calling thread.
        #[allow(dead_code)] // not every library has two
        #[inline(always)]
        fn set_two_words<const INDEX: usize>(words: [usize; 2]) {
            const { assert!(INDEX + 1 < $count) };
            let (first, [one, two]) = (word_address::<INDEX>(), words);
            // SAFETY: both words are the thread's own; INDEX + 1 is checked above.
            unsafe {
                first.write_volatile(one);
                first.add(1).write_volatile(two);
            }
        }
    };
}

/// The address to which the linker has bound a weak reference to `$symbol`; null where nothing defines it.
#[macro_export]
macro_rules! weak_symbol {
    ($symbol:literal) => {{
        let address;
        // SAFETY: reads the word of the global offset table that the linker fills in for this reference.
        unsafe {
            ::std::arch::asm!(
                concat!(".weak ", $symbol),
                concat!("lga {a}, ", $symbol),
                a = out(reg) address,
                options(nostack, preserves_flags, readonly),
            );
        }
        address
    }};
}
