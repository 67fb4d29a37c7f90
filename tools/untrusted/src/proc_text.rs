//! Texts that the kernel provides about a process in `/proc` (proc(5)). The process controls their content and length: names of threads
//! need not be UTF-8, and a command line may be as long as an address space.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Maximum length of a command line or environment that is read, in bytes. A program is started with at most 6 MB of
/// both (execve(2)).
pub const LARGEST_WORDS: u64 = 8 << 20;
/// Maximum length of a list of mappings that is read, in bytes: a million of them, with paths.
pub const LARGEST_MAPS: u64 = 256 << 20;
/// Number of bytes that suffices for most texts.
const USUAL: usize = 4 << 10;
/// Maximum length of any other text, in bytes.
const LARGEST: u64 = 1 << 20;

/// Reads at most `limit` bytes of a file in `/proc`; a longer text is cut off.
///
/// # Errors
/// If the process or thread doesn't exist, or may not be inspected.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Capacity for most of these texts: the kernel generates the text again for each read that continues an earlier
    // one.
    let mut bytes = Vec::with_capacity(USUAL);
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a short file as text. Bytes that aren't UTF-8 are replaced.
///
/// # Errors
/// As [`read`].
pub fn text(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&read(path, LARGEST)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_the_limit() {
        let path = Path::new("/proc/self/status");
        assert_eq!(read(path, 5).unwrap(), b"Name:");
        assert!(text(path).unwrap().contains("\nPid:"));
        assert!(text(Path::new("/proc/0/status")).is_err());
    }

    #[test]
    fn a_name_that_is_no_text_hides_nothing() {
        std::thread::scope(|scope| {
            let named = scope.spawn(|| {
                std::fs::write("/proc/thread-self/comm", b"\xff\xfe").unwrap();
                text(Path::new("/proc/thread-self/status")).unwrap()
            });
            assert!(named.join().unwrap().contains("\nTgid:"));
        });
    }
}
