//! Words on which threads of the process wait (futex(2)).
#![allow(unsafe_code)] // system calls

use std::sync::atomic::AtomicI32;

/// Waits as long as the word has this value; may also return earlier.
pub fn sleep(word: &AtomicI32, value: i32) {
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: futex(2): an aligned int that `word` borrows for the call; a null timeout means no limit.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, std::ptr::null::<libc::timespec>()) };
}

/// Wakes a waiting thread.
pub fn wake(word: &AtomicI32) {
    // SAFETY: futex(2): a private FUTEX_WAKE uses the address only as a key; nothing is read or written through it.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1) };
}
