//! Unwinding by DWARF call frame information: a step from a frame to its caller (DWARF 5, section 6.4; LSB,
//! ".eh_frame").

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EhFrameOffset, EndianSlice, NativeEndian, Register, RegisterRule,
    UnwindContext, UnwindContextStorage, UnwindSection, UnwindTableRow, Vendor,
};

use crate::dwarf_expression;
use crate::memory::Memory;
use crate::module::{Module, Rules};
use crate::modules::List;
use crate::registers::{Frame, Registers};
use ::system::arch::{
    CALL_PUSHES, CALLEE_SAVED, FRAME_POINTER, RETURN_ADDRESS, SIGNAL_FRAME, SIGNS_RETURNS, STACK_POINTER, code_address,
};

type Bytes<'a> = EndianSlice<'a, NativeEndian>;
type Row = UnwindTableRow<usize, Storage>;

const FP: Register = Register(FRAME_POINTER);
const SP: Register = Register(STACK_POINTER);
/// True if a call leaves the return address in a register, and the called function stores it.
pub(crate) const LINKS: bool = CALL_PUSHES == 0;
const ROWS: usize = 1024;

/// Fixed storage for a row of the rules: all registers of a signal's frame, and what `remember_state` saves.
#[derive(Debug)]
pub(crate) struct Storage;

impl UnwindContextStorage<usize> for Storage {
    type Rules = [(Register, RegisterRule<usize>); 24];
    type Stack = [UnwindTableRow<usize, Self>; 4];
}

/// Working memory of the evaluation of rules.
pub(crate) type Context = UnwindContext<usize, Storage>;

/// Outcome of an unwinding step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// The caller, the stack words that led to it, and true if a signal has interrupted it there.
    Caller { frame: Frame, words: Words, interrupted: bool },
    /// The frame is the outermost: it does not have a caller.
    First,
    /// No rule applies.
    NoRule,
    /// The rule needs a register that is not known for this frame.
    NeedsRegister,
    /// The stack is unreadable.
    Unreadable,
}

/// Stack addresses of the words that lead to a caller.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Words {
    /// Address of the caller's return address.
    pub(crate) slot: u64,
    /// Address of the caller's saved frame pointer; 0 if that is the callee's, and [`Words::MORE`] if more than these two
    /// words, and the code, decide.
    pub(crate) bp: u64,
}

impl Words {
    pub(crate) const MORE: u64 = 1;

    /// A return address at `slot`, found by other means than a simple rule.
    pub(crate) const fn slot(slot: u64) -> Self {
        Self { slot, bp: Self::MORE }
    }
}

/// Reason why a caller can't be found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Failure {
    NoRule,
    NeedsRegister,
    Unreadable,
}

/// A simple rule for an address: the frame's address relative to the stack or frame pointer, and the position of the
/// return address in the frame.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Simple {
    address: u64,
    list: u32,
    kind: u8,
    /// 1 if the frame pointer was saved.
    saved: u8,
    /// Offset of the return address from the frame's address.
    slot: i16,
    frame: i32,
    bp: i32,
}

const FROM_SP: u8 = 1;
const FROM_BP: u8 = 2;
const END: u8 = 3;

/// Cache of simple rules, by address. All zeros: empty.
#[derive(Debug)]
pub(crate) struct Known([Simple; ROWS]);

impl Known {
    /// Writes to each page of an empty cache. A page that is read before it is first written to costs two faults, and the second one
    /// interrupts the process's other threads (the kernel replaces its page of zeros, and each processor must forget that).
    pub(crate) fn touch(&mut self) {
        const ROWS_OF_PAGE: usize = 4096 / size_of::<Simple>();
        let (last, rest) = self.0.split_last_mut().unzip();
        let rest = rest.into_iter().flat_map(|rest| rest.iter_mut().step_by(ROWS_OF_PAGE));
        rest.chain(last).for_each(|row| row.address = 0);
    }

    /// The cached rule for an address, if it belongs to this list of modules.
    #[inline(always)]
    pub(crate) fn rule(&self, address: u64, list: u32) -> Option<&Simple> {
        self.0.get(slot(address)).filter(|rule| rule.address == address && rule.list == list)
    }

    fn remember(&mut self, rule: Simple) {
        if let Some(place) = self.0.get_mut(slot(rule.address)) {
            *place = rule;
        }
    }
}

#[inline(always)]
fn slot(address: u64) -> usize {
    #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
    let mixed = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
    mixed % ROWS
}

/// Unwinds one step from a frame in `module`, by the rules for `address`.
pub(crate) fn step(
    (list, module): (&List, &Module),
    registers: &Registers,
    address: u64,
    (known, context): (&mut Known, &mut Context),
    memory: &mut Memory,
) -> Step {
    let Some(rules) = module.rules else { return Step::NoRule };
    match evaluate(rules, address.wrapping_sub(module.bias), registers, None, context, memory) {
        Ok((step, simple)) => {
            if let Some(simple) = simple {
                known.remember(Simple { address, list: list.number, ..simple });
            }
            step
        }
        Err(Failure::NoRule) => Step::NoRule,
        Err(Failure::NeedsRegister) => Step::NeedsRegister,
        Err(Failure::Unreadable) => Step::Unreadable,
    }
}

/// The caller's registers, with those that the frame in `module`, or one that it was called from, has saved.
pub(crate) fn saved(
    module: &Module,
    registers: &Registers,
    address: u64,
    context: &mut Context,
    memory: &mut Memory,
) -> Option<Registers> {
    let mut saved = *registers;
    let address = address.wrapping_sub(module.bias);
    match evaluate(module.rules?, address, registers, Some(&mut saved), context, memory) {
        Ok((Step::Caller { interrupted: false, .. }, _)) => Some(saved),
        _ => None,
    }
}

impl Simple {
    /// Unwinds one step. Callers' frames are at higher addresses, as with the rules themselves.
    #[inline(always)]
    pub(crate) fn apply(&self, of: Frame, memory: &mut Memory) -> Step {
        let base = match self.kind {
            FROM_SP => of.sp,
            FROM_BP => of.bp,
            _ => return Step::First,
        };
        let sp = base.wrapping_add_signed(self.frame.into());
        if sp <= of.sp {
            return Step::NoRule;
        }
        let words = self.words(sp);
        let bp = if self.saved == 0 { Some(of.bp) } else { memory.read(sp.wrapping_add_signed(self.bp.into())) };
        let Some((bp, ip)) = bp.zip(memory.read(words.slot)) else { return Step::Unreadable };
        Step::Caller { frame: Frame { ip: code_address(ip), sp, bp }, words, interrupted: false }
    }

    /// Stack words that lead to a caller whose stack pointer is `sp`.
    #[inline(always)]
    fn words(&self, sp: u64) -> Words {
        if LINKS {
            // The return address does not end the frame: the two words don't determine the caller's stack pointer.
            return Words::slot(sp.wrapping_add_signed(self.slot.into()));
        }
        let bp = if self.saved == 0 { 0 } else { sp.wrapping_add_signed(self.bp.into()) };
        Words { slot: sp.wrapping_add_signed(self.slot.into()), bp }
    }
}

/// Unwinds one step by the rules alone, for an address in the file. Also returns the equivalent simple rule, if there
/// is one. `saved` gets the registers of a caller that was not interrupted, as far as they are known.
pub(crate) fn evaluate(
    rules: Rules<'_>,
    address: u64,
    registers: &Registers,
    saved: Option<&mut Registers>,
    context: &mut Context,
    memory: &mut Memory,
) -> Result<(Step, Option<Simple>), Failure> {
    let found = row(rules, address, context).ok_or(Failure::NoRule)?;
    let Found { row, frames, encoding, signal } = found;
    if signal && let Some(step) = by_signal_frame(registers, memory) {
        return Ok((step, None));
    }
    let address_by = |expression: gimli::UnwindExpression<usize>, memory: &mut Memory| {
        let bytes = expression.get(&frames).ok()?;
        dwarf_expression::value(bytes, encoding, registers, None, memory)
    };
    let frame = match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => {
            registers.get(register.0).ok_or(Failure::NeedsRegister)?.wrapping_add_signed(*offset)
        }
        CfaRule::Expression(expression) => address_by(*expression, memory).ok_or(Failure::NoRule)?,
    };
    let value = |register: Register, memory: &mut Memory| -> Result<Option<(u64, u64)>, Failure> {
        let place = match row.register(register) {
            Some(RegisterRule::Offset(offset)) => frame.wrapping_add_signed(offset),
            Some(RegisterRule::Expression(expression)) => {
                let bytes = expression.get(&frames).map_err(|_| Failure::NoRule)?;
                dwarf_expression::value(bytes, encoding, registers, Some(frame), memory).ok_or(Failure::NoRule)?
            }
            Some(RegisterRule::Register(other)) => return Ok(registers.get(other.0).map(|value| (value, 0))),
            Some(RegisterRule::ValOffset(offset)) => return Ok(Some((frame.wrapping_add_signed(offset), 0))),
            Some(RegisterRule::Undefined) | None => return Ok(None),
            Some(_) => return Ok(registers.get(register.0).map(|value| (value, 0))),
        };
        memory.read(place).map(|value| Some((value, place))).ok_or(Failure::Unreadable)
    };
    if row.register(Register(RETURN_ADDRESS)) == Some(RegisterRule::Undefined) {
        return Ok((Step::First, Some(Simple { kind: END, ..EMPTY })));
    }
    let (ip, slot) = match value(Register(RETURN_ADDRESS), memory)? {
        Some(found) => found,
        // A function that has not stored it: all registers are known only for the innermost one.
        None if LINKS => (registers.get(RETURN_ADDRESS).ok_or(Failure::NoRule)?, 0),
        None => return Err(Failure::NoRule),
    };
    let bp = match row.register(FP) {
        Some(_) => value(FP, memory)?.map_or(0, |(bp, _)| bp),
        None => registers.bp(),
    };
    let sp = value(SP, memory)?.map_or(frame, |(sp, _)| sp);
    let is_above = sp > registers.sp() || LINKS && slot == 0 && sp == registers.sp();
    if !is_above && !signal {
        // Callers' frames are at higher addresses, except for handlers on alternate stacks.
        return Err(Failure::NoRule);
    }
    let simple = if signal { None } else { simple(row) };
    let words = simple.map_or(Words::slot(slot), |simple| simple.words(sp));
    let frame = Frame { ip: code_address(ip), sp, bp };
    if let Some(saved) = saved {
        *saved = Registers::of(frame);
        for number in CALLEE_SAVED {
            let value = match row.register(Register(number)) {
                None => registers.get(number),
                Some(_) => value(Register(number), memory)?.map(|(value, _)| value),
            };
            value.inspect(|value| saved.set(number, *value));
        }
    }
    Ok((Step::Caller { frame, words, interrupted: signal }, simple))
}

const EMPTY: Simple = Simple { address: 0, list: 0, kind: 0, saved: 0, slot: 0, frame: 0, bp: 0 };

fn simple(row: &Row) -> Option<Simple> {
    let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return None };
    let kind = match *register {
        SP => FROM_SP,
        FP => FROM_BP,
        _ => return None,
    };
    let (saved, bp) = match row.register(FP) {
        None | Some(RegisterRule::SameValue) => (0, 0),
        Some(RegisterRule::Offset(offset)) => (1, i32::try_from(offset).ok()?),
        Some(_) => return None,
    };
    let Some(RegisterRule::Offset(slot)) = row.register(Register(RETURN_ADDRESS)) else { return None };
    let usual = (LINKS || slot == -8) && row.register(SP).is_none();
    usual.then_some(Simple {
        kind,
        saved,
        slot: i16::try_from(slot).ok()?,
        frame: i32::try_from(*offset).ok()?,
        bp,
        ..EMPTY
    })
}

/// Unwinds a signal frame by the kernel's own layout, for use if the rules lead past the function that was
/// interrupted.
pub(crate) fn by_signal_frame(registers: &Registers, memory: &mut Memory) -> Option<Step> {
    let [ip, sp, bp] = SIGNAL_FRAME?.map(|offset| memory.read(registers.sp().wrapping_add(offset)));
    let frame = Frame { ip: ip?, sp: sp?, bp: bp? };
    Some(Step::Caller { frame, words: Words::slot(0), interrupted: true })
}

struct Found<'a, 'b> {
    row: &'b Row,
    frames: EhFrame<Bytes<'a>>,
    encoding: gimli::Encoding,
    /// True for a frame that the kernel makes for a signal handler.
    signal: bool,
}

fn row<'a, 'b>(rules: Rules<'a>, address: u64, context: &'b mut Context) -> Option<Found<'a, 'b>> {
    let bytes_at = |at: u64| rules.bytes.get(usize::try_from(at.checked_sub(rules.address)?).ok()?..);
    let bases = BaseAddresses::default().set_eh_frame_hdr(rules.index);
    let header = EhFrameHdr::new(bytes_at(rules.index)?, NativeEndian).parse(&bases, 8).ok()?;
    let begin = header.eh_frame_ptr().direct().ok()?;
    let bases = bases.set_eh_frame(begin);
    let mut frames = EhFrame::new(bytes_at(begin)?, NativeEndian);
    frames.set_address_size(8);
    if SIGNS_RETURNS {
        // Needed for the rule by which functions state that they have signed their return address.
        frames.set_vendor(Vendor::AArch64);
    }
    let table = header.table()?;
    // A damaged index leads to a place before the section.
    let place = table.lookup(address, &bases).ok()?.direct().ok()?.checked_sub(begin)?;
    let place = EhFrameOffset(usize::try_from(place).ok()?);
    let entry = frames.fde_from_offset(&bases, place, EhFrame::cie_from_offset).ok()?;
    // Damaged rules may have rows beyond their function.
    if !entry.contains(address) {
        return None;
    }
    let (encoding, signal) = (entry.cie().encoding(), entry.is_signal_trampoline());
    let row = entry.unwind_info_for_address(&frames, &bases, context, address).ok()?;
    Some(Found { row, frames, encoding, signal })
}
