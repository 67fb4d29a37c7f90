//! Ranges of functions from the unwinding table, which even a stripped file has.

use addr2line::gimli::{BaseAddresses, CieOrFde, EhFrame, UnwindSection};
use object::{Object, ObjectSection};

use crate::debug_info::Section;

/// The ranges of functions in a file, by address.
#[derive(Clone, Debug, Default)]
pub(super) struct Functions(Vec<(u64, u64)>);

impl Functions {
    pub(super) fn of<'data>(object: &impl Object<'data>) -> Self {
        Self::read(object).unwrap_or_default()
    }

    fn read<'data>(object: &impl Object<'data>) -> Option<Self> {
        let address = |name: &str| object.section_by_name(name).map(|section| section.address());
        let section = object.section_by_name(".eh_frame")?;
        let frames = EhFrame::from(Section::copy(section.data().ok()?));
        let mut bases = BaseAddresses::default().set_eh_frame(section.address());
        bases = bases.set_text(address(".text").unwrap_or(0)).set_got(address(".got").unwrap_or(0));
        let mut ranges = Vec::new();
        let mut entries = frames.entries(&bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(part) = entry else { continue };
            let Ok(function) = part.parse(EhFrame::cie_from_offset) else { continue };
            let begin = function.initial_address();
            ranges.push((begin, begin.saturating_add(function.len())));
        }
        ranges.sort_unstable();
        Some(Self(ranges))
    }

    /// Start of the function around an address.
    pub(super) fn begin(&self, address: u64) -> Option<u64> {
        self.range(address).map(|(begin, _)| begin)
    }

    /// Start of the function around an address, and the address after its end.
    pub(super) fn range(&self, address: u64) -> Option<(u64, u64)> {
        let behind = self.0.partition_point(|(begin, _)| *begin <= address);
        self.0.get(behind.checked_sub(1)?).copied().filter(|(_, end)| address < *end)
    }
}

#[cfg(test)]
impl<const N: usize> From<[(u64, u64); N]> for Functions {
    fn from(ranges: [(u64, u64); N]) -> Self {
        Self(ranges.into())
    }
}
