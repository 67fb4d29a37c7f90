//! Arguments of a call that an [`observed_call!`](crate::observed_call) shows.
#![allow(unsafe_code)] // registers and the caller's stack, as words

use crate::arch::{RETURN_WORD, argument_word};

/// The arguments of a call: when the observer returns, the entry passes on what is in these words.
#[derive(Clone, Copy, Debug)]
pub struct Arguments(*mut usize);

impl Arguments {
    /// The arguments in these words.
    ///
    /// # Safety
    /// An entry of [`observed_call!`](crate::observed_call) shows the words, and waits for the observer to return. The value isn't kept
    /// beyond that. Only arguments that the called function has are accessed.
    pub unsafe fn new(words: *mut usize) -> Self {
        Self(words)
    }

    /// Argument `number`, counted from 0.
    pub fn get(self, number: usize) -> usize {
        // SAFETY: `new`: the function has this argument; after those in registers come those that the caller has put on its stack.
        unsafe { self.0.wrapping_add(argument_word(number)).read() }
    }

    /// Changes argument `number`.
    pub fn set(self, number: usize, value: usize) {
        // SAFETY: as in `get`; the words of a call's arguments belong to the function that is called (psABI, "The Stack Frame").
        unsafe { self.0.wrapping_add(argument_word(number)).write(value) }
    }

    /// An address in the caller's stack; the callee's frames are below it.
    pub fn address(self) -> usize {
        self.0.addr() + 8 * RETURN_WORD
    }

    /// The address that the call returns to.
    pub fn returns_to(self) -> usize {
        // SAFETY: `new`: the words are those of a call, and include its return address.
        unsafe { self.0.wrapping_add(RETURN_WORD).read() }
    }
}
