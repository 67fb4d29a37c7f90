//! Working memory of a thread's handler. Unsafe: memory that is initially zero.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use profile_format::Cut;

use crate::frames::Stacks;
use crate::memory::{Memory, Piece};
use crate::modules;
use crate::region_place::Chain;
use crate::registers::Registers;
use crate::stacks;
use crate::system;
use crate::unwind_rule::{Context, Known};
use crate::walk::{self, Unlisted};

/// Number of forks whose stacks are remembered, and of frames for each.
const FORKS: usize = 8;
const FORK_DEPTH: usize = 128;

/// Buffers of a thread's walks. All zeros are valid, except for the context.
#[repr(C)]
pub(crate) struct Scratch {
    walked: Stacks,
    known: Known,
    piece: Piece,
    forks: [Remembered; FORKS],
    next: usize,
    /// The region whose chain of enclosing regions was looked up last, and that chain.
    pub(crate) within: u64,
    pub(crate) chain: Chain,
    context: MaybeUninit<Context>,
}

/// The stack of a fork: its return addresses and the stack slots that held them.
#[repr(C)]
struct Remembered {
    sp: u64,
    kept: u32,
    count: u32,
    returns: [(u64, u64); FORK_DEPTH],
}

impl Scratch {
    /// Completes a scratch in memory of zeros.
    pub(crate) fn prepare(&mut self) {
        self.context.write(Context::new_in());
        self.known.touch();
        self.walked.touch();
    }

    /// Walks the stack from these registers. Returns why the walk ended, and the frames.
    pub(crate) fn walk(&mut self, registers: Registers, stack: (u64, u64)) -> (Cut, &[u64]) {
        let mut memory = Memory::new(stack, registers.sp(), &mut self.piece);
        // SAFETY: prepared when the thread's record was created.
        let context = unsafe { self.context.assume_init_mut() };
        let mut walk =
            |unlisted| walk::walk(registers, unlisted, &mut self.walked, (&mut self.known, context), &mut memory);
        let mut cut = walk(Unlisted::MayBeALibrary);
        if cut == Cut::UnknownCode {
            modules::refresh(system::monotonic_ns(), true);
            cut = walk(Unlisted::IsMade);
        }
        (cut, self.walked.last().addresses())
    }

    /// Stores the stack of a fork. A stack that was stored before is recognized if every return address is still in
    /// its slot. `outer`: address to which the program's call of its own runtime returns, if that is known; the runtime's frames are
    /// left out then.
    pub(crate) fn keep_fork(&mut self, registers: Registers, stack: (u64, u64), outer: Option<u64>) -> u32 {
        let mut memory = Memory::new(stack, registers.sp(), &mut self.piece);
        for fork in self.forks.iter().filter(|fork| fork.sp == registers.sp() && fork.kept != 0) {
            let returns = fork.returns.get(..fork.count as usize).unwrap_or_default();
            if returns.iter().all(|(address, slot)| memory.read(*slot) == Some(*address)) {
                return fork.kept;
            }
        }
        let (cut, addresses) = self.walk(registers, stack);
        let kept = outer
            .and_then(|outer| keep_without_runtime(cut, addresses, outer))
            .unwrap_or_else(|| stacks::keep_fork(cut, addresses));
        let returns = self.walked.last().returns();
        if let Some(place) = self.forks.get_mut(self.next % FORKS)
            && returns.clone().count() <= FORK_DEPTH
            // A frame that wasn't reached through a return address doesn't have a slot.
            && returns.clone().all(|(_, slot)| slot != 0)
        {
            (place.sp, place.kept, place.count) = (registers.sp(), kept, 0);
            for (to, from) in place.returns.iter_mut().zip(returns) {
                *to = from;
                place.count += 1;
            }
            self.next = self.next.wrapping_add(1);
        }
        kept
    }
}

/// Stores a stack without the frames between the callback's and the one to which the program's call of its runtime returns. `None` if the
/// stack doesn't have that or is very deep, or if the C library is there: a compiler may have inlined the runtime's function into the
/// program's, which the C library has called.
#[cold]
fn keep_without_runtime(cut: Cut, addresses: &[u64], outer: u64) -> Option<u32> {
    let path = modules::list().path(outer).unwrap_or_default();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    if name.starts_with(b"libc.so") {
        return None;
    }
    let from = addresses.iter().skip(1).position(|address| *address == outer)?;
    let mut kept = [0; FORK_DEPTH];
    let program = addresses.get(from + 1..)?;
    let kept = kept.get_mut(..=program.len())?;
    let (callback, rest) = kept.split_first_mut()?;
    *callback = *addresses.first()?;
    rest.copy_from_slice(program);
    Some(stacks::keep_fork(cut, kept))
}
