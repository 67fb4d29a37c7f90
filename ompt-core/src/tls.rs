//! The calling thread's record: a few initial-exec thread-local words, and the registers that identify a thread.
//!
//! `thread_local!` in a shared library calls `__tls_get_addr`, which may allocate; these words are zero in every
//! thread from its birth and are read with two loads, so queries may use it in signal handlers.
#![allow(unsafe_code)] // inline assembly is the only way to an initial-exec slot on stable Rust

use crate::thread::Thread;
use std::arch::{asm, global_asm};

global_asm!(
    ".pushsection .tbss.ora_thread,\"awT\",@nobits",
    ".balign 8",
    ".globl ora_thread",
    ".hidden ora_thread",
    ".type ora_thread,@object",
    ".size ora_thread,32",
    "ora_thread:",
    ".zero 32",
    ".popsection",
);

/// The calling thread's record, if it has one. Async-signal-safe: two loads.
#[inline(always)]
pub fn get() -> Option<&'static Thread> {
    let record: *const Thread;
    // SAFETY: reads the thread's own word `ora_thread`, which exists from the thread's birth.
    unsafe {
        asm!(
            "mov {r}, qword ptr [rip + ora_thread@GOTTPOFF]",
            "mov {r}, qword ptr fs:[{r}]",
            r = out(reg) record,
            options(nostack, preserves_flags, readonly),
        );
    }
    // SAFETY: the word is null or was stored by `set`, from a reference that is valid for ever.
    unsafe { record.as_ref() }
}

/// Gives the calling thread its record, or takes it away.
pub(crate) fn set(record: Option<&'static Thread>) {
    let record = record.map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: writes the thread's own word `ora_thread`.
    unsafe {
        asm!(
            "mov {t}, qword ptr [rip + ora_thread@GOTTPOFF]",
            "mov qword ptr fs:[{t}], {r}",
            t = out(reg) _,
            r = in(reg) record,
            options(nostack, preserves_flags),
        );
    }
}

/// Whether the calling thread is a worker that has ended as far as we are concerned: its destructors are running.
/// Async-signal-safe: two loads.
pub(crate) fn ended_as_worker() -> bool {
    let ended: usize;
    // SAFETY: reads the thread's own word behind `ora_thread`, which exists from the thread's birth.
    unsafe {
        asm!(
            "mov {r}, qword ptr [rip + ora_thread@GOTTPOFF]",
            "mov {r}, qword ptr fs:[{r} + 8]",
            r = out(reg) ended,
            options(nostack, preserves_flags, readonly),
        );
    }
    ended != 0
}

/// Says what [`ended_as_worker`] says.
pub(crate) fn set_ended_as_worker(ended: bool) {
    // SAFETY: writes the thread's own word behind `ora_thread`.
    unsafe {
        asm!(
            "mov {t}, qword ptr [rip + ora_thread@GOTTPOFF]",
            "mov qword ptr fs:[{t} + 8], {e}",
            t = out(reg) _,
            e = in(reg) usize::from(ended),
            options(nostack, preserves_flags),
        );
    }
}

/// A call that the program made of its runtime, or the runtime of a function that stands in for the program's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Where it returns to; 0 where nobody has looked.
    pub return_address: usize,
    /// Its canonical frame address: the caller's stack pointer at the call.
    pub frame: usize,
}

/// Writes a [`Call`] to the thread's own words: the code of a naked function, before it jumps to the one that reports. Changes
/// r10 and r11 only, which are nobody's at a call.
#[macro_export]
macro_rules! note_call {
    () => {
        concat!(
            "mov r11, qword ptr [rip + ora_thread@GOTTPOFF]\n",
            "mov r10, qword ptr [rsp]\n",
            "mov qword ptr fs:[r11 + 16], r10\n",
            "lea r10, [rsp + 8]\n",
            "mov qword ptr fs:[r11 + 24], r10\n",
        )
    };
}

/// The call that the thread has entered last, as far as entries note calls; zeros where they don't. Async-signal-safe: loads.
#[inline(always)]
pub fn call() -> Call {
    let (return_address, frame);
    // SAFETY: reads the thread's own words behind `ora_thread`, which exist from the thread's birth.
    unsafe {
        asm!(
            "mov {f}, qword ptr [rip + ora_thread@GOTTPOFF]",
            "mov {r}, qword ptr fs:[{f} + 16]",
            "mov {f}, qword ptr fs:[{f} + 24]",
            r = out(reg) return_address,
            f = out(reg) frame,
            options(nostack, preserves_flags, readonly),
        );
    }
    Call { return_address, frame }
}

/// Where that call returns to.
#[inline(always)]
pub(crate) fn return_address() -> usize {
    let address;
    // SAFETY: reads the thread's own word behind `ora_thread`, which exists from the thread's birth.
    unsafe {
        asm!(
            "mov {r}, qword ptr [rip + ora_thread@GOTTPOFF]",
            "mov {r}, qword ptr fs:[{r} + 16]",
            r = out(reg) address,
            options(nostack, preserves_flags, readonly),
        );
    }
    address
}

/// The thread is in an earlier call again: the one that events are of.
#[inline(always)]
pub fn set_call(call: Call) {
    // SAFETY: writes the thread's own words behind `ora_thread`.
    unsafe {
        asm!(
            "mov {t}, qword ptr [rip + ora_thread@GOTTPOFF]",
            "mov qword ptr fs:[{t} + 16], {r}",
            "mov qword ptr fs:[{t} + 24], {f}",
            t = out(reg) _,
            r = in(reg) call.return_address,
            f = in(reg) call.frame,
            options(nostack, preserves_flags),
        );
    }
}

/// A number that no other living thread has. Async-signal-safe: one load.
#[inline]
pub fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: the psABI keeps the thread pointer itself in the first word of the thread control block.
    unsafe { asm!("mov {}, qword ptr fs:[0]", out(reg) pointer, options(nostack, preserves_flags, readonly, pure)) };
    pointer
}

/// About where the calling function's frame ends: frames of its callers lie above, frames of its callees below.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let pointer;
    // SAFETY: copies a register.
    unsafe { asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// Whether the calling thread is in a signal handler on an alternate stack (`SA_ONSTACK`). Async-signal-safe: a system call.
#[cold]
pub(crate) fn on_alternate_stack() -> bool {
    let mut now = libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: 0, ss_size: 0 };
    // SAFETY: only asks; `now` is ours to write.
    unsafe { libc::sigaltstack(std::ptr::null(), &raw mut now) };
    now.ss_flags & libc::SS_ONSTACK != 0
}
