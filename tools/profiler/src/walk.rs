//! From a frame down to the thread's first one.

use profile_data::Cut;

use crate::memory::Memory;
use crate::modules::{self, List};
use crate::registers::{Frame, Registers};
use crate::rule::{self, Context, Known, Step};

/// Most frames of a stack.
pub(crate) const DEPTH: usize = 1024;

/// A stack: where the thread was, then return addresses, and for each of those where it stands.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Frames {
    addresses: [u64; DEPTH],
    slots: [u64; DEPTH],
    count: usize,
}

impl Frames {
    fn push(&mut self, address: u64, slot: u64) -> bool {
        let place = self.addresses.get_mut(self.count).zip(self.slots.get_mut(self.count));
        let Some((address_place, slot_place)) = place else { return false };
        (*address_place, *slot_place) = (address, slot);
        self.count += 1;
        true
    }

    pub(crate) fn addresses(&self) -> &[u64] {
        self.addresses.get(..self.count).unwrap_or_default()
    }

    /// Return addresses and their places; without the first frame, which has none.
    pub(crate) fn returns(&self) -> impl Iterator<Item = (u64, u64)> + Clone {
        let slots = self.slots.get(..self.count).unwrap_or_default();
        self.addresses().iter().copied().zip(slots.iter().copied()).skip(1)
    }
}

/// Fills `frames`. Async-signal-safe: reads memory, and asks the system for what may not be there.
pub(crate) fn walk(
    registers: Registers,
    frames: &mut Frames,
    known: &mut Known,
    context: &mut Context,
    memory: &mut Memory,
) -> Cut {
    let list = modules::list();
    let (mut frame, mut exact) = (registers.frame(), true);
    frames.count = 0;
    frames.push(frame.ip, 0);
    loop {
        // A call may be the last instruction of its function.
        let address = frame.ip.wrapping_sub(u64::from(!exact));
        let step = match known.rule(address, list.number) {
            Some(rule) => rule.apply(frame, memory),
            None => {
                let is_first = frames.count == 1;
                let registers = if is_first { registers } else { Registers::of(frame) };
                by_rules(&list, (address, exact), &registers, (&mut *known, &mut *context), memory)
            }
        };
        match step {
            Step::Caller { frame: caller, .. } if caller.ip == 0 => return Cut::Whole,
            Step::Caller { frame: caller, slot, interrupted } => {
                frame = caller;
                exact = interrupted;
                // All but the first are return addresses: behind the instruction that the thread was at.
                if !frames.push(frame.ip.wrapping_add(u64::from(exact)), slot) {
                    return Cut::Deep;
                }
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
        return Step::Caller { frame: Frame { ip, sp: bp + 16, bp: outer }, slot, interrupted: false };
    }
    match memory.read(sp) {
        Some(ip) if exact && list.find(ip).is_some() => {
            Step::Caller { frame: Frame { ip, sp: sp.wrapping_add(8), bp }, slot: sp, interrupted: false }
        }
        _ => Step::NoRule,
    }
}
