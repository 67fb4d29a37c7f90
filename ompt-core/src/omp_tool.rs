//! `OMP_TOOL`: whether tools of OMPT are looked for at all (TR2, 6.2; OpenMP 5.0, 6.18).
#![allow(unsafe_code)] // reads the environment in place, writes to stderr

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering::*};

/// Whether tools may be looked for. A value that is neither `enabled` nor `disabled` is named on stderr once, and ignored.
pub(crate) fn enabled() -> bool {
    static SAID: AtomicBool = AtomicBool::new(false);
    // SAFETY: a C string. Nobody may change the environment while the runtime is used for the first time.
    let value = unsafe { libc::getenv(c"OMP_TOOL".as_ptr()) };
    if value.is_null() {
        return true;
    }
    // SAFETY: what `getenv` finds is a C string.
    let value = unsafe { CStr::from_ptr(value) }.to_bytes();
    meaning(value).unwrap_or_else(|| {
        if !SAID.swap(true, Relaxed) {
            say(&[b"ora: OMP_TOOL=", value, b" is ignored: it can be enabled or disabled\n"]);
        }
        true
    })
}

/// `None` where it has none. As in all of OpenMP's variables, case and blanks around don't count.
fn meaning(value: &[u8]) -> Option<bool> {
    let word = value.trim_ascii();
    if word.is_empty() || word.eq_ignore_ascii_case(b"enabled") {
        Some(true)
    } else {
        word.eq_ignore_ascii_case(b"disabled").then_some(false)
    }
}

/// One line, in one piece.
fn say(words: &[&[u8]; 3]) {
    let parts = words.map(|word| libc::iovec { iov_base: word.as_ptr().cast_mut().cast(), iov_len: word.len() });
    // SAFETY: three parts, which are only read.
    unsafe { libc::writev(libc::STDERR_FILENO, parts.as_ptr(), 3) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_words_and_nothing_at_all_have_a_meaning() {
        for enabled in [&b"enabled"[..], b"", b" ", b"Enabled", b"\tENABLED "] {
            assert_eq!(meaning(enabled), Some(true));
        }
        for disabled in [&b"disabled"[..], b" disabled", b"DISABLED"] {
            assert_eq!(meaning(disabled), Some(false));
        }
        for none in [&b"enable"[..], b"1", b"disabled,", b"enabled disabled"] {
            assert_eq!(meaning(none), None);
        }
    }
}
