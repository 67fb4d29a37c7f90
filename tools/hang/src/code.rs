//! Code of a process, read from its memory: calls and their targets.

use std::collections::{BTreeSet, HashMap, HashSet};

use attach_outside::imports::Imports;
use attach_outside::unwind::{Frame, Stacks};
use system::arch::linkage_slot;

use crate::construct;
use crate::flow::{Destination, Flow};
use crate::instruction::Instruction;
use crate::registers::Registers;

/// Bytes that are read at a time.
const CHUNK: u64 = 512;
/// Maximum number of chunks that are kept.
const MAX_CHUNKS: usize = 1 << 17;
/// Maximum size of an entry of the procedure linkage table, in bytes.
const STUB: usize = 24;
/// Number of instructions, including the call, that are followed up to a call.
const BEFORE: u64 = 8;
/// Number of instructions after a call whose jumps are checked.
const AFTER: usize = 400;
/// Maximum number of instructions of a loop that waits.
const LOOP: usize = 24;
/// Maximum number of instructions of a function that are searched.
const MAX_INSTRUCTIONS: usize = 4000;

/// Reader of a process's code, with names of the functions that it calls.
#[derive(Debug, Default)]
pub struct Code {
    chunks: HashMap<u64, Option<Vec<u8>>>,
    imports: HashMap<usize, Imports>,
}

impl Code {
    /// The instruction at an address.
    pub fn instruction(&mut self, stacks: &Stacks, address: u64) -> Option<Instruction> {
        let bytes = self.bytes(stacks, address, Instruction::LONGEST)?;
        Instruction::decode(&bytes, address)
    }

    fn bytes(&mut self, stacks: &Stacks, address: u64, most: usize) -> Option<Vec<u8>> {
        let start = address - address % CHUNK;
        let rest = self.chunk(stacks, start)?.get(usize::try_from(address - start).ok()?..)?;
        let mut bytes: Vec<u8> = rest.iter().take(most).copied().collect();
        if bytes.len() < most
            && let Some(next) = self.chunk(stacks, start + CHUNK)
        {
            bytes.extend(next.iter().take(most));
        }
        Some(bytes)
    }

    fn chunk(&mut self, stacks: &Stacks, start: u64) -> Option<&Vec<u8>> {
        let read = || stacks.memory().bytes(start, usize::try_from(CHUNK).ok()?).ok();
        if self.chunks.len() >= MAX_CHUNKS {
            self.chunks.clear();
        }
        self.chunks.entry(start).or_insert_with(read).as_ref()
    }

    /// The call before an address.
    fn call_before(&mut self, stacks: &Stacks, returns_to: u64) -> Option<Instruction> {
        Instruction::call_lengths().iter().find_map(|length| {
            let call = self.instruction(stacks, returns_to.checked_sub(*length)?)?;
            (call.next == returns_to && matches!(call.flow, Flow::Call(_))).then_some(call)
        })
    }

    /// Name of the function that the call before an address has called.
    pub fn called(&mut self, stacks: &mut Stacks, returns_to: u64) -> Option<String> {
        let call = self.call_before(stacks, returns_to)?;
        self.target_name(stacks, &call)
    }

    /// Address that the call in a frame goes to, if it is known: not through an imported name.
    pub fn target(&mut self, stacks: &Stacks, frame: &Frame) -> Option<u64> {
        let call = self.call_before(stacks, frame.address + 1)?;
        let registers = self.registers_at(stacks, frame, &call);
        call.destination(&registers, stacks.memory())
    }

    /// Registers at the call in a frame. If instructions have a fixed length, those before the call are followed: they load the address
    /// that it goes to.
    fn registers_at(&mut self, stacks: &Stacks, frame: &Frame, call: &Instruction) -> Registers {
        let own = Registers::of_frame(frame);
        let Some(length) = Instruction::fixed_length() else { return own };
        let places = (2..=BEFORE).map(|number| call.next.wrapping_sub(number * length));
        let read = places.map_while(|place| self.instruction(stacks, place).filter(|it| it.flow == Flow::Next));
        let before: Vec<Instruction> = read.collect();
        let mut registers = own.clone();
        before.iter().rev().for_each(|it| it.step(&mut registers, stacks.memory()));
        // Values that the call preserves are those after these instructions.
        if registers.has_all_of(&own) { registers } else { own }
    }

    /// Registers at the call in a frame, as far as the instructions of the same block determine them.
    pub(crate) fn registers_of_call(&mut self, stacks: &Stacks, frame: &Frame) -> Option<Registers> {
        let block = self.block_before(stacks, frame.address + 1)?;
        // The frame's registers are those after the block: they were the same before as far as the block doesn't
        // change them.
        let mut before = Registers::of_frame(frame);
        loop {
            let mut registers = before.clone();
            block.iter().for_each(|it| it.step(&mut registers, stacks.memory()));
            if registers.has_all_of(&before) {
                return Some(registers);
            }
            before.keep_common(&registers);
        }
    }

    /// The instructions before a call, from the last place on to which a jump or a call leads. Code is read from the function's start,
    /// since the start of an instruction can't be determined backwards.
    fn block_before(&mut self, stacks: &Stacks, returns_to: u64) -> Option<Vec<Instruction>> {
        let mut address = stacks.function_start(returns_to - 1)?;
        let (mut listing, mut targets) = (Vec::new(), BTreeSet::new());
        while address < returns_to && listing.len() < MAX_INSTRUCTIONS {
            let instruction = self.instruction(stacks, address)?;
            if let Flow::Branch(target) | Flow::Jump(Destination::Code(target)) = instruction.flow {
                targets.insert(target);
            }
            listing.push((address, instruction));
            address = instruction.next;
        }
        // A jump back may also lead here.
        for _ in 0..AFTER {
            let Some(instruction) = self.instruction(stacks, address) else { break };
            if let Flow::Branch(target) = instruction.flow {
                targets.insert(target);
            }
            address = instruction.next;
        }
        let (place, call) = listing.pop().filter(|(_, last)| last.next == returns_to)?;
        let by_table = |(_, it): &(u64, Instruction)| it.flow == Flow::Jump(Destination::Register);
        if !matches!(call.flow, Flow::Call(_)) || listing.iter().any(by_table) {
            return None;
        }
        let mut block = Vec::new();
        let mut is_begin = targets.contains(&place);
        for (place, instruction) in listing.into_iter().rev() {
            if is_begin || instruction.flow != Flow::Next {
                break;
            }
            is_begin = targets.contains(&place);
            block.push(instruction);
        }
        block.reverse();
        Some(block)
    }

    /// Address of the word that is read by the loop containing a frame: the condition for which a thread waits
    /// without sleeping.
    pub fn tested(&mut self, stacks: &Stacks, frame: &Frame) -> Option<u64> {
        let mut open = vec![(frame.address, Registers::of_frame(frame))];
        let mut seen = HashSet::new();
        while let Some((mut address, mut registers)) = open.pop() {
            while seen.len() < LOOP && seen.insert(address) {
                let Some(instruction) = self.instruction(stacks, address) else { break };
                if let Some(tested) = instruction.tested(&registers) {
                    return Some(tested);
                }
                instruction.step(&mut registers, stacks.memory());
                address = match instruction.flow {
                    Flow::Next => instruction.next,
                    Flow::Jump(Destination::Code(target)) => target,
                    // A branch back belongs to the loop.
                    Flow::Branch(target) => {
                        let (first, second) = (target.min(instruction.next), target.max(instruction.next));
                        open.push((second, registers.clone()));
                        first
                    }
                    _ => break,
                };
            }
        }
        None
    }

    /// True if the call in a frame goes through a register, or a word in memory that a register points to.
    pub fn is_indirect(&mut self, stacks: &Stacks, frame: &Frame) -> bool {
        let call = self.call_before(stacks, frame.address + 1);
        call.is_some_and(|call| call.flow == Flow::Call(Destination::Register))
    }

    /// Name of the runtime's entry that a function jumps to at its end. `None` if there is none, or several.
    pub fn jumps_to(&mut self, stacks: &mut Stacks, function: u64) -> Option<String> {
        let mut open = vec![function];
        let mut seen = HashSet::new();
        let mut found = BTreeSet::new();
        while let Some(mut address) = open.pop() {
            while seen.len() < MAX_INSTRUCTIONS && seen.insert(address) {
                let Some(instruction) = self.instruction(stacks, address) else { break };
                address = instruction.next;
                match instruction.flow {
                    Flow::Branch(target) => open.push(target),
                    Flow::Jump(destination) => {
                        match (
                            self.target_name(stacks, &instruction).filter(|it| construct::of(it).is_some()),
                            destination,
                        ) {
                            (Some(name), _) => {
                                found.insert(name);
                                break;
                            }
                            (None, Destination::Code(target)) => address = target,
                            (None, _) => break,
                        }
                    }
                    Flow::Next | Flow::Call(_) => {}
                    Flow::Return | Flow::Stop => break,
                }
            }
        }
        let name = found.pop_first();
        name.filter(|_| found.is_empty())
    }

    /// Name of the function that a call, or a jump out of a function, goes to. `None` if it isn't imported or
    /// exported.
    pub fn target_name(&mut self, stacks: &mut Stacks, instruction: &Instruction) -> Option<String> {
        let (Flow::Call(destination) | Flow::Jump(destination)) = instruction.flow else { return None };
        match destination {
            Destination::Word(word) => self.target_of_word(stacks, word),
            Destination::Code(target) => self.stub_name(stacks, target).or_else(|| stacks.exported(target)),
            Destination::Register => None,
        }
    }

    /// Name for an entry of the procedure linkage table, which is a jump through a word.
    fn stub_name(&mut self, stacks: &mut Stacks, target: u64) -> Option<String> {
        let bytes = self.bytes(stacks, target, STUB)?;
        let word = linkage_slot(&bytes, usize::try_from(target).ok()?)?;
        self.target_of_word(stacks, word as u64)
    }

    /// Name of the function whose address is in a word: by the relocation, since the linker may not have filled it in
    /// yet.
    fn target_of_word(&mut self, stacks: &mut Stacks, word: u64) -> Option<String> {
        let object = stacks.object_of(word)?;
        let imports = self.imports.entry(object).or_insert_with(|| stacks.imports(object));
        imports.name(word).or_else(|| {
            let target = stacks.memory().word(word)?;
            stacks.exported(target)
        })
    }
}
