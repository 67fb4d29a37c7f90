//! Limit on the size of files (`ulimit -f`), which also applies to memory that is shared through a descriptor. Unsafe: these are system
//! calls.
#![allow(unsafe_code)]

use std::io;

use anyhow::{Context, Result};

/// Creates shared memory with the limit raised as far as this process may; the program gets its own limit again.
///
/// # Errors
/// If the system refuses the memory.
pub(crate) fn lifted<T>(make: impl FnOnce() -> io::Result<T>) -> Result<T> {
    let usual = limit();
    if let Some(usual) = usual {
        set(libc::rlimit { rlim_cur: usual.rlim_max, ..usual });
    }
    let made = make();
    if let Some(usual) = usual {
        set(usual);
    }
    let too_small = made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::FileTooLarge);
    made.context(if too_small {
        "cannot create memory to share with the program: the limit on the size of files is too small: raise it \
         (ulimit -H -f)"
    } else {
        "cannot create memory to share with the program"
    })
}

fn limit() -> Option<libc::rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the record is valid for writes.
    let answer = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    (answer == 0).then_some(limit)
}

fn set(limit: libc::rlimit) {
    // SAFETY: the record is only read. The request does not exceed what the process may have.
    unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
}
