//! Dynamic symbols of a file that was recorded, if it is still the same.

use std::path::Path;

use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection};
use untrusted::bounded_file::BoundedFile;
use untrusted::regular;

/// Bytes of the longest table of symbols that is read.
pub(super) const MAX_SYMBOLS: u64 = 64 << 20;

/// Calls `look` with a recorded file, and returns its result. `None` if the file can't be read, or if its build ID has changed.
pub(super) fn read<T>(
    path: &str,
    build_id: &[u8],
    look: impl FnOnce(&ElfFile64<'_, Endianness, &BoundedFile>) -> T,
) -> Option<T> {
    if !path.starts_with('/') {
        return None;
    }
    let file = BoundedFile::new(regular::open(Path::new(path)).ok()?);
    let file = ElfFile64::<Endianness, _>::parse(&file).ok()?;
    let is_same = file.build_id().ok()?.unwrap_or_default() == build_id;
    (is_same && file.section_by_name(".dynsym")?.size() <= MAX_SYMBOLS).then(|| look(&file))
}
