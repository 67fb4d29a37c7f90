//! The kernel's counts of a thread: its time on processors, and ready without one.

use std::ffi::CStr;

use crate::system_call::Descriptor;

/// Those of the calling thread.
pub(crate) fn here() -> [u64; 2] {
    counts(c"/proc/thread-self/schedstat")
}

/// The first two counts of a `schedstat` file: zeros for a thread that has ended.
pub(crate) fn counts(path: &CStr) -> [u64; 2] {
    let mut text = [0; 96];
    let length = Descriptor::open(path, libc::O_RDONLY).map_or(0, |file| file.read(&mut text));
    let words = text.get(..length).and_then(|text| str::from_utf8(text).ok()).unwrap_or_default();
    let mut words = words.split_whitespace().map(|word| word.parse().unwrap_or_default());
    [words.next().unwrap_or_default(), words.next().unwrap_or_default()]
}
