//! Code that makes no progress in a call: sections that were open when exit() was called, and loops that poll.

use super::{Observer, Raw};
use crate::construct::{self, Construct};
use crate::flow::Flow;
use crate::model::{Frame, Held, Part, Resource, ResourceKind, Thread};
use crate::registers::Registers;

/// Maximum number of instructions of a function that are searched.
const MAX_INSTRUCTIONS: usize = 4_000;
/// Bytes around a place within which a loop that polls has its call.
const NEAR: u64 = 256;

impl Observer {
    /// The awaited section, if the function that called exit() had entered it before. The code after the call does not show that, since
    /// exit() does not return.
    pub(super) fn held_at_exit(&mut self, thread: &Thread, raw: &Raw, awaited: &Resource) -> Option<Held> {
        let exit = thread.exit_frame()?;
        let outer = thread.stack.iter().skip(exit).position(|frame| frame.part == Part::Program)? + exit;
        let end = raw.stack.frames.get(outer)?.address;
        let mut open: Vec<((ResourceKind, Option<u64>), u64)> = Vec::new();
        let mut registers = Registers::default();
        let mut address = self.stacks.function_start(end)?;
        for _ in 0..MAX_INSTRUCTIONS {
            if address >= end {
                break;
            }
            let instruction = self.code.instruction(&self.stacks, address)?;
            if let Flow::Call(_) = instruction.flow
                && let Some(name) = self.code.target_name(&mut self.stacks, &instruction)
            {
                let lock = construct::own_lock(&name, |place| registers.argument(place));
                match construct::of(&name) {
                    Some(Construct::Acquire(kind)) if instruction.next <= end => open.push(((kind, lock), address)),
                    Some(Construct::Release(kind)) => {
                        open.iter().rposition(|(it, _)| *it == (kind, lock)).map(|at| open.remove(at));
                    }
                    _ => {}
                }
            }
            instruction.step(&mut registers, self.stacks.memory());
            address = instruction.next;
        }
        let call = open.iter().find(|(it, _)| *it == (awaited.kind, awaited.address)).map(|(_, call)| *call)?;
        let function = self.function_with(call);
        let held = Held { resource: awaited.clone(), frame: outer, call: Some(call), function, is_certain: true };
        awaited.address.is_some().then_some(held)
    }

    /// The frame of a thread that is awake in a task, near a call of libgomp's taskyield.
    pub(super) fn polls(&mut self, thread: &Thread, raw: &Raw) -> Option<usize> {
        if !self.is_gnu() || thread.asleep || !thread.executes_task() {
            return None;
        }
        // Its entry in the linkage table also belongs to the program.
        let is_entry = |frame: &Frame| frame.names.iter().any(|name| name.function.starts_with("GOMP_taskyield"));
        let is_code = |frame: &Frame| frame.part == Part::Program && !is_entry(frame);
        let number = thread.stack.iter().position(is_code)?;
        let place = raw.stack.frames.get(number)?.address;
        self.is_near_taskyield(place).then_some(number)
    }

    fn is_near_taskyield(&mut self, place: u64) -> bool {
        let Some(mut address) = self.stacks.function_start(place) else { return false };
        for _ in 0..MAX_INSTRUCTIONS {
            let Some(instruction) = self.code.instruction(&self.stacks, address) else { return false };
            if address > place.saturating_add(NEAR) {
                return false;
            }
            if matches!(instruction.flow, Flow::Call(_))
                && address.abs_diff(place) < NEAR
                && self.code.target_name(&mut self.stacks, &instruction).as_deref() == Some("GOMP_taskyield")
            {
                return true;
            }
            address = instruction.next;
        }
        false
    }
}
