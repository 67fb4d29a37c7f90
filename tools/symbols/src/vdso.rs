//! Code of the vDSO. It does not have a file; on the same kernel it is identical in this process.
#![cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "of the system, or of `ora` itself in `/proc`"))]

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use system::maps::any_own_mapping;

/// Name of the vDSO in lists of mappings.
pub(super) const PATH: &str = "[vdso]";

/// Bytes of this process's vDSO.
pub(super) fn bytes() -> Option<Vec<u8>> {
    let mut found = None;
    any_own_mapping(|mapping| {
        found = (mapping.path == PATH.as_bytes()).then_some((mapping.start, mapping.end));
        found.is_some()
    });
    let (begin, end) = found?;
    let mut bytes = vec![0; usize::try_from(end.checked_sub(begin)?).ok()?];
    let mut memory = File::open("/proc/self/mem").ok()?;
    memory.seek(SeekFrom::Start(begin)).ok()?;
    memory.read_exact(&mut bytes).ok()?;
    Some(bytes)
}
