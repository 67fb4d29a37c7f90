//! Little-endian numbers at an offset of a record; `None` past its end.

/// Reads an 8-byte number.
pub(super) fn u64_at(record: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*record.get(at..)?.first_chunk()?))
}

/// Reads a 4-byte number.
pub(super) fn u32_at(record: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*record.get(at..)?.first_chunk()?))
}

/// Reads a 2-byte number.
pub(super) fn u16_at(record: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*record.get(at..)?.first_chunk()?))
}

/// Reads an 8-byte number that is an offset into, or a size of, memory.
pub(super) fn size_at(record: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64_at(record, at)?).ok()
}

/// The `length` bytes of a file from the offset `start` on.
pub(super) fn bytes(file: &[u8], start: usize, length: usize) -> Option<&[u8]> {
    file.get(start..start.checked_add(length)?)
}
