//! Code sections of a file, by address.

use object::{Architecture, Object, ObjectKind, ObjectSection, SectionKind};
use system::arch::instructions::{Call, MachineCode, Move, Processor, Taken};

/// Decoder for a file's code, if there is one.
pub(super) fn processor(architecture: Architecture) -> Option<Processor> {
    match architecture {
        Architecture::X86_64 => Some(Processor::X86_64),
        Architecture::Aarch64 => Some(Processor::Aarch64),
        _ => None,
    }
}

/// The sections of code and their load addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct Image {
    /// `None` without a decoder for the file's code.
    processor: Option<Processor>,
    sections: Vec<(u64, Vec<u8>)>,
    /// True if the file isn't relocated, so that instructions may contain absolute addresses.
    is_fixed: bool,
}

impl Image {
    pub(super) fn of<'data>(object: &impl Object<'data>) -> Self {
        let code = object.sections().filter(|section| section.kind() == SectionKind::Text);
        let sections = code.filter_map(|section| Some((section.address(), section.data().ok()?.to_vec())));
        let processor = processor(object.architecture());
        Self { processor, sections: sections.collect(), is_fixed: object.kind() == ObjectKind::Executable }
    }

    #[cfg(test)]
    pub(super) fn new(processor: Processor, address: u64, code: &[u8]) -> Self {
        Self { processor: Some(processor), sections: vec![(address, code.to_vec())], is_fixed: true }
    }

    pub(super) fn sections(&self) -> impl Iterator<Item = MachineCode<'_>> {
        self.sections.iter().filter_map(|(begin, bytes)| self.code(*begin, bytes))
    }

    /// Processor of the code.
    pub(super) fn processor(&self) -> Option<Processor> {
        self.processor
    }

    /// The address that the instruction at an address loads into a register.
    pub(super) fn taken(&self, at: u64) -> Option<Taken> {
        self.section(at)?.taken(at)
    }

    /// The call or jump at an address.
    pub(super) fn call(&self, at: u64) -> Option<Call> {
        self.section(at)?.call(at)
    }

    /// The copy of a register at an address.
    pub(super) fn moved(&self, at: u64) -> Option<Move> {
        self.section(at)?.moved(at)
    }

    /// The word through which an entry of the procedure linkage table jumps.
    pub(super) fn linkage_slot(&self, at: u64) -> Option<u64> {
        self.section(at)?.linkage_slot(at)
    }

    /// The code from an address on, up to the end of its section.
    pub(super) fn bytes_at(&self, at: u64) -> Option<&[u8]> {
        let code = self.section(at)?;
        code.bytes.get(usize::try_from(at.checked_sub(code.begin)?).ok()?..)
    }

    /// Positions between two addresses at which instructions may start.
    pub(super) fn places(&self, from: u64, to: u64) -> impl DoubleEndedIterator<Item = u64> + use<> {
        let step = self.processor.map_or(1, Processor::step);
        let count = to.saturating_sub(from).div_ceil(step as u64);
        (0..count).map(move |index| from.wrapping_add(index * step as u64))
    }

    /// The section that contains an address.
    fn section(&self, address: u64) -> Option<MachineCode<'_>> {
        let has =
            |begin: u64, bytes: &[u8]| address.checked_sub(begin).is_some_and(|offset| offset < bytes.len() as u64);
        let (begin, bytes) = self.sections.iter().find(|(begin, bytes)| has(*begin, bytes))?;
        self.code(*begin, bytes)
    }

    fn code<'a>(&self, begin: u64, bytes: &'a [u8]) -> Option<MachineCode<'a>> {
        Some(MachineCode { processor: self.processor?, bytes, begin, is_fixed: self.is_fixed })
    }
}
