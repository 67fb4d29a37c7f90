//! Stack without any other memory of the process near it, so that reads past its ends give the same result each time. Unsafe: a mapping.
#![allow(unsafe_code)]

use std::ptr::null_mut;
use std::sync::LazyLock;

/// Length of the stack, in words.
pub(crate) const WORDS: usize = 64;
/// Readable bytes on each side of the stack; they are zero.
const READABLE: usize = 1 << 16;
/// Unreadable bytes beyond those, on each side: as far as a cached rule can reach with two offsets of 32 bits.
const GUARD_SIZE: usize = 1 << 32;

static STACK: LazyLock<&[u64; WORDS]> = LazyLock::new(map);

/// Returns the stack, whose words all differ.
pub(crate) fn stack() -> &'static [u64; WORDS] {
    *STACK
}

fn map() -> &'static [u64; WORDS] {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address that the kernel chooses touches no memory in use (mmap(2)).
    let start = unsafe { libc::mmap(null_mut(), 2 * (GUARD_SIZE + READABLE), libc::PROT_NONE, flags, -1, 0) };
    assert!(start != libc::MAP_FAILED, "no addresses for a stack");
    let readable = start.wrapping_byte_add(GUARD_SIZE);
    // SAFETY: whole pages in the middle of the mapping just created, which no other code uses.
    let done = unsafe { libc::mprotect(readable, 2 * READABLE, libc::PROT_READ | libc::PROT_WRITE) };
    assert!(done == 0, "no memory for a stack");
    // SAFETY: the mapping is never unmapped, contains zeros here, and is page-aligned; nothing else refers to it.
    let stack = unsafe { &mut *readable.wrapping_byte_add(READABLE).cast::<[u64; WORDS]>() };
    *stack = std::array::from_fn(|word| 0x2000 + 0x111 * word as u64);
    stack
}
