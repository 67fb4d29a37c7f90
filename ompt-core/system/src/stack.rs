//! The stack that the calling thread runs on.
#![allow(unsafe_code)] // a system call; asks the unwinder

use std::ffi::{c_int, c_void};

/// True in a signal handler that runs on an alternate stack (`SA_ONSTACK`). Async-signal-safe: one system call.
#[cold]
pub fn on_alternate_stack() -> bool {
    let mut now = libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: 0, ss_size: 0 };
    // SAFETY: only queries; `now` is ours to write.
    unsafe { libc::sigaltstack(std::ptr::null(), &raw mut now) };
    now.ss_flags & libc::SS_ONSTACK != 0
}

/// `_Unwind_Reason_Code` (Itanium C++ ABI, "Exception Handling", 1.2.1).
const GO_ON: c_int = 0;
const STOP: c_int = 4;

type Trace = unsafe extern "C" fn(context: *mut c_void, search: *mut c_void) -> c_int;

unsafe extern "C" {
    fn _Unwind_Backtrace(trace: Trace, search: *mut c_void) -> c_int;
    /// The stack pointer at the call that the frame has made: the canonical address of the frame that it has called.
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

struct Search {
    callee: usize,
    met: bool,
    found: usize,
}

/// Canonical address of the caller of the frame with this canonical address; if unwinding fails, that frame's own.
#[cold]
pub fn frame_of_caller(callee: usize) -> usize {
    let mut search = Search { callee, met: false, found: 0 };
    // SAFETY: `_Unwind_Backtrace` passes its second argument to `look`, which takes a `Search`; `search` lives until it returns
    // (unwind.h).
    unsafe { _Unwind_Backtrace(look, (&raw mut search).cast()) };
    if search.found == 0 { callee } else { search.found }
}

unsafe extern "C" fn look(context: *mut c_void, search: *mut c_void) -> c_int {
    // SAFETY: `frame_of_caller` passed a `Search` that it does not touch before `_Unwind_Backtrace` returns.
    let search = unsafe { &mut *search.cast::<Search>() };
    // SAFETY: `context` is the frame that `_Unwind_Backtrace` calls `look` for, valid during the call (unwind.h).
    let frame = unsafe { _Unwind_GetCFA(context) };
    if search.met {
        search.found = frame;
        return STOP;
    }
    search.met = frame == search.callee;
    GO_ON
}
