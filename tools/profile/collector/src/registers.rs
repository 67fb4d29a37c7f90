//! A thread's registers, in DWARF's numbering. Unsafe: reading them.
#![allow(unsafe_code)]

use ::system::arch::{self, DWARF_REGISTERS as COUNT, FRAME_POINTER, INSTRUCTION_POINTER, STACK_POINTER};
use std::ffi::c_void;

/// The registers of a caller that are always known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) ip: u64,
    pub(crate) sp: u64,
    pub(crate) bp: u64,
}

/// A frame's registers in DWARF's numbering, as far as they are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    values: [u64; COUNT],
    known: u64,
}

impl Registers {
    /// Registers of a frame of which only the three main ones are known.
    pub(crate) fn of(frame: Frame) -> Self {
        let mut all = Self { values: [0; COUNT], known: 0 };
        for (number, value) in [(INSTRUCTION_POINTER, frame.ip), (STACK_POINTER, frame.sp), (FRAME_POINTER, frame.bp)] {
            all.set(number, value);
        }
        all
    }

    /// Registers of the interrupted thread.
    ///
    /// # Safety
    /// `context` is the third argument of a handler with SA_SIGINFO.
    pub(crate) unsafe fn interrupted(context: *const c_void) -> Self {
        // SAFETY: a handler with SA_SIGINFO gets a `ucontext_t` (sigaction(2)), by this function's `# Safety`.
        let context = unsafe { &*context.cast::<libc::ucontext_t>() };
        Self { values: arch::interrupted(context), known: (1 << COUNT) - 1 }
    }

    /// Registers at this point of the function that this is inlined in.
    #[inline(always)]
    pub(crate) fn here() -> Self {
        let [ip, sp, bp] = arch::here();
        Self::of(Frame { ip, sp, bp })
    }

    /// The registers that are known for any frame.
    pub(crate) fn frame(&self) -> Frame {
        Frame { ip: self.ip(), sp: self.sp(), bp: self.bp() }
    }

    pub(crate) fn set(&mut self, number: u16, value: u64) {
        if let Some(place) = self.values.get_mut(usize::from(number)) {
            *place = value;
            self.known |= 1 << number;
        }
    }

    pub(crate) fn get(&self, number: u16) -> Option<u64> {
        let value = self.values.get(usize::from(number))?;
        (self.known & 1 << number != 0).then_some(*value)
    }

    pub(crate) fn ip(&self) -> u64 {
        self.get(INSTRUCTION_POINTER).unwrap_or(0)
    }

    pub(crate) fn sp(&self) -> u64 {
        self.get(STACK_POINTER).unwrap_or(0)
    }

    pub(crate) fn bp(&self) -> u64 {
        self.get(FRAME_POINTER).unwrap_or(0)
    }
}
