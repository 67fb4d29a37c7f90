//! Arguments of a call that an [`observed_call!`](crate::observed_call) shows.
#![allow(unsafe_code)] // registers and the caller's stack, as words

use crate::arch::{RETURN_WORD, argument_word};

/// The arguments of a call: the entry passes on what is in these words when the look at it is over.
#[derive(Clone, Copy, Debug)]
pub struct Arguments(*mut usize);

impl Arguments {
    /// The arguments in these words.
    ///
    /// # Safety
    /// An entry of [`observed_call!`](crate::observed_call) shows the words, and is waiting. The value isn't kept. Only arguments that
    /// the called function has are asked for.
    pub unsafe fn new(words: *mut usize) -> Self {
        Self(words)
    }

    /// Argument `number`, counted from 0.
    pub fn get(self, number: usize) -> usize {
        // SAFETY: `new`: the function has this argument; behind those in registers lie those that the caller has put on its stack.
        unsafe { self.0.wrapping_add(argument_word(number)).read() }
    }

    /// Changes argument `number`.
    pub fn set(self, number: usize, value: usize) {
        // SAFETY: as in `get`; the words of a call's arguments belong to the function that is called (psABI, "The Stack Frame").
        unsafe { self.0.wrapping_add(argument_word(number)).write(value) }
    }

    /// An address of the caller's stack, below which the callee's frames lie.
    pub fn address(self) -> usize {
        self.0.addr() + 8 * RETURN_WORD
    }

    /// The address that the call returns to.
    pub fn returns_to(self) -> usize {
        // SAFETY: `new`: the words are those of a call, among which the return address is.
        unsafe { self.0.wrapping_add(RETURN_WORD).read() }
    }
}
