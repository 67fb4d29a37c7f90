//! Reads of a thread's stack, which may be anywhere. Unsafe: reading a thread's own stack.
#![allow(unsafe_code)]

use std::ptr::with_exposed_provenance;

use crate::system;
use ::system::arch::RED_ZONE;

const PIECE: usize = 256;

/// Cache of a few bytes of other memory, read by a system call.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Piece {
    begin: u64,
    length: usize,
    bytes: [u8; PIECE],
}

impl Piece {
    pub(crate) const EMPTY: Self = Self { begin: 0, length: 0, bytes: [0; PIECE] };
}

/// Memory that a stack walk reads: the thread's stack from its innermost frame up directly, and anything else by system calls.
#[derive(Debug)]
pub(crate) struct Memory<'a> {
    low: u64,
    high: u64,
    piece: &'a mut Piece,
}

impl<'a> Memory<'a> {
    /// `begin` and `end`: bounds of the calling thread's stack. `sp`: its current stack pointer, or the one at the
    /// interruption.
    pub(crate) fn new((begin, end): (u64, u64), sp: u64, piece: &'a mut Piece) -> Self {
        piece.length = 0;
        // Nothing is known about other stacks, such as a handler's or a coroutine's.
        let on_it = (begin..end).contains(&sp);
        let (low, high) = if on_it { (sp.saturating_sub(RED_ZONE).max(begin), end) } else { (0, 0) };
        Self { low, high, piece }
    }

    /// Reads the word at an address.
    pub(crate) fn read(&mut self, address: u64) -> Option<u64> {
        let end = address.checked_add(8)?;
        if address >= self.low && end <= self.high {
            let place = with_exposed_provenance::<u64>(usize::try_from(address).ok()?);
            // SAFETY: from the stack pointer up to its end a thread's own stack is mapped; this is the thread itself.
            return Some(unsafe { place.read_unaligned() });
        }
        self.read_with_help(address, end)
    }

    #[cold]
    fn read_with_help(&mut self, address: u64, end: u64) -> Option<u64> {
        let piece = &mut *self.piece;
        let known = address >= piece.begin && end <= piece.begin.checked_add(piece.length as u64)?;
        if !known {
            piece.begin = address;
            piece.length = system::copy_own_memory(address, &mut piece.bytes);
            if piece.length < 8 {
                // There may be less mapped memory than a piece.
                piece.length = system::copy_own_memory(address, piece.bytes.get_mut(..8)?);
            }
        }
        let at = usize::try_from(address - piece.begin).ok()?;
        let word = piece.bytes.get(..piece.length)?.get(at..)?.first_chunk()?;
        Some(u64::from_ne_bytes(*word))
    }
}
