//! Calls of the routines in a file's code, and the effect of the instructions after a call.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;

use object::{Object, ObjectSymbol, RelocationTarget};
use system::arch::Target;

use crate::debug_file::with_object;
use crate::file::CodeFile;
use crate::image::Image;
use crate::step::{Step, step};
use crate::time::is_over;

/// A routine whose calls count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Routine {
    NumThreads,
    ThreadNum,
    NumTeams,
    TeamNum,
    Barrier,
    SingleStart,
    /// The start of another work-sharing construct.
    OtherShare,
}

impl Routine {
    fn of(name: &str) -> Option<Self> {
        match name {
            "omp_get_num_threads" => Some(Self::NumThreads),
            "omp_get_thread_num" => Some(Self::ThreadNum),
            "omp_get_num_teams" => Some(Self::NumTeams),
            "omp_get_team_num" => Some(Self::TeamNum),
            "GOMP_barrier" | "GOMP_barrier_cancel" => Some(Self::Barrier),
            "GOMP_single_start" => Some(Self::SingleStart),
            name => {
                let is_start = ["GOMP_loop_", "GOMP_sections", "GOMP_single_copy", "GOMP_scope"]
                    .iter()
                    .any(|it| name.starts_with(it));
                is_start.then_some(Self::OtherShare)
            }
        }
    }
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Called {
    /// Address of the instruction.
    pub(super) at: u64,
    /// Address to which it returns.
    pub(super) returns: u64,
    pub(super) routine: Routine,
}

/// The calls of a file, by address, with its code.
pub(super) struct Calls {
    pub(super) all: Vec<Called>,
    /// True if the file calls functions of Fortran's runtime library.
    pub(super) has_fortran: bool,
    image: Image,
}

/// Finds the calls. `None` if the file calls neither of the routines that identify a construct.
pub(super) fn calls(file: &CodeFile) -> Option<Calls> {
    let (image, slots, has_fortran) = with_object(file.path()?, |object| {
        let slots = slots(object);
        let is_needed = are_needed(&slots);
        let has_fortran = || object.dynamic_symbols().any(|symbol| symbol.name().is_ok_and(is_fortran));
        is_needed.then(|| (Image::of(object), slots, has_fortran()))
    })??;
    let all = found(&image, &slots);
    Some(Calls { all, has_fortran, image })
}

fn is_fortran(name: &str) -> bool {
    name.starts_with("_gfortran_")
}

/// True if a file imports routines whose calls identify a construct.
pub(super) fn imports_routines(path: &Path) -> bool {
    with_object(path, |object| are_needed(&slots(object))).unwrap_or(false)
}

fn are_needed(slots: &HashMap<u64, Routine>) -> bool {
    slots.values().any(|routine| matches!(routine, Routine::ThreadNum | Routine::TeamNum | Routine::Barrier))
}

/// The routines by the words of the GOT that contain their addresses.
fn slots<'data>(object: &impl Object<'data>) -> HashMap<u64, Routine> {
    let names = object.dynamic_symbols().filter_map(|symbol| Some((symbol.index(), Routine::of(symbol.name().ok()?)?)));
    let names: HashMap<_, _> = names.collect();
    let slot = |(address, relocation): (u64, object::Relocation)| match relocation.target() {
        RelocationTarget::Symbol(index) => Some((address, *names.get(&index)?)),
        _ => None,
    };
    object.dynamic_relocations().into_iter().flatten().filter_map(slot).collect()
}

fn found(image: &Image, slots: &HashMap<u64, Routine>) -> Vec<Called> {
    let mut linkage: HashMap<u64, Option<Routine>> = HashMap::new();
    let mut all = Vec::new();
    for code in image.sections() {
        for (index, at) in code.places().enumerate() {
            if index % PLACES_PER_TIME_CHECK == 0 && is_over() {
                return Vec::new();
            }
            let Some(call) = code.call(at) else { continue };
            let Some(returns) = call.returns else { continue };
            let routine = match call.target {
                Target::Slot(slot) => slots.get(&(slot as u64)).copied(),
                Target::Code(target) => {
                    let entry = || image.linkage_slot(target as u64).and_then(|slot| slots.get(&slot).copied());
                    *linkage.entry(target as u64).or_insert_with(entry)
                }
            };
            all.extend(routine.map(|routine| Called { at, returns, routine }));
        }
    }
    all.sort_by_key(|call| call.at);
    all
}

/// Number of places between two checks of the time.
const PLACES_PER_TIME_CHECK: usize = 1 << 16;
/// Most instructions on the ways from a construct to its end.
const MAX_ON_WAYS: usize = 10_000;

/// Arithmetic in the instructions that follow a call, up to the next call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Arithmetic {
    pub(super) divides: bool,
    /// Number of multiplications, shifts among them.
    pub(super) products: usize,
}

/// Most instructions that are searched for the line of a loop.
const MAX_NEAR: usize = 256;
/// Most instructions that are read after a call, and between the two calls of a pair.
const MAX_AFTER: usize = 64;
const MAX_BETWEEN: usize = 32;

impl Calls {
    /// Arithmetic after a call, up to the next one.
    pub(super) fn arithmetic_after(&self, call: &Called) -> Arithmetic {
        let mut found = Arithmetic::default();
        for step in self.steps(call.returns).take(MAX_AFTER) {
            match step {
                Step::Divides => found.divides = true,
                Step::Multiplies => found.products += 1,
                Step::Other | Step::Branches(_) => {}
                Step::Jumps(_) | Step::Calls | Step::Escapes | Step::Leaves => break,
            }
        }
        found
    }

    /// True if there are only plain instructions between two calls.
    pub(super) fn are_adjacent(&self, first: &Called, second: &Called) -> bool {
        self.are_joined(first.returns, second)
    }

    /// True if there are only plain instructions between an address and a call.
    pub(super) fn are_joined(&self, from: u64, call: &Called) -> bool {
        let mut at = from;
        for _ in 0..MAX_BETWEEN {
            if at >= call.at {
                return at == call.at;
            }
            match self.step(at) {
                Some((Step::Other | Step::Multiplies | Step::Divides, next)) => at = next,
                _ => return false,
            }
        }
        false
    }

    /// The first of the calls on each path from an address.
    pub(super) fn first_after(&self, from: u64) -> Vec<&Called> {
        let (mut found, mut seen, mut left) = (Vec::new(), HashSet::new(), vec![from]);
        while let Some(at) = left.pop() {
            if seen.len() >= MAX_ON_WAYS || !seen.insert(at) {
                continue;
            }
            if let Ok(index) = self.all.binary_search_by_key(&at, |call| call.at) {
                found.extend(self.all.get(index));
                continue;
            }
            match self.step(at) {
                Some((Step::Branches(target), next)) => left.extend([target, next]),
                Some((Step::Jumps(target), _)) => left.push(target),
                Some((Step::Escapes | Step::Leaves, _)) | None => {}
                Some((_, next)) => left.push(next),
            }
        }
        found
    }

    /// Addresses of the instructions on the ways from an address to the next calls of routines, the nearest first.
    pub(super) fn ways_from(&self, from: u64) -> Vec<u64> {
        let (mut found, mut seen, mut left) = (Vec::new(), HashSet::new(), VecDeque::from([from]));
        while let Some(at) = left.pop_front().filter(|_| found.len() < MAX_NEAR) {
            let is_call = self.all.binary_search_by_key(&at, |call| call.at).is_ok();
            let Some((step, next)) = self.step(at).filter(|_| !is_call && seen.insert(at)) else { continue };
            found.push(at);
            match step {
                Step::Branches(target) => left.extend([next, target]),
                Step::Jumps(target) => left.push_back(target),
                Step::Escapes | Step::Leaves => {}
                _ => left.push_back(next),
            }
        }
        found
    }

    fn steps(&self, from: u64) -> impl Iterator<Item = Step> {
        let mut at = from;
        std::iter::from_fn(move || {
            let (step, next) = self.step(at)?;
            at = next;
            Some(step)
        })
    }

    /// The instruction at an address, and the address after it.
    fn step(&self, at: u64) -> Option<(Step, u64)> {
        step(self.image.processor()?, self.image.bytes_at(at)?, at)
    }
}
