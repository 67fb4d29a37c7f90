//! Numbers at a place in a record; `None` behind its end.

/// An 8-byte number.
pub(super) fn u64_at(record: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*record.get(at..)?.first_chunk()?))
}

/// A 4-byte number.
pub(super) fn u32_at(record: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*record.get(at..)?.first_chunk()?))
}

/// A 2-byte number.
pub(super) fn u16_at(record: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*record.get(at..)?.first_chunk()?))
}

/// An 8-byte number that is an offset into, or a size of, memory.
pub(super) fn size_at(record: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64_at(record, at)?).ok()
}

/// So many bytes of a file, from an offset on.
pub(super) fn bytes(file: &[u8], start: usize, length: usize) -> Option<&[u8]> {
    file.get(start..start.checked_add(length)?)
}
