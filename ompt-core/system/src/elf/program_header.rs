//! Program headers: the segments of which an image is made (gABI, "Program Header").

use super::fields::{bytes, u32_at, u64_at};
use super::header::Header;

/// The page sizes of systems, the most common one first.
const PAGES: [u64; 3] = [1 << 12, 1 << 16, 1 << 14];

/// One program header: a segment of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramHeader {
    /// `p_type`, such as [`LOAD`](Self::LOAD).
    pub kind: u32,
    /// `p_flags`.
    pub flags: u32,
    /// Offset in the file, in bytes.
    pub offset: u64,
    /// Address, before the image's base is added.
    pub address: u64,
    /// Bytes in the file.
    pub length: u64,
}

impl ProgramHeader {
    /// Bytes of a program header.
    pub const SIZE: usize = 56;
    /// `PT_LOAD`: a part of the image.
    pub const LOAD: u32 = 1;
    /// `PT_INTERP`: the path of the dynamic linker.
    pub const INTERPRETER: u32 = 3;
    /// `PT_NOTE`.
    pub const NOTE: u32 = 4;
    /// `PT_GNU_EH_FRAME`: the index of unwinding rules (Linux Standard Base, "Program Header").
    const UNWIND_INDEX: u32 = 0x6474_e550;
    /// `PF_X`
    const EXECUTABLE: u32 = 1;

    /// The header in these bytes.
    pub fn read(header: &[u8]) -> Option<Self> {
        Some(Self {
            kind: u32_at(header, 0)?,
            flags: u32_at(header, 4)?,
            offset: u64_at(header, 8)?,
            address: u64_at(header, 16)?,
            length: u64_at(header, 32)?,
        })
    }

    /// True for a segment of code.
    pub fn is_code(&self) -> bool {
        self.kind == Self::LOAD && self.flags & Self::EXECUTABLE != 0
    }

    fn holds(&self, address: u64) -> bool {
        address.checked_sub(self.address).is_some_and(|at| at < self.length)
    }
}

/// The header of a file that has program headers: `e_phoff` is 0 in a file without any.
fn with_program_headers(file: &[u8]) -> Option<Header> {
    Header::read(file).filter(|header| header.program_headers != 0)
}

/// The bytes of the file's program headers.
pub fn program_headers_bytes(file: &[u8]) -> Option<&[u8]> {
    let header = with_program_headers(file)?;
    if usize::from(header.program_header_size) != ProgramHeader::SIZE {
        return None;
    }
    let length = usize::from(header.program_header_count).checked_mul(ProgramHeader::SIZE)?;
    bytes(file, usize::try_from(header.program_headers).ok()?, length)
}

/// The program headers of a file, as many as the bytes contain.
pub fn program_headers(file: &[u8]) -> impl Iterator<Item = ProgramHeader> + Clone {
    let header = with_program_headers(file);
    let table = header.and_then(|header| file.get(usize::try_from(header.program_headers).ok()?..)).unwrap_or_default();
    let (size, count) = header.map_or((0, 0), |it| (it.program_header_size.into(), it.program_header_count.into()));
    table.chunks_exact(ProgramHeader::SIZE.max(size)).take(count).filter_map(ProgramHeader::read)
}

/// The load bias of an image whose code from file offset `offset` on is mapped at `start`: the number to be added to
/// the file's addresses.
pub fn bias(headers: impl Iterator<Item = ProgramHeader> + Clone, offset: u64, start: u64) -> Option<u64> {
    let code = headers.filter(ProgramHeader::is_code);
    let pages = |it: &ProgramHeader, size: u64| it.offset & !(size - 1)..it.offset.saturating_add(it.length.max(1));
    let found = PAGES.iter().find_map(|size| code.clone().find(|it| pages(it, *size).contains(&offset)))?;
    // Both start at page boundaries.
    Some(start.wrapping_sub(offset).wrapping_sub(found.address.wrapping_sub(found.offset)))
}

/// The address of the index of unwinding rules (`.eh_frame_hdr`), and the segment that contains it.
pub fn unwind_index(mut headers: impl Iterator<Item = ProgramHeader> + Clone) -> Option<(u64, ProgramHeader)> {
    let index = headers.clone().find(|it| it.kind == ProgramHeader::UNWIND_INDEX)?.address;
    Some((index, headers.find(|it| it.kind == ProgramHeader::LOAD && it.holds(index))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_has_code_and_rules_and_any_prefix_of_it_is_read_without_a_panic() {
        // Through the link: valgrind opens itself as `/proc/self/exe`.
        let image = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let (at, segment) = unwind_index(program_headers(&image)).unwrap();
        assert!(segment.holds(at));
        let code = program_headers(&image).find(ProgramHeader::is_code).unwrap();
        for page in PAGES {
            let offset = code.offset & !(page - 1);
            let start = 0x1000_0000 + code.address - (code.offset - offset);
            assert_eq!(bias(program_headers(&image), offset, start), Some(0x1000_0000), "{page}");
        }
        for length in 0..1024 {
            program_headers(&image[..length]).count();
            _ = program_headers_bytes(&image[..length]);
        }
    }

    #[test]
    fn damaged_headers_are_read_without_a_panic() {
        let image = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        for place in 0..Header::SIZE + 4 * ProgramHeader::SIZE {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = [0; 1024];
                damaged.copy_from_slice(&image[..1024]);
                damaged[place] = value;
                _ = program_headers_bytes(&damaged);
                _ = unwind_index(program_headers(&damaged));
                _ = bias(program_headers(&damaged), 4096, 4096);
            }
        }
    }
}
