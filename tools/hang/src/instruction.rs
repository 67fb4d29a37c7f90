//! Instructions of the supported processors: where they lead, and how they change registers.

use attach_outside::memory::Memory;
use system::arch::MACHINE;

use crate::flow::{Destination, Flow};
use crate::registers::Registers;
use crate::{aarch64, x86_64};

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Address of the next one.
    pub next: u64,
    /// Place to which it leads.
    pub flow: Flow,
    code: Code,
}

/// An instruction of one processor.
#[derive(Clone, Copy, Debug)]
enum Code {
    X86_64(iced_x86::Instruction),
    Aarch64(aarch64::Word),
}

impl Instruction {
    /// Maximum size of an instruction, in bytes.
    pub(crate) const LONGEST: usize = x86_64::LONGEST;

    /// The instruction of this processor at the start of the bytes.
    pub(crate) fn decode(bytes: &[u8], address: u64) -> Option<Self> {
        match MACHINE {
            "x86-64" => Self::of_x86_64(bytes, address),
            "aarch64" => Self::of_aarch64(bytes, address),
            _ => None,
        }
    }

    fn of_x86_64(bytes: &[u8], address: u64) -> Option<Self> {
        let code = x86_64::decode(bytes, address)?;
        Some(Self { next: code.next_ip(), flow: x86_64::flow(&code), code: Code::X86_64(code) })
    }

    pub(crate) fn of_aarch64(bytes: &[u8], address: u64) -> Option<Self> {
        let code = aarch64::Word::read(bytes, address)?;
        Some(Self { next: code.next(), flow: code.flow(), code: Code::Aarch64(code) })
    }

    /// Possible lengths of calls, the longest first.
    pub(crate) fn call_lengths() -> &'static [u64] {
        if MACHINE == "aarch64" { &[aarch64::BYTES] } else { &x86_64::CALLS }
    }

    /// Size of each instruction in bytes; `None` if sizes differ.
    pub(crate) fn fixed_length() -> Option<u64> {
        (MACHINE == "aarch64").then_some(aarch64::BYTES)
    }

    /// Address that a call or jump leads to with these registers; `None` if not known.
    pub(crate) fn destination(&self, registers: &Registers, memory: Memory) -> Option<u64> {
        match (self.flow, self.code) {
            (Flow::Call(Destination::Code(target)) | Flow::Jump(Destination::Code(target)), _) => Some(target),
            (Flow::Call(Destination::Word(word)) | Flow::Jump(Destination::Word(word)), _) => memory.word(word),
            (Flow::Call(_) | Flow::Jump(_), Code::X86_64(code)) => x86_64::destination(&code, registers, memory),
            (Flow::Call(_) | Flow::Jump(_), Code::Aarch64(code)) => code.destination(registers),
            _ => None,
        }
    }

    /// Executes it with these registers.
    pub(crate) fn step(&self, registers: &mut Registers, memory: Memory) {
        match self.code {
            Code::X86_64(code) => x86_64::step(&code, registers, memory),
            Code::Aarch64(code) => code.step(registers, memory),
        }
    }

    /// Outcome of its condition with these registers; `None` if not known.
    pub(crate) fn holds(&self, registers: &Registers) -> Option<bool> {
        match self.code {
            Code::X86_64(code) => x86_64::holds(code.condition_code(), registers),
            Code::Aarch64(code) => code.holds(registers),
        }
    }

    /// Its access to a thread-local variable, after the instructions `before`: the distance of the thread's block,
    /// and the offset in it.
    pub(crate) fn thread_local(&self, before: &[Self], memory: Memory) -> Option<(u64, u64)> {
        match self.code {
            Code::X86_64(code) => {
                let before = before.iter().filter_map(|it| match it.code {
                    Code::X86_64(code) => Some(code),
                    Code::Aarch64(_) => None,
                });
                x86_64::thread_local(&code, before, memory)
            }
            Code::Aarch64(code) => {
                let mut registers = Registers::default();
                before.iter().for_each(|it| it.step(&mut registers, memory));
                code.thread_local(&registers)
            }
        }
    }

    /// Address of the four-byte word that it loads, by a register and not from its frame. `None` if it loads none, or
    /// the address isn't known.
    pub(crate) fn tested(&self, registers: &Registers) -> Option<u64> {
        match self.code {
            Code::X86_64(code) => x86_64::tested(&code, registers),
            Code::Aarch64(code) => code.tested(registers),
        }
    }

    /// A constant that it adds to the register of the first argument.
    pub(crate) fn added(&self) -> Option<u64> {
        match self.code {
            Code::X86_64(code) => x86_64::added(&code),
            Code::Aarch64(code) => code.added(),
        }
    }
}
