//! ThreadSanitizer's shadow of the stack.
//!
//! The tasks of one thread share its stack. Escaping locals of two tasks that ran one after the other have the same address,
//! and look like a race of concurrent tasks. So the shadow of the stack's dead part is cleared where a task starts and ends:
//! the accesses to it are forgotten. It is the tasks' own memory, and gone: none of their races is lost.
//!
//! The shadow's location is determined at run time: each known mapping is tried with accesses to a word of our own.
#![allow(unsafe_code)] // reads and writes ThreadSanitizer's shadow memory

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use system::arch::{ZERO_BLOCK, is_zero_block};

use crate::own_memory;
use crate::sanitizer::Sanitizer;

/// A mapping of addresses to their shadow (tsan_platform.h): `((address & !mask) ^ xor) * factor + base`.
#[derive(Clone, Copy, Debug)]
struct Mapping {
    mask: usize,
    xor: usize,
    factor: usize,
    base: usize,
}

/// Mappings of ThreadSanitizer's releases: x86-64 up to LLVM 14, LLVM 15, and later; aarch64 with addresses of 48 bits up to LLVM 14,
/// and two later ones.
const KNOWN: [Mapping; 7] = [
    Mapping { mask: 0x7800_0000_0000, xor: 0x0400_0000_0000, factor: 4, base: 0 },
    Mapping { mask: 0x7000_0000_0000, xor: 0, factor: 2, base: 0 },
    Mapping { mask: 0x7000_0000_0000, xor: 0, factor: 2, base: 0x1000_0000_0000 },
    Mapping { mask: 0x7c00_0000_0000, xor: 0x0040_0000_0000, factor: 2, base: 0x2000_0000_0000 },
    Mapping { mask: 0xfff8_0000_0000, xor: 0x0008_0000_0000, factor: 4, base: 0 },
    Mapping { mask: 0xfff8_0000_0000, xor: 0x0008_0000_0000, factor: 2, base: 0 },
    Mapping { mask: 0xc000_0000_0000, xor: 0x2000_0000_0000, factor: 2, base: 0 },
];

static FOUND: OnceLock<Option<Mapping>> = OnceLock::new();

/// Determines the mapping. Returns false if none fits.
pub(crate) fn calibrate(sanitizer: &Sanitizer) -> bool {
    FOUND.get_or_init(|| KNOWN.into_iter().find(|mapping| mapping.fits(sanitizer))).is_some()
}

/// Forgets the accesses to the bytes between two addresses.
pub(crate) fn clear(start: usize, end: usize) {
    let Some(mapping) = FOUND.get().copied().flatten() else { return };
    for address in (start & !7..end).step_by(8) {
        mapping.clear_word(address);
    }
}

/// Forgets the accesses below an address of the calling thread's stack, which is dead there: as far down as there are any, with gaps
/// of at most `gap` bytes without one. Returns the longest gap that is followed by an access.
pub(crate) fn clear_below(top: usize, gap: usize) -> usize {
    /// The maximum length of a search, in bytes. Below the stack there is a page that is never accessed.
    const LONGEST: usize = 8 << 20;
    let Some(mapping) = FOUND.get().copied().flatten() else { return 0 };
    let (mut address, mut clean, mut longest) = (top & !7, 0, 0);
    let lowest = address.saturating_sub(LONGEST);
    let block = mapping.block();
    while clean < gap && address > lowest {
        // A power of two, which the compiler can't infer: a division would take a tenth of the search.
        if address & (block - 1) == 0 && mapping.is_clean_block(address - block) {
            address -= block;
            clean += block;
            continue;
        }
        // Down to the next block, at least one word.
        let end = (address - 1) & !(block - 1);
        while address > end {
            address -= 8;
            if mapping.clear_word(address) {
                longest = clean.max(longest);
                clean = 0;
            } else {
                clean += 8;
            }
        }
    }
    longest
}

/// True if ThreadSanitizer forgets the accesses to a word when it makes a report about it, and skips later reads: as
/// of LLVM 15.
pub(crate) fn is_lost_by_reports() -> bool {
    FOUND.get().copied().flatten().is_some_and(|mapping| mapping.factor == CELLS * size_of::<u32>() / 8)
}

/// ThreadSanitizer's number of the context that has accessed a word, if [`is_lost_by_reports`]; `None` if there was
/// no access.
pub(crate) fn context(word: usize) -> Option<u8> {
    cells(word)?.iter().map(|cell| cell.load(Relaxed)).find(|cell| *cell != 0).map(context_of)
}

/// Forgets the accesses to a word by some contexts, if [`is_lost_by_reports`].
pub(crate) fn clear_of(word: usize, is_of: impl Fn(u8) -> bool) {
    clear_cells(word, |cell| is_of(context_of(cell)));
}

/// Makes reads of a word count again after a report about it, if [`is_lost_by_reports`].
pub(crate) fn watch_again(word: usize) {
    // The mark that ThreadSanitizer leaves is an access to none of the word's bytes (`kRodata` in tsan_shadow.h).
    clear_cells(word, |cell| cell & 0xff == 0);
}

/// Clears some cells of a word. An access of another thread that is stored in a cell meanwhile is kept.
fn clear_cells(word: usize, is_one: impl Fn(u32) -> bool) {
    for cell in cells(word).into_iter().flatten() {
        let access = cell.load(Relaxed);
        if access != 0 && is_one(access) {
            _ = cell.compare_exchange(access, 0, Relaxed, Relaxed);
        }
    }
}

/// Number of accesses that ThreadSanitizer stores for a word, in 32 bits each, as of LLVM 15.
const CELLS: usize = 4;

fn cells(word: usize) -> Option<&'static [AtomicU32; CELLS]> {
    let mapping = FOUND.get().copied().flatten().filter(|_| is_lost_by_reports())?;
    // SAFETY: `fits` has shown that the mapping is ThreadSanitizer's, which has this number of aligned cells for each word
    // of the program's memory, and accesses them atomically.
    Some(unsafe { &*std::ptr::with_exposed_provenance(mapping.shadow(word)) })
}

/// ThreadSanitizer's number of the context that made an access (`Shadow` in tsan_shadow.h: eight bits after those of
/// the bytes).
fn context_of(access: u32) -> u8 {
    access.to_le_bytes()[1]
}

impl Mapping {
    fn shadow(self, address: usize) -> usize {
        (((address & !7 & !self.mask) ^ self.xor).wrapping_mul(self.factor)).wrapping_add(self.base)
    }

    /// Number of bytes whose shadow is one block of [`ZERO_BLOCK`] bytes.
    fn block(self) -> usize {
        ZERO_BLOCK / self.factor
    }

    /// True if a block has not been accessed. It starts at a multiple of its length.
    #[inline(always)]
    fn is_clean_block(self, address: usize) -> bool {
        // SAFETY: as in `clear_word`; the mapping keeps the alignment, as `factor` is a power of two and the other numbers are larger.
        unsafe { is_zero_block(std::ptr::with_exposed_provenance(self.shadow(address))) }
    }

    /// Number of words of shadow for eight bytes.
    fn words(self) -> usize {
        self.factor
    }

    /// Forgets the accesses to eight bytes; true if there were any.
    ///
    /// The stores are plain: ThreadSanitizer would take a call of `memset` for an access of the program.
    #[inline(always)]
    fn clear_word(self, address: usize) -> bool {
        let shadow = std::ptr::with_exposed_provenance::<AtomicU64>(self.shadow(address));
        let mut any = false;
        for word in 0..self.words() {
            // SAFETY: `fits` has shown that the mapping is ThreadSanitizer's, which has shadow for all of the program's memory, in
            // aligned words of 8 bytes that it accesses atomically.
            let cell = unsafe { &*shadow.wrapping_add(word) };
            if cell.load(Relaxed) != 0 {
                cell.store(0, Relaxed);
                any = true;
            }
        }
        any
    }

    /// The shadow of a word, if it can be read.
    fn read(self, address: usize) -> Option<[usize; 4]> {
        let shadow = self.shadow(address);
        if self.words() == 2 {
            own_memory::read(shadow).map(|[first, second]| [first, second, 0, 0])
        } else {
            own_memory::read(shadow)
        }
    }

    /// True if accesses to the heap and to the stack appear where the mapping says.
    fn fits(self, sanitizer: &Sanitizer) -> bool {
        let heap = Box::new(AtomicU64::new(0));
        let stack = AtomicU64::new(0);
        [&*heap, &stack].into_iter().all(|place| self.shows(sanitizer, place))
    }

    fn shows(self, sanitizer: &Sanitizer, place: &AtomicU64) -> bool {
        let address = std::ptr::from_ref(place).addr();
        let shadow = || self.read(address);
        let Some(before) = shadow() else { return false };
        sanitizer.note_write(place);
        let Some(after) = shadow() else { return false };
        if after == before || after == [0; 4] {
            return false;
        }
        // A neighbour's shadow is unchanged; the same access again, by a later epoch, may or may not change it.
        let Some(neighbour) = self.read(address ^ 64) else { return false };
        sanitizer.note_write(place);
        self.read(address ^ 64) == Some(neighbour)
    }
}
