//! The file header (gABI, "ELF Header").

use super::fields::{u16_at, u64_at};

/// The fields of the file header that are used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// `e_machine`.
    pub machine: u16,
    /// `e_phoff`: offset of the program headers, in bytes.
    pub program_headers: u64,
    /// `e_phentsize`: bytes of one program header.
    pub program_header_size: u16,
    /// `e_phnum`: number of program headers.
    pub program_header_count: u16,
    /// `e_shoff`: offset of the section headers, in bytes; 0: there are none.
    pub section_headers: u64,
    /// `e_shentsize`: bytes of one section header.
    pub section_header_size: u16,
    /// `e_shnum`: number of section headers; 0: the first section header has the number.
    pub section_header_count: u16,
}

impl Header {
    /// Bytes of a header.
    pub const SIZE: usize = 64;

    /// The header at the start of a file; `None` if it is not a 64-bit little-endian ELF file.
    pub fn read(file: &[u8]) -> Option<Self> {
        let bytes = file.get(..Self::SIZE).filter(|bytes| bytes.starts_with(b"\x7fELF\x02\x01"))?;
        Some(Self {
            machine: u16_at(bytes, 18)?,
            program_headers: u64_at(bytes, 32)?,
            program_header_size: u16_at(bytes, 54)?,
            program_header_count: u16_at(bytes, 56)?,
            section_headers: u64_at(bytes, 40)?,
            section_header_size: u16_at(bytes, 58)?,
            section_header_count: u16_at(bytes, 60)?,
        })
    }
}
