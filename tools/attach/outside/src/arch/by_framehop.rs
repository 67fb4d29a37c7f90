//! Unwinding of a frame by `framehop`.

use std::sync::Arc;

use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, FrameAddress, Module, Unwinder as _};

use crate::arch::kept::{Kept, Rules};
use crate::image::UnwindSections;
use crate::objects::Object;
use crate::stack_words::StackWords;

/// Unwinder of this architecture.
pub(crate) struct Unwinder {
    unwinder: UnwinderX86_64<Arc<[u8]>>,
    cache: CacheX86_64,
}

/// The registers that unwinding needs.
pub type StackRegisters = UnwindRegsX86_64;

/// Registers with which unwinding starts.
pub fn stack_registers(instruction: u64, stack: u64, base: u64) -> StackRegisters {
    StackRegisters::new(instruction, stack, base)
}

/// Frame pointer.
pub fn base(registers: &StackRegisters) -> u64 {
    registers.bp()
}

impl Unwinder {
    pub(crate) fn new() -> Self {
        Self { unwinder: UnwinderX86_64::new(), cache: CacheX86_64::new() }
    }

    /// Adds an object's unwinding rules.
    pub(crate) fn learn(&mut self, object: &Object, sections: UnwindSections) {
        let range = |start: u64, bytes: &[u8]| start..start + bytes.len() as u64;
        let (index, rules) = (sections.index, sections.rules);
        // Addresses are absolute: the base is the lowest one.
        let information = ExplicitModuleSectionInfo {
            base_svma: object.start,
            eh_frame_svma: Some(range(rules.0, &rules.1)),
            eh_frame: Some(rules.1),
            eh_frame_hdr_svma: Some(range(index.0, &index.1)),
            eh_frame_hdr: Some(index.1),
            ..Default::default()
        };
        let name = object.path.display().to_string();
        self.unwinder.add_module(Module::new(name, object.start..object.end, object.start, information));
    }

    /// Goes from a frame to its caller. Returns the return address; `Ok(None)` for the outermost frame.
    pub(crate) fn caller(
        &mut self,
        at: FrameAddress,
        _: Option<&Rules>,
        _: Kept,
        registers: &mut StackRegisters,
        words: &StackWords,
    ) -> Result<Option<u64>, ()> {
        let mut read = |address: u64| words.word(address).ok_or(());
        self.unwinder.unwind_frame(at, registers, &mut self.cache, &mut read).map_err(|_| ())
    }
}
