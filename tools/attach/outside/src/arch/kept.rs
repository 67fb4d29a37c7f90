//! Callee-saved registers in each frame of a stack: from the places where the callees have saved them (DWARF 5, 6.4).

use std::sync::Arc;

use gimli::{
    BaseAddresses, EhFrame, EhFrameHdr, EndianSlice, FrameDescriptionEntry, NativeEndian, Register, RegisterRule,
    UnwindContext, UnwindContextStorage, UnwindSection, UnwindTableRow, Vendor,
};

use system::arch::SIGNS_RETURNS;

use super::KEPT;
use crate::image::UnwindSections;
use crate::stack_words::StackWords;

/// Values of the callee-saved registers, in the order of [`KEPT`], as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept(pub [Option<u64>; KEPT.len()]);

impl Kept {
    /// Value of a register, by its number in debug information.
    pub fn get(&self, number: u16) -> Option<u64> {
        let place = KEPT.iter().position(|known| *known == number)?;
        self.0.get(place).copied().flatten()
    }
}

/// Unwinding rules of an object.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    index: (u64, Arc<[u8]>),
    rules: (u64, Arc<[u8]>),
}

/// Bytes of a section.
type Slice<'a> = EndianSlice<'a, NativeEndian>;

/// Fixed storage for a row of the rules.
#[derive(Debug)]
pub(crate) struct Storage;

impl UnwindContextStorage<usize> for Storage {
    type Rules = [(Register, RegisterRule<usize>); 24];
    type Stack = [UnwindTableRow<usize, Self>; 4];
}

impl Rules {
    pub(crate) fn new(sections: &UnwindSections) -> Self {
        Self { index: sections.index.clone(), rules: sections.rules.clone() }
    }

    /// Registers of the caller of a frame. `frame_address`: the canonical frame address, which is the caller's stack pointer.
    pub(crate) fn caller(&self, words: &StackWords, address: u64, frame_address: u64, own: Kept) -> Kept {
        let mut caller = own;
        let Some(row) = self.row(address) else { return Kept::default() };
        for (slot, number) in caller.0.iter_mut().zip(KEPT) {
            *slot = match row.register(Register(number)) {
                Some(RegisterRule::Offset(distance)) => words.word(frame_address.wrapping_add_signed(distance)),
                // Registers without a rule have not been changed.
                Some(RegisterRule::SameValue | RegisterRule::Undefined) | None => *slot,
                Some(_) => None,
            };
        }
        caller
    }

    /// The rules for an address.
    pub(crate) fn row(&self, address: u64) -> Option<UnwindTableRow<usize, Storage>> {
        let mut context = UnwindContext::<usize, Storage>::new_in();
        self.with_part(address, |part, rules, bases| {
            part.unwind_info_for_address(rules, bases, &mut context, address).ok().cloned()
        })
    }

    /// First address of the function, or of the part of a function, that contains an address.
    pub(crate) fn start(&self, address: u64) -> Option<u64> {
        self.with_part(address, |part, _, _| Some(part.initial_address()))
    }

    /// Calls a function with the description of the function that contains an address.
    fn with_part<T>(
        &self,
        address: u64,
        look: impl FnOnce(&FrameDescriptionEntry<Slice<'_>>, &EhFrame<Slice<'_>>, &BaseAddresses) -> Option<T>,
    ) -> Option<T> {
        let bases = BaseAddresses::default().set_eh_frame_hdr(self.index.0).set_eh_frame(self.rules.0);
        let index = EhFrameHdr::new(&self.index.1, NativeEndian).parse(&bases, 8).ok()?;
        let mut rules = EhFrame::new(&self.rules.1, NativeEndian);
        if SIGNS_RETURNS {
            // Needed for the rule by which functions state that they have signed their return address.
            rules.set_vendor(Vendor::AArch64);
        }
        let table = index.table()?;
        let part = table.fde_for_address(&rules, &bases, address, EhFrame::<Slice<'_>>::cie_from_offset).ok()?;
        look(&part, &rules, &bases)
    }
}
