//! Code of a process, read from its memory: calls and their targets. x86-64; elsewhere nothing is known.

use std::collections::{BTreeSet, HashMap, HashSet};

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};
use remote::unwind::{Frame, Stacks};

use crate::construct;
use crate::registers::Registers;

/// Bytes that are read at a time.
const CHUNK: u64 = 512;
/// Longest instruction (Intel SDM, volume 2, 2.3.11).
const LONGEST: usize = 15;
/// Most instructions of a function that are searched.
const MOST: usize = 4000;

/// Reader of a process's code, with names of the functions that it calls.
#[derive(Debug, Default)]
pub struct Code {
    chunks: HashMap<u64, Option<Vec<u8>>>,
    imports: HashMap<usize, HashMap<u64, String>>,
}

impl Code {
    /// The instruction at an address.
    pub fn instruction(&mut self, stacks: &Stacks, address: u64) -> Option<Instruction> {
        let bytes = self.bytes(stacks, address)?;
        let mut decoder = Decoder::with_ip(64, &bytes, address, DecoderOptions::NONE);
        let instruction = decoder.decode();
        (!instruction.is_invalid()).then_some(instruction)
    }

    fn bytes(&mut self, stacks: &Stacks, address: u64) -> Option<Vec<u8>> {
        if system::arch::MACHINE != "x86-64" {
            return None;
        }
        let start = address - address % CHUNK;
        let rest = self.chunk(stacks, start)?.get(usize::try_from(address - start).ok()?..)?;
        let mut bytes: Vec<u8> = rest.iter().take(LONGEST).copied().collect();
        if bytes.len() < LONGEST
            && let Some(next) = self.chunk(stacks, start + CHUNK)
        {
            bytes.extend(next.iter().take(LONGEST));
        }
        Some(bytes)
    }

    fn chunk(&mut self, stacks: &Stacks, start: u64) -> Option<&Vec<u8>> {
        let read = || stacks.memory().bytes(start, usize::try_from(CHUNK).ok()?).ok();
        self.chunks.entry(start).or_insert_with(read).as_ref()
    }

    /// The call before an address. Longer forms first: without its first byte a call through r12 is one through rsp.
    fn call_before(&mut self, stacks: &Stacks, returns_to: u64) -> Option<Instruction> {
        const LENGTHS: [u64; 7] = [5, 8, 7, 6, 4, 3, 2];
        LENGTHS.into_iter().find_map(|length| {
            let call = self.instruction(stacks, returns_to.checked_sub(length)?)?;
            let is_call = matches!(call.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
            (call.next_ip() == returns_to && is_call).then_some(call)
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
        match (call.flow_control(), call.op0_kind()) {
            (FlowControl::Call, OpKind::NearBranch64) => Some(call.near_branch_target()),
            (FlowControl::IndirectCall, OpKind::Register) => Registers::of_frame(frame).get(call.op0_register()),
            (FlowControl::IndirectCall, OpKind::Memory) => {
                let word = Registers::of_frame(frame).address(&call)?;
                stacks.memory().word(word)
            }
            _ => None,
        }
    }

    /// True if the call in a frame goes through a register, or a word in memory that a register points to.
    pub fn is_indirect(&mut self, stacks: &Stacks, frame: &Frame) -> bool {
        let call = self.call_before(stacks, frame.address + 1);
        call.is_some_and(|call| call.flow_control() == FlowControl::IndirectCall && !call.is_ip_rel_memory_operand())
    }

    /// Name of the runtime's entry that a function jumps to at its end. `None`: there is none, or several.
    pub fn jumps_to(&mut self, stacks: &mut Stacks, function: u64) -> Option<String> {
        let mut open = vec![function];
        let mut seen = HashSet::new();
        let mut found = BTreeSet::new();
        while let Some(mut address) = open.pop() {
            while seen.len() < MOST && seen.insert(address) {
                let Some(instruction) = self.instruction(stacks, address) else { break };
                address = instruction.next_ip();
                match instruction.flow_control() {
                    FlowControl::ConditionalBranch => open.push(instruction.near_branch_target()),
                    FlowControl::UnconditionalBranch if instruction.op0_kind() == OpKind::NearBranch64 => {
                        match self.target_name(stacks, &instruction).filter(|name| construct::of(name).is_some()) {
                            Some(name) => {
                                found.insert(name);
                                break;
                            }
                            None => address = instruction.near_branch_target(),
                        }
                    }
                    FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => {}
                    FlowControl::IndirectBranch => {
                        found.extend(
                            self.target_name(stacks, &instruction).filter(|name| construct::of(name).is_some()),
                        );
                        break;
                    }
                    _ => break,
                }
            }
        }
        let name = found.pop_first();
        name.filter(|_| found.is_empty())
    }

    /// Name of the function that a call, or a jump out of a function, goes to. `None`: it isn't imported or exported.
    pub fn target_name(&mut self, stacks: &mut Stacks, instruction: &Instruction) -> Option<String> {
        if instruction.is_ip_rel_memory_operand() {
            return self.behind_word(stacks, instruction.ip_rel_memory_address());
        }
        if instruction.op0_kind() != OpKind::NearBranch64 {
            return None;
        }
        let target = instruction.near_branch_target();
        let stub = self.stub_name(stacks, target);
        stub.or_else(|| stacks.exported(target))
    }

    /// Name behind an entry of the procedure linkage table: at most a mark for indirect branches, then a jump through a word.
    fn stub_name(&mut self, stacks: &mut Stacks, target: u64) -> Option<String> {
        let first = self.instruction(stacks, target)?;
        let jump = if matches!(first.mnemonic(), Mnemonic::Endbr64 | Mnemonic::Nop) {
            self.instruction(stacks, first.next_ip())?
        } else {
            first
        };
        let is_jump = jump.flow_control() == FlowControl::IndirectBranch && jump.is_ip_rel_memory_operand();
        if is_jump { self.behind_word(stacks, jump.ip_rel_memory_address()) } else { None }
    }

    /// Name of the function whose address a word has: by the relocation, since the linker may not have filled it in yet.
    fn behind_word(&mut self, stacks: &mut Stacks, word: u64) -> Option<String> {
        let object = stacks.object_of(word)?;
        let imports = self.imports.entry(object).or_insert_with(|| stacks.imports(object));
        imports.get(&word).cloned().or_else(|| {
            let target = stacks.memory().word(word)?;
            stacks.exported(target)
        })
    }
}
