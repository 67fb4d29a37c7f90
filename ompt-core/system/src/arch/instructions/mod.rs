//! Instructions that pass on a function's address, in files for any processor: `ora report` and `ora stat` find
//! outlined functions by them. Each decoder tries one address, since nothing marks where instructions of x86-64 start.

pub(super) mod aarch64;
pub(super) mod x86_64;

use crate::arch::Target;

/// A processor whose files can be read on any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// x86-64
    X86_64,
    /// 64-bit ARM
    Aarch64,
}

/// The code of a section or segment, with the address of its first byte.
#[derive(Clone, Copy, Debug)]
pub struct MachineCode<'a> {
    /// The processor that the code is for.
    pub processor: Processor,
    /// The bytes.
    pub bytes: &'a [u8],
    /// Address of the first byte.
    pub begin: u64,
    /// True if the file isn't relocated, so that instructions may contain absolute addresses.
    pub is_fixed: bool,
}

/// An instruction that loads an address into a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The register's number.
    pub register: u8,
    /// The address that it loads.
    pub address: u64,
    /// Address of the next instruction.
    pub next: u64,
}

/// A call, or a jump that replaces a call followed by a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Function that is called.
    pub target: Target,
    /// Address to which the function returns; `None` for a jump.
    pub returns: Option<u64>,
}

/// A copy of a register to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Number of the register that is read.
    pub from: u8,
    /// Number of the register that is written.
    pub to: u8,
}

impl Processor {
    /// Distance between addresses at which instructions may start, in bytes.
    pub fn step(self) -> usize {
        match self {
            Self::X86_64 => 1,
            Self::Aarch64 => 4,
        }
    }

    /// The size of the shortest direct call of a function, in bytes.
    pub fn smallest_call(self) -> usize {
        match self {
            Self::X86_64 => 5,
            Self::Aarch64 => 4,
        }
    }

    /// Number of the register that holds an argument; arguments are counted from 0.
    pub fn argument(self, index: usize) -> Option<u8> {
        match self {
            // rdi, rsi, rdx, rcx, r8, r9 (psABI, "Parameter Passing"; Intel SDM, volume 2, 3.1.1)
            Self::X86_64 => [7, 6, 2, 1, 8, 9].get(index).copied(),
            // x0 to x7 (AAPCS64, "General-purpose Registers")
            Self::Aarch64 => u8::try_from(index).ok().filter(|index| *index < 8),
        }
    }

    /// True for a register that functions preserve.
    pub fn is_preserved(self, register: u8) -> bool {
        match self {
            // rbx, rbp, r12 to r15
            Self::X86_64 => matches!(register, 3 | 5 | 12..=15),
            Self::Aarch64 => matches!(register, 19..=28),
        }
    }
}

impl<'a> MachineCode<'a> {
    /// The address that the instruction at `at` loads into a register.
    pub fn taken(&self, at: u64) -> Option<Taken> {
        let index = self.index(at)?;
        match self.processor {
            Processor::X86_64 => x86_64::taken(self.bytes.get(index..)?, at, self.is_fixed),
            Processor::Aarch64 => aarch64::taken(self.bytes, index, at),
        }
    }

    /// The call or jump at `at`.
    pub fn call(&self, at: u64) -> Option<Call> {
        let index = self.index(at)?;
        match self.processor {
            Processor::X86_64 => x86_64::call(self.bytes.get(index..)?, at),
            Processor::Aarch64 => aarch64::call(self.bytes, index, at),
        }
    }

    /// The copy of a register at `at`.
    pub fn moved(&self, at: u64) -> Option<Move> {
        let code = self.bytes.get(self.index(at)?..)?;
        match self.processor {
            Processor::X86_64 => x86_64::moved(code, self.is_fixed),
            Processor::Aarch64 => aarch64::moved(code),
        }
    }

    /// The word through which the procedure linkage table entry at `at` jumps.
    pub fn linkage_slot(&self, at: u64) -> Option<u64> {
        let (code, at) = (self.bytes.get(self.index(at)?..)?, usize::try_from(at).ok()?);
        let slot = match self.processor {
            Processor::X86_64 => x86_64::linkage_slot(code, at),
            Processor::Aarch64 => aarch64::linkage_slot(code, at),
        };
        Some(slot? as u64)
    }

    /// Addresses at which instructions may start.
    pub fn places(&self) -> impl Iterator<Item = u64> + use<> {
        let begin = self.begin;
        (0..self.bytes.len()).step_by(self.processor.step()).map(move |index| begin.wrapping_add(index as u64))
    }

    fn index(&self, at: u64) -> Option<usize> {
        usize::try_from(at.checked_sub(self.begin)?).ok().filter(|index| *index < self.bytes.len())
    }
}
