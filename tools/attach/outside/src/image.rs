//! A loaded object's headers, read from the memory of its process: unwinding rules, and the table of symbols. Foreign bytes: every
//! number is checked.

use std::sync::Arc;

use system::elf::{ProgramHeader, program_headers};

use crate::memory::Memory;
use crate::tables::Tables;

/// Maximum size of a section that is read, in bytes.
const MAX_SECTION: u64 = 256 << 20;

/// Headers of an object.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    memory: Memory,
    tables: Arc<Tables>,
    /// Offset to be added to the file's addresses.
    pub(crate) bias: u64,
    headers: Vec<ProgramHeader>,
}

/// The sections that unwinding needs.
#[derive(Debug)]
pub(crate) struct UnwindSections {
    /// Address of the index, and the index.
    pub(crate) index: (u64, Arc<[u8]>),
    /// Address of the rules, and the rules.
    pub(crate) rules: (u64, Arc<[u8]>),
}

/// Entries of the dynamic section (gABI, "Dynamic Section").
pub(crate) mod tag {
    pub(crate) const STRINGS: u64 = 5;
    pub(crate) const SYMBOLS: u64 = 6;
    pub(crate) const RELOCATIONS: u64 = 7;
    pub(crate) const RELOCATIONS_BYTES: u64 = 8;
    pub(crate) const STRINGS_BYTES: u64 = 10;
    pub(crate) const NAME: u64 = 14;
    pub(crate) const CALL_RELOCATIONS_BYTES: u64 = 2;
    pub(crate) const CALL_RELOCATIONS: u64 = 23;
    pub(crate) const GNU_HASH: u64 = 0x6fff_fef5;
}

impl Image {
    /// Reads the headers of the object whose first byte is at `start`.
    #[cfg(test)]
    pub(crate) fn read(memory: Memory, start: u64) -> Option<Self> {
        Self::read_within(memory, start, &Arc::default())
    }

    /// Like [`read`](Self::read), within the bound for a process. `None` also if that is reached.
    pub(crate) fn read_within(memory: Memory, start: u64, tables: &Arc<Tables>) -> Option<Self> {
        if !tables.open() {
            return None;
        }
        let (bias, headers) = headers(memory, start)?;
        Some(Self { memory, tables: Arc::clone(tables), bias, headers })
    }

    /// Offset that is added to the addresses of the object whose first byte is at `start`.
    pub(crate) fn bias_at(memory: Memory, start: u64) -> Option<u64> {
        headers(memory, start).map(|(bias, _)| bias)
    }

    fn segment(&self, kind: u32) -> Option<&ProgramHeader> {
        self.headers.iter().find(|header| header.kind == kind)
    }

    /// Bytes from an address to the end of the segment that contains it.
    fn rest_of_segment(&self, address: u64) -> Option<Vec<u8>> {
        let own = address.wrapping_sub(self.bias);
        let within = |it: &&ProgramHeader| it.kind == ProgramHeader::LOAD && own.wrapping_sub(it.address) < it.length;
        let segment = self.headers.iter().find(within)?;
        let length = segment.length - (own - segment.address);
        let length = usize::try_from(length.min(MAX_SECTION)).ok()?;
        self.table(address, length)
    }

    /// The rules for unwinding, with their index.
    pub(crate) fn unwind_sections(&self) -> Option<UnwindSections> {
        /// `PT_GNU_EH_FRAME`
        const INDEX: u32 = 0x6474_e550;
        /// Relative to its own address, in four bytes with a sign.
        const USUAL: u8 = 0x1b;
        let header = self.segment(INDEX)?;
        let at = self.bias.wrapping_add(header.address);
        let index = self.table(at, usize::try_from(header.length.min(MAX_SECTION)).ok()?)?;
        if *index.get(1)? != USUAL {
            return None;
        }
        let distance = i32::from_le_bytes(*index.get(4..)?.first_chunk()?);
        let rules_at = at.wrapping_add(4).wrapping_add_signed(distance.into());
        let rules = self.rest_of_segment(rules_at)?;
        Some(UnwindSections { index: (at, index.into()), rules: (rules_at, rules.into()) })
    }

    /// The entries of the dynamic section.
    pub(crate) fn dynamic(&self) -> Option<Vec<(u64, u64)>> {
        /// `PT_DYNAMIC`
        const DYNAMIC: u32 = 2;
        let header = self.segment(DYNAMIC)?;
        let length = usize::try_from(header.length.min(1 << 16)).ok()?;
        let bytes = self.table(self.bias.wrapping_add(header.address), length)?;
        let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let pairs = words.as_chunks::<2>().0.iter().map(|[tag, value]| (*tag, *value));
        Some(pairs.take_while(|(tag, _)| *tag != 0).collect())
    }

    /// An address in the dynamic section: glibc has added the bias, other libraries have not.
    pub(crate) fn resolved(&self, address: u64) -> u64 {
        let end = self.headers.iter().map(|it| it.address.saturating_add(it.length)).max().unwrap_or_default();
        if address < self.bias && address <= end { self.bias.wrapping_add(address) } else { address }
    }

    /// The name by which other objects refer to it (`DT_SONAME`).
    pub(crate) fn soname(&self) -> Option<String> {
        let dynamic = self.dynamic()?;
        let entry = |tag: u64| dynamic.iter().find(|(known, _)| *known == tag).map(|(_, value)| *value);
        let strings = self.resolved(entry(tag::STRINGS)?);
        self.memory.text(strings.wrapping_add(entry(tag::NAME)?)).filter(|name| !name.is_empty())
    }

    /// Bytes of one of its tables. `None` if they aren't mapped, or too much of the process has been read.
    pub(crate) fn table(&self, address: u64, length: usize) -> Option<Vec<u8>> {
        self.tables.bytes(self.memory, address, length)
    }

    /// Like [`Self::table`], with as many bytes as are mapped there.
    pub(crate) fn table_up_to(&self, address: u64, length: usize) -> Option<Vec<u8>> {
        self.tables.bytes_up_to(self.memory, address, length)
    }

    /// The memory that contains it.
    pub(crate) fn memory(&self) -> Memory {
        self.memory
    }
}

/// The offset that is added to an object's addresses, and its headers.
fn headers(memory: Memory, start: u64) -> Option<(u64, Vec<ProgramHeader>)> {
    let mut page = vec![0; 4096];
    let got = memory.read_some(start, &mut page).ok()?;
    page.truncate(got);
    let headers: Vec<_> = program_headers(&page).collect();
    let first = headers.iter().find(|header| header.kind == ProgramHeader::LOAD)?;
    // The first segment starts at a page boundary, with the file's first byte.
    Some((start.wrapping_sub(first.address.wrapping_sub(first.offset)), headers))
}
