//! Functions in a file's symbol table (gABI, "Sections", "Symbol Table").

use super::fields::{bytes, size_at, u16_at, u32_at};
use super::header::Header;

const SECTION_HEADER: usize = 64;
const SYMBOL: usize = 24;

/// `SHT_SYMTAB`
const SYMBOL_TABLE: u32 = 2;
/// `STT_FUNC`
const FUNCTION: u8 = 2;
/// `STB_GLOBAL` and `STB_WEAK`
const VISIBLE: [u8; 2] = [1, 2];
/// `SHN_UNDEF`, and the first of the numbers that don't denote a section.
const UNDEFINED: u16 = 0;
const RESERVED: u16 = 0xff00;

/// The value of the symbol of this name, if it is a function that the file defines, and that other files can see.
pub fn function(file: &[u8], name: &[u8]) -> Option<usize> {
    let header = Header::read(file)?;
    let start = usize::try_from(header.section_headers).ok()?;
    if start == 0 || usize::from(header.section_header_size) != SECTION_HEADER {
        return None;
    }
    let section = |index: usize| bytes(file, start.checked_add(index.checked_mul(SECTION_HEADER)?)?, SECTION_HEADER);
    // A count too large for the header is in the first section header's size.
    let count = match header.section_header_count {
        0 => size_at(section(0)?, 32)?,
        count => count.into(),
    };
    let mut tables = (0..count).map_while(section).filter(|section| u32_at(section, 4) == Some(SYMBOL_TABLE));
    // A file has at most one (gABI, "Sections"). In a damaged file, only the first of several is searched.
    let table = tables.next()?;
    let strings = content(file, section(usize::try_from(u32_at(table, 40)?).ok()?)?)?;
    content(file, table)?.chunks_exact(SYMBOL).find_map(|symbol| value_if(symbol, strings, name))
}

fn value_if(symbol: &[u8], strings: &[u8], name: &[u8]) -> Option<usize> {
    let (kind, binding) = (symbol.get(4)? & 0xf, symbol.get(4)? >> 4);
    let section = u16_at(symbol, 6)?;
    let defined = section != UNDEFINED && section < RESERVED || section == u16::MAX;
    if kind != FUNCTION || !VISIBLE.contains(&binding) || !defined {
        return None;
    }
    let rest = strings.get(usize::try_from(u32_at(symbol, 0)?).ok()?..)?;
    let same = rest.strip_prefix(name).is_some_and(|rest| rest.first() == Some(&0));
    if same { size_at(symbol, 8) } else { None }
}

fn content<'a>(file: &'a [u8], section: &[u8]) -> Option<&'a [u8]> {
    bytes(file, size_at(section, 24)?, size_at(section, 32)?)
}

#[cfg(test)]
#[allow(clippy::disallowed_types)] // no program's thread runs this
mod tests {
    use super::*;

    /// A file with one symbol, `start`, at 0x1234: header, strings, symbols, sections.
    fn file(info: u8, section: u16) -> Vec<u8> {
        let mut file = vec![0; Header::SIZE];
        file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        file.extend(b"\0restart\0");
        let symbols = file.len();
        // Strings may share their ends.
        file.extend(3u32.to_le_bytes());
        file.extend([info, 0]);
        file.extend(section.to_le_bytes());
        file.extend(0x1234u64.to_le_bytes());
        file.extend(0u64.to_le_bytes());
        let sections = file.len();
        for (kind, offset, size, link) in [(0, 0, 0, 0), (3, Header::SIZE, 9, 0), (2, symbols, SYMBOL, 1u32)] {
            let mut header = [0; SECTION_HEADER];
            header[4..8].copy_from_slice(&u32::to_le_bytes(kind));
            header[24..32].copy_from_slice(&(offset as u64).to_le_bytes());
            header[32..40].copy_from_slice(&(size as u64).to_le_bytes());
            header[40..44].copy_from_slice(&link.to_le_bytes());
            file.extend(header);
        }
        file[40..48].copy_from_slice(&(sections as u64).to_le_bytes());
        file[58..60].copy_from_slice(&64u16.to_le_bytes());
        file[60..62].copy_from_slice(&3u16.to_le_bytes());
        file
    }

    #[test]
    fn defined_global_and_weak_functions_are_found_and_nothing_else() {
        assert_eq!(function(&file(0x12, 1), b"start"), Some(0x1234), "global");
        assert_eq!(function(&file(0x22, 1), b"start"), Some(0x1234), "weak");
        assert_eq!(function(&file(0x12, 0xffff), b"start"), Some(0x1234), "its section's number stands elsewhere");
        for (info, section, why) in [
            (0x02, 1, "local"),
            (0x11, 1, "data"),
            (0x10, 1, "of no type"),
            (0x12, 0, "undefined"),
            (0x12, 0xfff1, "absolute"),
        ] {
            assert_eq!(function(&file(info, section), b"start"), None, "{why}");
        }
        assert_eq!(function(&file(0x12, 1), b"restart"), None);
        assert_eq!(function(&file(0x12, 1), b"star"), None);
    }

    #[test]
    fn a_number_of_sections_in_the_first_one_counts() {
        let mut file = file(0x12, 1);
        let sections = size_at(&file, 40).unwrap();
        file[60..62].fill(0);
        assert_eq!(function(&file, b"start"), None);
        file[sections + 32] = 3;
        assert_eq!(function(&file, b"start"), Some(0x1234));
    }

    #[test]
    fn a_file_that_is_cut_or_damaged_anywhere_is_read_to_its_end_or_not_at_all() {
        let whole = file(0x12, 1);
        for length in 0..whole.len() {
            assert_eq!(function(&whole[..length], b"start"), None, "{length} bytes");
        }
        for place in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = whole.clone();
                damaged[place] = value;
                let _ = function(&damaged, b"start");
            }
        }
    }
}
