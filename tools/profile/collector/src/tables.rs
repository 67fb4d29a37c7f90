//! One step of a walk by arbitrary unwind tables: the entry for the fuzzer.

use crate::memory::{Memory, Piece};
use crate::module::Rules;
use crate::registers::{Frame, Registers};
use crate::unwind_rule::{self, Context, Failure, Step};

/// A segment with `.eh_frame_hdr` and `.eh_frame`.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'a> {
    /// Address of the segment.
    pub address: u64,
    /// Bytes of the segment.
    pub bytes: &'a [u8],
    /// The address of `.eh_frame_hdr`.
    pub index: u64,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// The caller's instruction pointer, stack pointer and frame pointer; true if a signal has interrupted it there.
    Frame([u64; 3], bool),
    /// The frame is the outermost: it does not have a caller.
    First,
    /// No rule applies.
    NoRule,
    /// The stack can't be read.
    Unreadable,
}

impl From<Step> for Caller {
    fn from(step: Step) -> Self {
        match step {
            Step::Caller { frame: Frame { ip, sp, bp }, interrupted, .. } => Self::Frame([ip, sp, bp], interrupted),
            Step::First => Self::First,
            Step::NoRule | Step::NeedsRegister => Self::NoRule,
            Step::Unreadable => Self::Unreadable,
        }
    }
}

/// Unwinds one step from a frame, given by its stack and frame pointer, whose code is at `address`. Also unwinds a
/// later frame at the same address by the cached rule, if there is one. `stack` is the thread's stack.
pub fn caller(
    tables: Tables<'_>,
    address: u64,
    [sp, bp]: [u64; 2],
    later: [u64; 2],
    stack: &[u64],
) -> (Caller, Option<Caller>) {
    let range = stack.as_ptr_range();
    let range = (range.start.expose_provenance() as u64, range.end.expose_provenance() as u64);
    let mut piece = Piece::EMPTY;
    let mut memory = Memory::new(range, sp, &mut piece);
    let frame = Frame { ip: address, sp, bp };
    let Tables { address: segment, bytes, index } = tables;
    let rules = Rules { address: segment, bytes, index };
    match unwind_rule::evaluate(rules, address, &Registers::of(frame), None, &mut Context::new_in(), &mut memory) {
        Ok((step, simple)) => {
            let [sp, bp] = later;
            let later = Frame { ip: address, sp, bp };
            (step.into(), simple.map(|simple| simple.apply(later, &mut memory).into()))
        }
        Err(Failure::NoRule | Failure::NeedsRegister) => (Caller::NoRule, None),
        Err(Failure::Unreadable) => (Caller::Unreadable, None),
    }
}
