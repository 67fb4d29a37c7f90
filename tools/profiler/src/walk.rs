//! From a frame down to the thread's first one.

use profile_data::Cut;

use crate::memory::Memory;
use crate::modules::{self, List};
use crate::registers::Registers;
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
    mut registers: Registers,
    frames: &mut Frames,
    known: &mut Known,
    context: &mut Context,
    memory: &mut Memory,
) -> Cut {
    let list = modules::list();
    frames.count = 0;
    frames.push(registers.ip(), 0);
    let mut exact = true;
    loop {
        let step = match list.find(registers.ip().wrapping_sub(u64::from(!exact))) {
            Some(module) => rule::step((&list, module), &registers, exact, (&mut *known, &mut *context), memory),
            None => Step::NoRule,
        };
        let step = match step {
            Step::NoRule => by_frame_pointer(&list, &registers, exact, memory),
            other => other,
        };
        match step {
            Step::Caller { registers: caller, .. } if caller.ip() == 0 => return Cut::Whole,
            Step::Caller { registers: caller, slot, interrupted } => {
                registers = caller;
                exact = interrupted;
                // All but the first are return addresses: behind the instruction that the thread was at.
                if !frames.push(registers.ip().wrapping_add(u64::from(exact)), slot) {
                    return Cut::Deep;
                }
            }
            Step::First => return Cut::Whole,
            Step::NoRule if list.find(registers.ip()).is_none() => return Cut::UnknownCode,
            Step::NoRule => return Cut::NoRule,
            Step::Unreadable => return Cut::Unreadable,
        }
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
        return Step::Caller { registers: Registers::of(ip, bp + 16, outer), slot, interrupted: false };
    }
    match memory.read(sp) {
        Some(ip) if exact && list.find(ip).is_some() => {
            Step::Caller { registers: Registers::of(ip, sp.wrapping_add(8), bp), slot: sp, interrupted: false }
        }
        _ => Step::NoRule,
    }
}
