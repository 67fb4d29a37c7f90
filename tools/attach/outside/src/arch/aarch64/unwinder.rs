//! Unwinding of a frame by its rules (DWARF 5, 6.4; DWARF for the Arm 64-bit Architecture). `framehop` doesn't support the rule of
//! functions that sign their return address, as those of Debian's libraries do.

use framehop::FrameAddress;
use gimli::{AArch64, CfaRule, RegisterRule};
use system::arch::code_address;

use crate::arch::kept::{Kept, Rules};
use crate::image::UnwindSections;
use crate::objects::Object;
use crate::stack_words::StackWords;

/// Unwinder of this architecture: it only needs an object's rules.
pub(crate) struct Unwinder;

/// The registers that unwinding needs.
#[derive(Clone, Copy, Debug)]
pub struct StackRegisters {
    /// The link register; `None` if not known.
    link: Option<u64>,
    stack: u64,
    base: u64,
}

/// Registers with which unwinding starts. The return address isn't known: a function that hasn't saved it ends the
/// stack.
pub fn stack_registers(_: u64, stack: u64, base: u64) -> StackRegisters {
    StackRegisters { link: None, stack, base }
}

/// Frame pointer.
pub fn base(registers: &StackRegisters) -> u64 {
    registers.base
}

impl StackRegisters {
    pub(super) fn of_thread(link: u64, stack: u64, base: u64) -> Self {
        Self { link: Some(code_address(link)), stack, base }
    }

    /// Stack pointer.
    pub fn sp(&self) -> u64 {
        self.stack
    }
}

impl Unwinder {
    pub(crate) fn new() -> Self {
        Self
    }

    pub(crate) fn learn(&mut self, _: &Object, _: UnwindSections) {}

    /// Goes from a frame to its caller. Returns the return address; `Ok(None)` for the outermost frame.
    pub(crate) fn caller(
        &mut self,
        at: FrameAddress,
        rules: Option<&Rules>,
        kept: Kept,
        registers: &mut StackRegisters,
        words: &StackWords,
    ) -> Result<Option<u64>, ()> {
        let address = at.address_for_lookup();
        let row = rules.and_then(|rules| rules.row(address));
        let Some(row) = row else {
            // Entries of the linkage table do not have rules: they have not saved anything.
            let link = registers.link.take().filter(|_| !at.is_return_address());
            return link.map(Some).ok_or(());
        };
        let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else { return Err(()) };
        let known = match register {
            AArch64::SP => Some(registers.stack),
            AArch64::X29 => Some(registers.base),
            other => kept.get(other.0),
        };
        let frame = known.ok_or(())?.wrapping_add_signed(offset);
        let value = |rule: Option<RegisterRule<usize>>, own: Option<u64>| match rule {
            Some(RegisterRule::Offset(distance)) => words.word(frame.wrapping_add_signed(distance)),
            Some(RegisterRule::SameValue) | None => own,
            Some(RegisterRule::Register(other)) => kept.get(other.0),
            Some(_) => None,
        };
        let returns = row.register(AArch64::X30);
        if returns == Some(RegisterRule::Undefined) {
            return Ok(None);
        }
        let link = code_address(value(returns, registers.link).ok_or(())?);
        let base = value(row.register(AArch64::X29), Some(registers.base)).ok_or(())?;
        // A function lacks a frame only if it has not stored its return address; its caller has stored its own.
        if frame < registers.stack || frame == registers.stack && at.is_return_address() {
            return Err(());
        }
        *registers = StackRegisters { link: None, stack: frame, base };
        Ok(Some(link))
    }
}
