//! Stack walk: from a frame down to the thread's first one.

use profile_format::Cut;

use crate::frames::Stacks;
use crate::memory::Memory;
use crate::modules::{self, List};
use crate::registers::{Frame, Registers};
use crate::unwind_rule::{self, Context, Known, LINKS, Step, Words};
use ::system::arch::{CALL_PUSHES, RETURN_ADDRESS, SIGNAL_RETURN, code_address, epilogue};

/// Kind of code that the list of modules doesn't contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unlisted {
    /// Perhaps a library that was loaded just now, whose rules are not known yet.
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
                let registers = if is_first { registers } else { Registers::of(frame) };
                by_rules(&list, (address, exact), unlisted, &registers, (&mut *known, &mut *context), memory)
            }
        };
        match step {
            Step::Caller { frame: caller, .. } if caller.ip == 0 => return Cut::Whole,
            Step::Caller { frame: caller, words, interrupted } => {
                frame = caller;
                exact = interrupted;
                // All but the first are return addresses: behind the instruction that the thread was at.
                if !frames.push(frame.ip.wrapping_add(u64::from(exact)), frame.bp, words) {
                    return Cut::Deep;
                }
                frame = before.follow(frames, frame, words, memory);
            }
            Step::First => return Cut::Whole,
            Step::NoRule if list.find(frame.ip).is_none() => return Cut::UnknownCode,
            Step::NoRule => return Cut::NoRule,
            Step::Unreadable => return Cut::Unreadable,
        }
    }
}

#[cold]
fn by_rules(
    list: &List,
    (address, exact): (u64, bool),
    unlisted: Unlisted,
    registers: &Registers,
    rules: (&mut Known, &mut Context),
    memory: &mut Memory,
) -> Step {
    let module = list.find(address);
    let step = match module {
        Some(module) => unwind_rule::step((list, module), registers, address, rules, memory),
        None => Step::NoRule,
    };
    if !matches!(step, Step::NoRule) {
        return step;
    }
    if !exact && SIGNAL_RETURN.is_some() && memory.read(registers.ip()) == SIGNAL_RETURN {
        return unwind_rule::by_signal_frame(registers, memory).unwrap_or(Step::Unreadable);
    }
    // A frame pointer would lead through a library that is not listed yet, and nobody would list it.
    if module.is_none() && unlisted == Unlisted::MayBeALibrary {
        return Step::NoRule;
    }
    let ended = if exact { None } else { by_epilogue(list, registers, memory) };
    ended.unwrap_or_else(|| without_rules(list, registers, exact, memory))
}

/// Unwinds a function without rules that ends behind this call. The caller must be known code.
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

/// Unwinds code without rules, as from assemblers and just-in-time compilers: if the frame pointer has a frame's address,
/// or the function has just been entered, the caller is known code. Nothing else is trusted.
fn without_rules(list: &List, registers: &Registers, exact: bool, memory: &mut Memory) -> Step {
    let (sp, bp) = (registers.sp(), registers.bp());
    if bp >= sp
        && bp.is_multiple_of(8)
        && let Some(slot) = bp.checked_add(8)
        && let Some((outer, ip)) = memory.read(bp).zip(memory.read(slot).map(code_address))
        && (list.find(ip).is_some() && (outer > bp || outer == 0))
    {
        // Where calls leave the return address in a register, both words may lie anywhere in the frame. The caller's frame
        // ends above, and mostly where it has its own two words.
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
