//! Stack walk: from a frame to the thread's first one.

use profile_format::Cut;

use crate::frames::Stacks;
use crate::memory::Memory;
use crate::modules::{self, List};
use crate::registers::{Frame, Registers};
use crate::unwind_rule::{self, Context, Known, LINKS, Step, Words};
use ::system::arch::{CALL_PUSHES, RETURN_ADDRESS, SIGNAL_RETURN, code_address, epilogue};

/// Maximum number of frames whose registers are restored again for a rule that needs one.
const MAX_RESTORED: usize = 64;

/// Kind of code that is not in the list of modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unlisted {
    /// It may be a library that was just loaded, whose rules are not known yet.
    MayBeALibrary,
    /// Code that the process has generated.
    IsMade,
}

/// Walks the stack. Async-signal-safe: reads memory, by a system call where it may not be mapped.
pub(crate) fn walk(
    registers: Registers,
    unlisted: Unlisted,
    stacks: &mut Stacks,
    (known, context): (&mut Known, &mut Context),
    memory: &mut Memory,
) -> Cut {
    let list = modules::list();
    let (mut frame, mut exact) = (registers.frame(), true);
    let (frames, mut before) = stacks.next(list.number);
    frames.push(frame.ip, frame.bp, Words::slot(0));
    loop {
        // A call may be the last instruction of its function.
        let address = frame.ip.wrapping_sub(u64::from(!exact));
        let known_step = known.rule(address, list.number).map(|rule| rule.apply(frame, memory));
        let step = match known_step {
            Some(step) if !matches!(step, Step::NoRule) => step,
            _ => {
                let is_first = frames.addresses().len() == 1;
                let own = if is_first { registers } else { Registers::of(frame) };
                let both = (&own, &registers);
                by_rules(&list, (address, exact), unlisted, both, (&mut *known, &mut *context), memory)
            }
        };
        match step {
            Step::Caller { frame: caller, .. } if caller.ip == 0 => return Cut::Whole,
            Step::Caller { frame: caller, words, interrupted } => {
                frame = caller;
                exact = interrupted;
                // All but the first are return addresses: after the instruction that the thread was at.
                if !frames.push(frame.ip.wrapping_add(u64::from(exact)), frame.bp, words) {
                    return Cut::Deep;
                }
                frame = before.follow(frames, frame, words, memory);
            }
            Step::First => return Cut::Whole,
            Step::NoRule if list.find(frame.ip).is_none() => return Cut::UnknownCode,
            Step::NoRule | Step::NeedsRegister => return Cut::NoRule,
            Step::Unreadable => return Cut::Unreadable,
        }
    }
}

/// Unwinds one step from a frame. `innermost`: the registers at the walk's start.
#[cold]
fn by_rules(
    list: &List,
    (address, exact): (u64, bool),
    unlisted: Unlisted,
    (registers, innermost): (&Registers, &Registers),
    (known, context): (&mut Known, &mut Context),
    memory: &mut Memory,
) -> Step {
    let module = list.find(address);
    let mut step = Step::NoRule;
    if let Some(module) = module {
        step = unwind_rule::step((list, module), registers, address, (&mut *known, &mut *context), memory);
        if matches!(step, Step::NeedsRegister)
            && let Some(restored) = restored(list, innermost, registers.frame(), context, memory)
        {
            step = unwind_rule::step((list, module), &restored, address, (known, context), memory);
        }
    }
    if !matches!(step, Step::NoRule | Step::NeedsRegister) {
        return step;
    }
    if !exact && SIGNAL_RETURN.is_some() && memory.read(registers.ip()) == SIGNAL_RETURN {
        return unwind_rule::by_signal_frame(registers, memory).unwrap_or(Step::Unreadable);
    }
    // A frame pointer would lead through a library that is not listed yet, and then it would never be listed.
    if module.is_none() && unlisted == Unlisted::MayBeALibrary {
        return Step::NoRule;
    }
    let ended = if exact { None } else { by_epilogue(list, registers, memory) };
    ended.unwrap_or_else(|| without_rules(list, registers, exact, memory))
}

/// The registers of a frame, with those that the frames below it have saved: another walk from the innermost one. The dynamic linker's
/// entry for lazy binding, for instance, finds its frame by rbx.
fn restored(
    list: &List,
    innermost: &Registers,
    frame: Frame,
    context: &mut Context,
    memory: &mut Memory,
) -> Option<Registers> {
    let (mut registers, mut below) = (*innermost, 0);
    for _ in 0..MAX_RESTORED {
        if registers.sp() == frame.sp && registers.ip() == frame.ip {
            return Some(registers);
        }
        // A call may be the last instruction of its function.
        let address = registers.ip().wrapping_sub(below);
        registers = unwind_rule::saved(list.find(address)?, &registers, address, context, memory)?;
        below = 1;
    }
    None
}

/// Unwinds a function without rules that ends after this call. The caller must be known code.
fn by_epilogue(list: &List, registers: &Registers, memory: &mut Memory) -> Option<Step> {
    let (sp, bp) = (registers.sp(), registers.bp());
    let end = epilogue(memory.read(registers.frame().ip)?)?;
    let slot = sp.checked_add(end.slot)?;
    let ip = memory.read(slot).map(code_address).filter(|ip| list.find(*ip).is_some())?;
    let outer = if end.pops { memory.read(sp)? } else { bp };
    let words = Words { slot, bp: if end.pops { sp } else { 0 } };
    let frame = Frame { ip, sp: sp.wrapping_add(end.room), bp: outer };
    Some(Step::Caller { frame, words, interrupted: false })
}

/// Unwinds code without rules, as generated by assemblers and just-in-time compilers: if the frame pointer has a frame's
/// address, or the function has just been entered, the caller is known code. Nothing else is trusted.
fn without_rules(list: &List, registers: &Registers, exact: bool, memory: &mut Memory) -> Step {
    let (sp, bp) = (registers.sp(), registers.bp());
    if bp >= sp
        && bp.is_multiple_of(8)
        && let Some(slot) = bp.checked_add(8)
        && let Some((outer, ip)) = memory.read(bp).zip(memory.read(slot).map(code_address))
        && (list.find(ip).is_some() && (outer > bp || outer == 0))
    {
        // If calls leave the return address in a register, both words may be anywhere in the frame. The caller's frame
        // ends above, usually where it has its own two words.
        let end = if LINKS { outer.max(bp + 16) } else { bp + 16 };
        let frame = Frame { ip, sp: end, bp: outer };
        return Step::Caller { frame, words: Words::slot(slot), interrupted: false };
    }
    let entered = if LINKS { registers.get(RETURN_ADDRESS) } else { memory.read(sp) };
    match entered {
        Some(ip) if exact && list.find(ip).is_some() => {
            let frame = Frame { ip, sp: sp.wrapping_add(CALL_PUSHES), bp };
            Step::Caller { frame, words: Words::slot(if LINKS { 0 } else { sp }), interrupted: false }
        }
        _ => Step::NoRule,
    }
}
