//! The alternate stacks of threads (sigaltstack(2)): a thread whose stack is too small for a signal's frame gets no signals. The
//! kernel would end the process. Unsafe: calls of the C library's function, which ours replaces.
//!
//! The frame has the processor's vector registers, and so may be larger than the stacks of programs that were written for less.
#![allow(unsafe_code)]
// Unit tests use the C library's own functions.
#![cfg_attr(test, allow(dead_code))]

use std::ffi::{c_int, c_ulong};
use std::mem::{transmute, zeroed};
use std::ptr;
use std::sync::atomic::AtomicUsize;

use libc::stack_t;

use crate::next_definition::next;
use crate::{current_thread, process, system};

type Call = unsafe extern "C" fn(*const stack_t, *mut stack_t) -> c_int;

/// Address of the next definition; 0: not looked up yet.
static CALL: AtomicUsize = AtomicUsize::new(0);
/// Entry of the auxiliary vector: the length of a signal's frame (getauxval(3)).
const AT_MINSIGSTKSZ: c_ulong = 51;
/// Stack space that the handler needs, besides the frame, until it switches to its own stack.
const OWN: usize = 256;

/// `sigaltstack` of POSIX (sigaltstack(3p)); the thread's clock stops while its stack is too small.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn sigaltstack(new: *const stack_t, old: *mut stack_t) -> c_int {
    let call = next(&CALL, c"sigaltstack");
    if call == 0 {
        return -1;
    }
    // SAFETY: the C library's function of this name has this type.
    let call = unsafe { transmute::<usize, Call>(call) };
    // SAFETY: null, or a stack's description that may be read, by this function's `# Safety`.
    let wanted = unsafe { new.as_ref() };
    let changed = wanted.zip(current_thread::me().filter(|_| process::is_here()));
    // Stopped before: the next signal may come as soon as the stack is in use.
    let was_cramped = changed.is_some_and(|(wanted, thread)| is_cramped(wanted) && thread.cramp());
    // SAFETY: the C library's function gets arguments as this function's `# Safety` requires (sigaltstack(3p)).
    let answer = unsafe { call(new, old) };
    if let Some((wanted, thread)) = changed
        && if answer == 0 { !is_cramped(wanted) } else { is_cramped(wanted) && !was_cramped }
    {
        thread.uncramp(system::monotonic_ns());
    }
    answer
}

/// True if the calling thread has an alternate stack that is too small. Async-signal-safe: a system call.
pub(crate) fn is_too_small() -> bool {
    // SAFETY: all zero is a valid `stack_t`.
    let mut now: stack_t = unsafe { zeroed() };
    // SAFETY: only queries; `now` is writable (sigaltstack(2)).
    let known = unsafe { libc::syscall(libc::SYS_sigaltstack, ptr::null::<stack_t>(), &raw mut now) } == 0;
    // A handler that runs on it had room.
    known && now.ss_flags & libc::SS_ONSTACK == 0 && is_cramped(&now)
}

fn is_cramped(stack: &stack_t) -> bool {
    // SAFETY: reads the auxiliary vector (getauxval(3)).
    let frame = usize::try_from(unsafe { libc::getauxval(AT_MINSIGSTKSZ) }).unwrap_or(0).max(libc::MINSIGSTKSZ);
    stack.ss_flags & libc::SS_DISABLE == 0 && stack.ss_size < frame + OWN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_must_hold_the_frame_of_a_signal() {
        let stack = |ss_size, ss_flags| stack_t { ss_sp: ptr::null_mut(), ss_flags, ss_size };
        assert!(is_cramped(&stack(libc::MINSIGSTKSZ, 0)));
        assert!(!is_cramped(&stack(libc::MINSIGSTKSZ, libc::SS_DISABLE)));
        assert!(!is_cramped(&stack(1 << 17, 0)));
        // That of a Rust program's thread.
        assert!(!is_too_small());
    }
}
