//! A tool goes: none of its callbacks may run any more when it has gone.
#![allow(unsafe_code)] // system calls

use crate::interface::Face;
use crate::thread;
use system::errno::Errno;

/// How often to look whether other threads are out, with a millisecond in between: one that never comes out, because its
/// callback waits for us or was left by an exception, doesn't hold up the program.
const LOOKS: u32 = 100;

/// Waits until no other thread is inside a callback of the face, whose tool wants nothing more and has no callback left. At
/// most for a tenth of a second.
pub(crate) fn settle(face: Face) {
    let errno = Errno::save();
    every_thread_has_seen();
    for _ in 0..LOOKS {
        if !thread::another_calls_back(face) {
            break;
        }
        let moment = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
        // SAFETY: `moment` is ours to be read, and nothing is written: the second pointer is null (nanosleep(2)).
        unsafe { libc::nanosleep(&raw const moment, std::ptr::null_mut()) };
    }
    errno.restore();
}

/// Either another thread has said that it is inside a callback, or it finds none left. (Saying so and looking for the
/// callback are two plain instructions: what puts them in order is done here, once, not at each event.)
fn every_thread_has_seen() {
    for command in [libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED] {
        // SAFETY: a system call that takes two numbers. A kernel without it leaves a window of a few instructions.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0) };
    }
}
