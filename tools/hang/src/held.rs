//! Locks that a thread holds, found from the code after its frames: code that releases a lock without having taken it has taken it
//! before.
//!
//! A critical section is a structured block, so any path from inside it leads to its end in the same function (OpenMP 5.2, 1.2.2). A
//! lock may be released in a different function. So a lock that the thread currently waits for counts as taken once, for the first
//! release on its path.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use attach_outside::unwind::{self, Stacks};

use crate::code::Code;
use crate::construct::{self, Construct};
use crate::flow::{Destination, Flow};
use crate::instruction::Instruction;
use crate::model::{Held, Resource, ResourceKind};
use crate::registers::Registers;

/// Maximum number of instructions that are followed for a frame.
const MAX_INSTRUCTIONS: usize = 4_000;
/// Maximum number of visits of an instruction with different registers: then it is in a loop.
const MAX_VISITS: u32 = 16;

/// A lock: its kind and its address.
type Key = (ResourceKind, Option<u64>);

/// Follower of the frames of a stack.
pub(crate) struct Follower<'s> {
    pub(crate) stacks: &'s mut Stacks,
    pub(crate) code: &'s mut Code,
    /// Numbers of the thread in its teams, the innermost first: the answers of omp_get_thread_num.
    numbers: Vec<u32>,
    /// Index in that list of the team whose region the frame is in.
    team: usize,
    /// Locks that are taken on the path, and not released.
    taken: Vec<Key>,
    held: Vec<Held>,
    /// First release of each lock in the current frame.
    releases: BTreeMap<Key, u64>,
    /// Number of instructions that may still be followed.
    pub(crate) steps: usize,
    /// True if there were more.
    pub(crate) is_cut: bool,
}

/// A place on a path through the code.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Branch {
    address: u64,
    registers: Registers,
    /// Locks that were taken on the path, and not released.
    taken: Vec<Key>,
    /// Locks that were released without having been taken.
    released: Vec<Key>,
}

/// Outcome of all paths of a frame.
#[derive(Default)]
struct Paths {
    /// Locks that each path so far releases.
    always: Option<BTreeSet<Key>>,
    /// Locks that some path releases.
    ever: BTreeSet<Key>,
    /// Locks that are still taken at the end of the first path.
    left: Option<Vec<Key>>,
    /// True if some path can't be followed.
    is_lost: bool,
}

impl Paths {
    fn end(&mut self, branch: Branch) {
        let released: BTreeSet<Key> = branch.released.into_iter().collect();
        self.ever.extend(&released);
        self.always = Some(match self.always.take() {
            Some(always) => &always & &released,
            None => released,
        });
        self.left.get_or_insert(branch.taken);
    }
}

impl<'s> Follower<'s> {
    /// Starts with the lock that the thread waits for.
    pub(crate) fn new(
        stacks: &'s mut Stacks,
        code: &'s mut Code,
        awaited: Option<&Resource>,
        numbers: Vec<u32>,
        steps: usize,
    ) -> Self {
        let taken = awaited.map(|awaited| (awaited.kind, awaited.address)).into_iter().collect();
        Self {
            stacks,
            code,
            numbers,
            team: 0,
            taken,
            held: Vec::new(),
            releases: BTreeMap::new(),
            steps,
            is_cut: false,
        }
    }

    /// Follows the frames of the program, from the innermost one. `numbers`: indices of the program's frames in
    /// `frames`.
    pub(crate) fn held(&mut self, frames: &[unwind::Frame], numbers: &[usize]) -> Vec<Held> {
        for number in numbers {
            let Some(frame) = frames.get(*number) else { continue };
            if self.steps == 0 {
                self.is_cut = true;
                break;
            }
            // In all frames but the innermost one, the address is in the call, one byte before the next instruction.
            let start = if *number == 0 { frame.address } else { frame.address + 1 };
            let taken = std::mem::take(&mut self.taken);
            let registers = Registers::of_frame(frame);
            if *number > 0 && self.code.called(self.stacks, start).is_some_and(|name| construct::is_region(&name)) {
                self.team += 1;
            }
            self.releases.clear();
            let paths = self.follow(Branch { address: start, registers, taken, released: Vec::new() });
            self.taken = paths.left.unwrap_or_default();
            let always = paths.always.filter(|_| !paths.is_lost).unwrap_or_default();
            for key in paths.ever {
                // Any path out of a structured block leads to its end.
                let is_certain =
                    always.contains(&key) || matches!(key.0, ResourceKind::Critical | ResourceKind::Atomic);
                let resource = Resource { kind: key.0, address: key.1, name: None, owner: None };
                let call = self.releases.get(&key).copied();
                self.held.push(Held { resource, frame: *number, call, function: None, is_certain });
            }
        }
        std::mem::take(&mut self.held)
    }

    /// Follows the code of one frame to its ends.
    fn follow(&mut self, start: Branch) -> Paths {
        let mut branches = vec![start];
        let mut seen = HashSet::new();
        let mut visits: HashMap<u64, u32> = HashMap::new();
        let mut paths = Paths::default();
        let mut steps = 0;
        while let Some(mut branch) = branches.pop() {
            // Paths come together at places to which jumps lead.
            let mut is_target = true;
            loop {
                if is_target && !is_new(&mut branch, &mut visits, &mut seen) {
                    break;
                }
                steps += 1;
                self.is_cut |= self.steps == 0;
                if steps > MAX_INSTRUCTIONS || self.steps == 0 {
                    paths.end(branch);
                    return Paths { is_lost: true, ..paths };
                }
                self.steps -= 1;
                let Some(instruction) = self.code.instruction(self.stacks, branch.address) else {
                    paths.is_lost = true;
                    break;
                };
                is_target = false;
                match self.step(&instruction, &mut branch) {
                    Next::Goes(address) => {
                        is_target = address != instruction.next;
                        branch.address = address;
                    }
                    Next::Forks(target) => {
                        branches.push(Branch { address: target, ..branch.clone() });
                        branch.address = instruction.next;
                    }
                    Next::Ends => {
                        paths.end(branch);
                        break;
                    }
                    Next::Stops => break,
                    Next::IsLost => {
                        paths.is_lost = true;
                        paths.ever.extend(branch.released);
                        break;
                    }
                }
            }
        }
        paths
    }

    fn step(&mut self, instruction: &Instruction, branch: &mut Branch) -> Next {
        let next = instruction.next;
        match instruction.flow {
            Flow::Call(_) => {
                let name = self.name(instruction, branch);
                let goes_on = name.as_deref().is_none_or(|name| !ENDS.contains(&name));
                self.call(name.as_deref(), branch);
                instruction.step(&mut branch.registers, self.stacks.memory());
                if let (Some("omp_get_thread_num"), Some(number)) = (name.as_deref(), self.numbers.get(self.team)) {
                    branch.registers.returns(*number);
                }
                if goes_on { Next::Goes(next) } else { Next::Stops }
            }
            Flow::Jump(Destination::Code(target)) => self.last_call(instruction, branch).unwrap_or(Next::Goes(target)),
            Flow::Jump(_) => self.last_call(instruction, branch).unwrap_or(Next::IsLost),
            Flow::Branch(target) => match instruction.holds(&branch.registers) {
                Some(true) => Next::Goes(target),
                Some(false) => Next::Goes(next),
                None => Next::Forks(target),
            },
            Flow::Return => Next::Ends,
            Flow::Next => {
                instruction.step(&mut branch.registers, self.stacks.memory());
                Next::Goes(next)
            }
            Flow::Stop => Next::Stops,
        }
    }

    /// Name of the function that a call or jump goes to, if it is imported or exported.
    fn name(&mut self, instruction: &Instruction, branch: &Branch) -> Option<String> {
        match instruction.flow {
            Flow::Call(Destination::Register) | Flow::Jump(Destination::Register) => {
                let target = instruction.destination(&branch.registers, self.stacks.memory())?;
                self.stacks.exported(target)
            }
            _ => self.code.target_name(self.stacks, instruction),
        }
    }

    /// Handles a call of this function.
    fn call(&mut self, name: Option<&str>, branch: &mut Branch) {
        let before = branch.released.len();
        call(name, branch);
        if let Some(key) = branch.released.get(before) {
            self.releases.entry(*key).or_insert(branch.address);
        }
    }

    /// Handles a jump to an imported function: the last call of a function.
    fn last_call(&mut self, instruction: &Instruction, branch: &mut Branch) -> Option<Next> {
        let name = self.name(instruction, branch)?;
        self.call(Some(&name), branch);
        Some(if ENDS.contains(&name.as_str()) { Next::Stops } else { Next::Ends })
    }
}

/// True if a path has not reached this place in the same state. If it is reached in many states, only the stack
/// counts.
fn is_new(branch: &mut Branch, visits: &mut HashMap<u64, u32>, seen: &mut HashSet<Branch>) -> bool {
    let visits = visits.entry(branch.address).or_default();
    *visits += 1;
    if *visits > MAX_VISITS {
        branch.registers.forget();
    }
    seen.insert(branch.clone())
}

/// Notes what a call of this function takes or releases.
fn call(name: Option<&str>, branch: &mut Branch) {
    let Some(construct) = name.and_then(construct::of) else { return };
    let address = name.and_then(|name| construct::own_lock(name, |place| branch.registers.argument(place)));
    match construct {
        Construct::Acquire(kind) | Construct::Try(kind) => branch.taken.push((kind, address)),
        Construct::Release(kind) => {
            let key = (kind, address);
            let same = |taken: &Key| taken.0 == kind && (taken.1 == key.1 || taken.1.is_none() || key.1.is_none());
            match branch.taken.iter().rposition(same) {
                Some(taken) => {
                    branch.taken.remove(taken);
                }
                None if !branch.released.contains(&key) => branch.released.push(key),
                None => {}
            }
        }
        _ => {}
    }
}

/// Functions that don't return.
const ENDS: [&str; 7] =
    ["exit", "_exit", "abort", "__stack_chk_fail", "__assert_fail", "_Unwind_Resume", "pthread_exit"];

/// Continuation of a path.
enum Next {
    /// At this instruction.
    Goes(u64),
    /// At the next one, and at this one.
    Forks(u64),
    /// The function returns.
    Ends,
    /// The process or the thread ends.
    Stops,
    /// The path can't be followed.
    IsLost,
}
