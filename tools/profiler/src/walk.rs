//! From a frame down to the thread's first one.

use profile_data::Cut;

use crate::frames::Stacks;
use crate::memory::Memory;
use crate::modules::{self, List};
use crate::registers::{Frame, Registers};
use crate::rule::{self, Context, Known, Step, Words};

/// The next stack. Async-signal-safe: reads memory, and asks the system for what may not be there.
pub(crate) fn walk(
    registers: Registers,
    stacks: &mut Stacks,
    known: &mut Known,
    context: &mut Context,
    memory: &mut Memory,
) -> Cut {
    let list = modules::list();
    let (mut frame, mut exact) = (registers.frame(), true);
    let (frames, mut before) = stacks.next(list.number);
    frames.push(frame.ip, frame.bp, Words::slot(0));
    loop {
        // A call may be the last instruction of its function.
        let address = frame.ip.wrapping_sub(u64::from(!exact));
        let step = match known.rule(address, list.number) {
            Some(rule) => rule.apply(frame, memory),
            None => {
                let is_first = frames.addresses().len() == 1;
                let registers = if is_first { registers } else { Registers::of(frame) };
                by_rules(&list, (address, exact), &registers, (&mut *known, &mut *context), memory)
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
    registers: &Registers,
    rules: (&mut Known, &mut Context),
    memory: &mut Memory,
) -> Step {
    let step = match list.find(address) {
        Some(module) => rule::step((list, module), registers, address, rules, memory),
        None => Step::NoRule,
    };
    match step {
        Step::NoRule => by_frame_pointer(list, registers, exact, memory),
        other => other,
    }
}

/// For code without rules, as from assemblers and just-in-time compilers: where RBP has a frame's address, or the
/// function has just been entered, the caller is known code. Else nothing is believed.
fn by_frame_pointer(list: &List, registers: &Registers, exact: bool, memory: &mut Memory) -> Step {
    let (sp, bp) = (registers.sp(), registers.bp());
    if bp >= sp
        && bp.is_multiple_of(8)
        && let Some(slot) = bp.checked_add(8)
        && let Some((outer, ip)) = memory.read(bp).zip(memory.read(slot))
        && (list.find(ip).is_some() && (outer > bp || outer == 0))
    {
        let frame = Frame { ip, sp: bp + 16, bp: outer };
        return Step::Caller { frame, words: Words::slot(slot), interrupted: false };
    }
    match memory.read(sp) {
        Some(ip) if exact && list.find(ip).is_some() => {
            let frame = Frame { ip, sp: sp.wrapping_add(8), bp };
            Step::Caller { frame, words: Words::slot(sp), interrupted: false }
        }
        _ => Step::NoRule,
    }
}
