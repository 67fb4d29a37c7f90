//! A thread's registers, in DWARF's numbering (psABI x86-64, "DWARF Register Number Mapping"). Unsafe: reading them.
#![allow(unsafe_code)]

use std::arch::asm;
use std::ffi::c_void;

const RBP: u16 = 6;
const RSP: u16 = 7;
/// The return address's column: of the innermost frame, where it is.
pub(crate) const RIP: u16 = 16;
const COUNT: usize = 17;

/// Where the kernel puts them (`gregs` of `mcontext_t`), in DWARF's order.
const GREGS: [libc::c_int; COUNT] = [
    libc::REG_RAX,
    libc::REG_RDX,
    libc::REG_RCX,
    libc::REG_RBX,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_RBP,
    libc::REG_RSP,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
    libc::REG_RIP,
];

/// What is known of a caller's registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) ip: u64,
    pub(crate) sp: u64,
    pub(crate) bp: u64,
}

/// What is known of a frame's registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    values: [u64; COUNT],
    known: u32,
}

impl Registers {
    /// Of a frame whose other registers are unknown.
    pub(crate) fn of(frame: Frame) -> Self {
        let mut all = Self { values: [0; COUNT], known: 0 };
        for (number, value) in [(RIP, frame.ip), (RSP, frame.sp), (RBP, frame.bp)] {
            all.set(number, value);
        }
        all
    }

    /// Of what a signal has interrupted.
    ///
    /// # Safety
    /// `context` is what a handler with SA_SIGINFO got.
    pub(crate) unsafe fn interrupted(context: *const c_void) -> Self {
        // SAFETY: the caller's promise.
        let context = unsafe { &*context.cast::<libc::ucontext_t>() };
        let mut all = Self { values: [0; COUNT], known: (1 << COUNT) - 1 };
        for (value, place) in all.values.iter_mut().zip(GREGS) {
            let found = usize::try_from(place).ok().and_then(|place| context.uc_mcontext.gregs.get(place));
            *value = found.map_or(0, |found| found.cast_unsigned());
        }
        all
    }

    /// Of the function that this is inlined in, here.
    #[inline(always)]
    pub(crate) fn here() -> Self {
        let (ip, sp, bp): (u64, u64, u64);
        // SAFETY: only reads registers.
        unsafe {
            asm!("lea {0}, [rip]", "mov {1}, rsp", "mov {2}, rbp", out(reg) ip, out(reg) sp, out(reg) bp, options(nomem, nostack, preserves_flags))
        };
        Self::of(Frame { ip, sp, bp })
    }

    /// Those that are known of any frame.
    pub(crate) fn frame(&self) -> Frame {
        Frame { ip: self.ip(), sp: self.sp(), bp: self.bp() }
    }

    fn set(&mut self, number: u16, value: u64) {
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
        self.get(RIP).unwrap_or(0)
    }

    pub(crate) fn sp(&self) -> u64 {
        self.get(RSP).unwrap_or(0)
    }

    pub(crate) fn bp(&self) -> u64 {
        self.get(RBP).unwrap_or(0)
    }
}
