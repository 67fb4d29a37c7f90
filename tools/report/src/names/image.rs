//! Code sections of a file, by address.

use object::{Object, ObjectKind, ObjectSection, SectionKind};

/// The sections of code and their load addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct Image {
    sections: Vec<(u64, Vec<u8>)>,
    /// True if the file isn't relocated, so that instructions may contain absolute addresses.
    pub(super) fixed: bool,
}

impl Image {
    pub(super) fn of<'data>(object: &impl Object<'data>) -> Self {
        let code = object.sections().filter(|section| section.kind() == SectionKind::Text);
        let sections = code.filter_map(|section| Some((section.address(), section.data().ok()?.to_vec())));
        Self { sections: sections.collect(), fixed: object.kind() == ObjectKind::Executable }
    }

    #[cfg(test)]
    pub(super) fn new(address: u64, code: &[u8]) -> Self {
        Self { sections: vec![(address, code.to_vec())], fixed: true }
    }

    pub(super) fn sections(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.sections.iter().map(|(address, code)| (*address, code.as_slice()))
    }

    /// Bytes from an address to the end of its section.
    pub(super) fn from(&self, address: u64) -> &[u8] {
        let within = |(start, code): &(u64, Vec<u8>)| {
            let offset = usize::try_from(address.checked_sub(*start)?).ok()?;
            Some((offset, code.len())).filter(|(offset, length)| offset < length)?;
            Some(offset)
        };
        let found = self.sections.iter().find_map(|section| Some((within(section)?, &section.1)));
        found.and_then(|(offset, code)| code.get(offset..)).unwrap_or_default()
    }
}
