//! Teams of libgomp's threads. Its records do not have a fixed layout, so the layout is taken from the code of exported functions
//! that read them: omp_get_thread_num, omp_get_num_threads and GOMP_barrier.

use attach_outside::memory::Memory;
use attach_outside::unwind::Stacks;

use crate::code::Code;
use crate::instruction::Instruction;
use crate::model::{Frame, Membership, Part, Place};

/// Maximum number of instructions of a function that are read.
const MAX_INSTRUCTIONS: usize = 24;
/// Bytes of a barrier (libgomp, config/linux/bar.h: aligned to 64).
const BARRIER_BYTES: u64 = 64;
/// Maximum nesting of regions that is followed.
const DEEPEST: usize = 64;
/// Maximum size of a team that is considered valid.
const LARGEST: u32 = 1 << 20;

/// Layout of libgomp's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Distance of a thread's record from its thread pointer.
    record: u64,
    /// Offset of the team's address in that record.
    team: u64,
    /// Offset of the thread's number.
    number: u64,
    /// Offset of the barrier in a team's record.
    barrier: u64,
}

impl Layout {
    /// Layout of the records of the libgomp that is this object of the process.
    pub(crate) fn read(stacks: &mut Stacks, code: &mut Code, object: usize) -> Option<Self> {
        let number = stacks.function(object, "omp_get_thread_num")?;
        let team = stacks.function(object, "omp_get_num_threads")?;
        let barrier = stacks.function(object, "GOMP_barrier")?;
        let (record, number) = thread_local(stacks, &listing(stacks, code, number))?;
        let (same, team) = thread_local(stacks, &listing(stacks, code, team))?;
        let barrier = listing(stacks, code, barrier);
        let (third, team_of_barrier) = thread_local(stacks, &barrier)?;
        let barrier = barrier.iter().find_map(Instruction::added)?;
        (record == same && same == third && team == team_of_barrier).then_some(Self { record, team, number, barrier })
    }

    /// Place of a thread in its teams. `None` if its records can't be read.
    pub(crate) fn place(&self, memory: Memory, thread_pointer: u64) -> Option<Place> {
        let record = thread_pointer.wrapping_add(self.record);
        let mut state = record.wrapping_add(self.team);
        let mut place = Place::default();
        while place.teams.len() < DEEPEST {
            let team = memory.word(state)?;
            if team == 0 {
                break;
            }
            let number = memory.half(state.wrapping_add(self.number).wrapping_sub(self.team))?;
            let size = memory.half(team)?;
            if size == 0 || size > LARGEST || number >= size {
                return None;
            }
            place.teams.push(Membership { team, size, number });
            // The state of the thread before the region, whose first word is the outer team (libgomp.h, gomp_team: prev_ts).
            state = team.wrapping_add(8);
        }
        Some(place)
    }

    /// True if an address is in the barrier of a team.
    pub(crate) fn is_in_barrier(&self, team: u64, address: u64) -> bool {
        address.wrapping_sub(team.wrapping_add(self.barrier)) < BARRIER_BYTES
    }

    /// The words of a team's barrier.
    pub(crate) fn barrier(&self, memory: Memory, team: u64) -> Vec<u8> {
        let bytes = usize::try_from(BARRIER_BYTES).unwrap_or_default();
        memory.bytes(team.wrapping_add(self.barrier), bytes).unwrap_or_default()
    }
}

/// True for a place that a thread with this stack can have: a thread that the runtime has not started is the first of its teams. In a
/// forked child, libgomp writes into the records of its parent's threads, whose memory other threads have since been given.
pub(crate) fn is_possible(place: &Place, stack: &[Frame], whole: bool) -> bool {
    let is_first = place.teams.iter().all(|own| own.number == 0);
    let outermost = stack.iter().rev().find(|frame| frame.part == Part::Runtime);
    // The function that a worker starts with is not exported.
    is_first || !whole || outermost.is_some_and(|frame| frame.export.is_none())
}

/// The first instructions of a function.
fn listing(stacks: &Stacks, code: &mut Code, function: u64) -> Vec<Instruction> {
    let mut next = function;
    let read = || {
        let instruction = code.instruction(stacks, next)?;
        next = instruction.next;
        Some(instruction)
    };
    std::iter::from_fn(read).take(MAX_INSTRUCTIONS).collect()
}

/// The first access to a thread-local variable: the distance of the thread's block, and the offset in it.
fn thread_local(stacks: &Stacks, listing: &[Instruction]) -> Option<(u64, u64)> {
    let access = |at: usize| listing.get(at)?.thread_local(listing.get(..at)?, stacks.memory());
    (0..listing.len()).find_map(access)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_thread_that_the_runtime_has_started_has_a_number_above_0() {
        let frame = |part, export: Option<&str>| Frame { part, export: export.map(str::to_owned), ..Frame::default() };
        let program = || frame(Part::Program, None);
        let (entry, start) = (frame(Part::Runtime, Some("GOMP_parallel")), frame(Part::Runtime, None));
        let place = |number| Place { teams: vec![Membership { team: 7, size: 2, number }] };
        let worker = [entry.clone(), program(), start, frame(Part::System, Some("clone"))];
        let other = [program(), entry, program()];
        let possible = |number, stack: &[Frame], whole| is_possible(&place(number), stack, whole);
        assert!(possible(1, &worker, true) && possible(0, &other, true) && possible(0, &[program()], true));
        assert!(!possible(1, &other, true) && !possible(1, &[program()], true));
        assert!(possible(1, &[program()], false), "its start is not known");
        assert!(is_possible(&Place::default(), &[program()], true));
    }
}
