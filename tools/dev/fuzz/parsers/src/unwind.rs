//! Checks of unwinding (`.eh_frame_hdr`, `.eh_frame`) as in the stack walks of `ora profile`, against a linear search of the index and
//! plain rules.

use crate::input::Input;
use crate::lone_stack::{WORDS, stack};
use gimli::{
    BaseAddresses, CfaRule, EhFrame, NativeEndian, Register, RegisterRule, UnwindContext, UnwindContextStorage,
    UnwindSection, UnwindTableRow,
};
use profile_collector::tables::{Caller, Tables, caller};
use system::arch::{FRAME_POINTER, RETURN_ADDRESS, STACK_POINTER};

/// Address of the tables.
const SEGMENT: u64 = 0x1_0000;
const FP: Register = Register(FRAME_POINTER);
const SP: Register = Register(STACK_POINTER);
const RETURN: Register = Register(RETURN_ADDRESS);

pub(crate) fn check(file: &[u8]) {
    let mut input = Input(file);
    let (address, index) = (u64::from(input.short()), SEGMENT + u64::from(input.short()));
    let places: [u8; 4] = [0; 4].map(|_| input.byte());
    let tables = Tables { address: SEGMENT, bytes: input.0, index };
    let stack = stack();
    let base = stack.as_ptr().expose_provenance() as u64;
    let [sp, bp, later_sp, later_bp] = places.map(|place| base + 8 * (u64::from(place) % WORDS as u64));

    let (first, remembered) = caller(tables, address, [sp, bp], [later_sp, later_bp], stack);
    if let Some(remembered) = remembered {
        let (later, _) = caller(tables, address, [later_sp, later_bp], [later_sp, later_bp], stack);
        assert_eq!(remembered, later, "the remembered rule");
    }
    if let Some(wanted) = plain(&tables, address, [sp, bp], stack) {
        assert_eq!(first, wanted);
    }
}

/// Fixed storage, as in the profiler's walk.
#[derive(Debug)]
struct Room;

impl UnwindContextStorage<usize> for Room {
    type Rules = [(Register, RegisterRule<usize>); 24];
    type Stack = [UnwindTableRow<usize, Self>; 4];
}

/// Finds the caller with the simple rules that compilers generate; `None` for other rules, or if the index is not sorted.
fn plain(tables: &Tables<'_>, address: u64, [sp, bp]: [u64; 2], stack: &[u64]) -> Option<Caller> {
    let at = |address: u64| tables.bytes.get(usize::try_from(address.checked_sub(SEGMENT)?).ok()?..);
    let number = |address: u64| Some(i32::from_le_bytes(*at(address)?.first_chunk()?));
    // Version 1, a relative pointer, a number, and a table of pairs relative to the index.
    if at(tables.index)?.first_chunk()? != &[1, 0x1b, 3, 0x3b] {
        return None;
    }
    let frames = (tables.index + 4).checked_add_signed(number(tables.index + 4)?.into())?;
    let count = u32::try_from(number(tables.index + 8)?).ok().filter(|count| (1..1000).contains(count))?;
    let row = |row: u32| tables.index + 12 + 8 * u64::from(row);
    let starts = (0..count).map(|it| tables.index.checked_add_signed(number(row(it))?.into()));
    let starts = starts.collect::<Option<Vec<_>>>().filter(|starts| starts.is_sorted_by(|a, b| a < b))?;
    let entry = (0..count).zip(&starts).rfind(|(_, start)| **start <= address).map(|(entry, _)| entry);
    // An address before the first function belongs to none, unless a damaged index starts too late.
    let entry = entry.unwrap_or(0);
    let entry = tables.index.checked_add_signed(number(row(entry) + 4)?.into())?;

    let mut section = EhFrame::new(at(frames)?, NativeEndian);
    section.set_address_size(8);
    let bases = BaseAddresses::default().set_eh_frame_hdr(tables.index).set_eh_frame(frames);
    let offset = usize::try_from(entry.checked_sub(frames)?).ok()?;
    let Ok(entry) = section.fde_from_offset(&bases, offset.into(), EhFrame::cie_from_offset) else {
        return Some(Caller::NoRule);
    };
    if !entry.contains(address) {
        return Some(Caller::NoRule);
    }
    let mut context = UnwindContext::<usize, Room>::new_in();
    let Ok(row) = entry.unwind_info_for_address(&section, &bases, &mut context, address) else {
        return Some(Caller::NoRule);
    };
    let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return None };
    let frame = match *register {
        SP => sp.checked_add_signed(*offset)?,
        FP => bp.checked_add_signed(*offset)?,
        _ => return None,
    };
    let bytes: Vec<u8> = stack.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let word = |offset: i64| {
        let at = frame.checked_add_signed(offset)?.checked_sub(stack.as_ptr().expose_provenance() as u64)?;
        Some(u64::from_ne_bytes(*bytes.get(usize::try_from(at).ok()?..)?.first_chunk()?))
    };
    let ip = match row.register(RETURN)? {
        RegisterRule::Offset(offset) => word(offset)?,
        RegisterRule::Undefined => return Some(Caller::First),
        _ => return None,
    };
    let outer = match row.register(FP) {
        None | Some(RegisterRule::SameValue) => bp,
        Some(RegisterRule::Offset(offset)) => word(offset)?,
        Some(_) => return None,
    };
    if row.register(SP).is_some() {
        return None;
    }
    let is_signal = entry.is_signal_trampoline();
    let goes_up = frame > sp || is_signal;
    Some(if goes_up { Caller::Frame([ip, frame, outer], is_signal) } else { Caller::NoRule })
}
