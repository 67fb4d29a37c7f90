//! The value of LD_PRELOAD: the command's libraries first, followed by the user's.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use anyhow::{Result, bail};
use terminal::printable::Shown;

/// Libraries that refuse to run unless they come first.
const FIRST: [&[u8]; 5] = [b"libasan", b"libtsan", b"libhwasan", b"libclang_rt.asan", b"libclang_rt.tsan"];

/// Puts the command's libraries before the user's, but after a sanitizer's.
///
/// # Errors
/// If one of our paths can't be expressed in LD_PRELOAD.
pub fn preload(ours: &[PathBuf], users: Option<&OsStr>) -> Result<OsString> {
    for path in ours {
        if path.as_os_str().as_bytes().iter().any(|b| separates(*b)) {
            bail!(
                "cannot preload {}: LD_PRELOAD can't hold a path with a colon or a blank. Move the file, or make a link \
                 to its folder, and try again",
                path.shown(),
            );
        }
    }
    let ours = ours.iter().map(|path| path.as_os_str().as_bytes());
    let users = words(users.unwrap_or_default()).map(OsStr::as_bytes);
    let (first, rest): (Vec<_>, Vec<_>) = users.partition(|word| wants_to_be_first(word));
    let mut all: Vec<&[u8]> = Vec::new();
    for word in first.into_iter().chain(ours).chain(rest) {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    Ok(OsString::from_vec(all.join(&b':')))
}

/// The libraries that a value of LD_PRELOAD names.
pub fn words(value: &OsStr) -> impl Iterator<Item = &OsStr> {
    let words = value.as_bytes().split(|byte| separates(*byte)).filter(|word| !word.is_empty());
    words.map(OsStr::from_bytes)
}

/// The dynamic linker ends a name at either of these.
fn separates(byte: u8) -> bool {
    byte == b':' || byte.is_ascii_whitespace()
}

fn wants_to_be_first(word: &[u8]) -> bool {
    let name = word.rsplit(|b| *b == b'/').next().unwrap_or(word);
    FIRST.iter().any(|begin| name.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(users: &str) -> String {
        let ours = ["/o/libora.so", "/o/libora_collectors.so"].map(PathBuf::from);
        preload(&ours, Some(OsStr::new(users))).unwrap().into_string().unwrap()
    }

    #[test]
    fn ours_come_first_and_the_users_stay() {
        assert_eq!(with(""), "/o/libora.so:/o/libora_collectors.so");
        assert_eq!(with("/u/a.so b.so"), "/o/libora.so:/o/libora_collectors.so:/u/a.so:b.so");
        assert_eq!(preload(&[], None).unwrap(), "");
    }

    #[test]
    fn a_sanitizer_stays_in_front() {
        assert_eq!(
            with("a.so:/usr/lib/libasan.so.8"),
            "/usr/lib/libasan.so.8:/o/libora.so:/o/libora_collectors.so:a.so"
        );
    }

    #[test]
    fn nothing_is_named_twice() {
        assert_eq!(with("/o/libora.so:a.so"), "/o/libora.so:/o/libora_collectors.so:a.so");
    }

    #[test]
    fn a_path_that_ld_preload_cannot_hold_is_refused() {
        let message = preload(&[PathBuf::from("/my files/libora.so")], None).unwrap_err().to_string();
        assert!(message.contains("/my files/libora.so") && message.contains("blank"), "{message}");
    }
}
