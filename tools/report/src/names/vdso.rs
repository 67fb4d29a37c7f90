//! The code that the kernel puts into each process. It has no file; this process has the same one, on the same kernel.

use std::fs::{File, read_to_string};
use std::io::{Read, Seek, SeekFrom};

/// Its path in lists of mappings.
pub(super) const PATH: &str = "[vdso]";

/// Its bytes.
pub(super) fn bytes() -> Option<Vec<u8>> {
    let maps = read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| line.ends_with(PATH))?;
    let (begin, end) = line.split_whitespace().next()?.split_once('-')?;
    let [begin, end] = [begin, end].map(|text| u64::from_str_radix(text, 16));
    let (begin, end) = (begin.ok()?, end.ok()?);
    let mut bytes = vec![0; usize::try_from(end.checked_sub(begin)?).ok()?];
    let mut memory = File::open("/proc/self/mem").ok()?;
    memory.seek(SeekFrom::Start(begin)).ok()?;
    memory.read_exact(&mut bytes).ok()?;
    Some(bytes)
}
