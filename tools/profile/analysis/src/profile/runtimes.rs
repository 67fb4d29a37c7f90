//! The OpenMP runtimes of a process, by the frames of its stacks. A process may have several, each with a pool of its
//! own.
//!
//! In stacks of a pool's thread the runtime is below everything else. The runtime of a region is the one that the
//! program called to start it, if that runtime reports the start itself. Otherwise it is the runtime that calls the
//! region's body, and in which its threads wait: the innermost runtime of most samples.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ::advice::RuntimeKind;
use profile_format::{Cut, Sample};
use rustc_hash::FxHashMap;
use untrusted::figure;

use crate::input::{Kind, Pieces, Process, Stack};
use crate::state::State;
use crate::user_model::{Place, Spot};

/// Activity of one runtime: its regions and workers, as far as samples show them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeUse {
    /// Path of its file; `None`: not seen.
    pub path: Option<String>,
    /// Number of regions with samples.
    pub regions: u64,
    /// Time of the forking threads in these regions.
    pub region_ns: u64,
    /// Number of threads of its pool.
    pub workers: u64,
    /// Idle time of the pool's threads.
    pub idle_ns: u64,
}

/// Runtimes of a process, collected from its samples.
#[derive(Debug, Default)]
pub(super) struct Runtimes<'p> {
    paths: Vec<&'p str>,
    seen: FxHashMap<(u32, u32), OnStack>,
    /// Runtime of each pool thread.
    threads: BTreeMap<u32, usize>,
    /// Number of samples by place of the region and innermost runtime.
    votes: BTreeMap<u32, BTreeMap<usize, u64>>,
}

/// The runtimes of a stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct OnStack {
    innermost: Option<usize>,
    /// Index of the innermost runtime, if the program has called it.
    at_leaf: Option<usize>,
    /// Index of a runtime without code of the program below it.
    of_pool: Option<usize>,
}

impl<'p> Runtimes<'p> {
    /// Collects the runtimes in one pass over the samples, each with its place.
    pub(super) fn of(process: &'p Process, samples: &Pieces<Sample>, spots: &Pieces<Spot>) -> Self {
        let mut found = Self::default();
        for (sample, spot) in samples.iter().zip(spots.iter()) {
            let on_stack = found.look(process, sample.stack, sample.at_ns);
            if let Some(runtime) = on_stack.of_pool {
                found.threads.entry(sample.thread).or_insert(runtime);
            }
            let forked_by = process
                .region(sample.region)
                .and_then(|region| found.look(process, region.stack, sample.at_ns).at_leaf);
            if let (Some(place), Some(runtime)) = (spot.place, forked_by.or(on_stack.innermost)) {
                *found.votes.entry(place).or_default().entry(runtime).or_default() += 1;
            }
        }
        found
    }

    fn look(&mut self, process: &'p Process, stack: u32, at_ns: u64) -> OnStack {
        let key = (stack, process.objects.era(at_ns));
        if let Some(known) = self.seen.get(&key) {
            return *known;
        }
        let mut found = OnStack::default();
        let stack = process.stack(stack).unwrap_or(Stack { addresses: &[], cut: Cut::Unreadable });
        let (mut below_program, mut met_program) = (false, false);
        for (number, address) in stack.addresses.iter().enumerate() {
            // For a return address, the call before it is meant.
            let address = address.saturating_sub(u64::from(number > 0));
            let Some(object) = process.objects.at(address, at_ns) else { continue };
            match object.kind {
                Kind::Runtime => {
                    let path = object.path.as_str();
                    let runtime = self.paths.iter().position(|known| *known == path).unwrap_or_else(|| {
                        self.paths.push(path);
                        self.paths.len() - 1
                    });
                    found.at_leaf = found.at_leaf.or(Some(runtime).filter(|_| !met_program));
                    found.innermost = found.innermost.or(Some(runtime));
                    (found.of_pool, below_program) = (Some(runtime), false);
                }
                Kind::System | Kind::Own => {}
                Kind::Program | Kind::Interpreter | Kind::Python | Kind::Query => {
                    (below_program, met_program) = (true, true)
                }
            }
        }
        if below_program || stack.cut != Cut::Whole {
            found.of_pool = None;
        }
        self.seen.insert(key, found);
        found
    }

    /// The runtime that regions of a place run on.
    pub(super) fn of_place(&self, place: u32) -> Option<&'p str> {
        self.most(place).and_then(|runtime| self.paths.get(runtime).copied())
    }

    fn most(&self, place: u32) -> Option<usize> {
        let votes = self.votes.get(&place)?.iter();
        votes.max_by_key(|(_, votes)| **votes).map(|(runtime, _)| *runtime)
    }

    /// The runtime to whose pool a thread belongs.
    pub(super) fn of_thread(&self, thread: u32) -> Option<&'p str> {
        self.threads.get(&thread).and_then(|runtime| self.paths.get(*runtime).copied())
    }

    /// Kind of the runtime with the most time in regions.
    pub(super) fn kind(process: &Process, used: &[RuntimeUse]) -> RuntimeKind {
        let named = |path: &str| symbols::runtime(path).and_then(RuntimeKind::named);
        let main = used.iter().find(|one| one.regions > 0).and_then(|one| named(one.path.as_deref()?));
        if let Some(kind) = main {
            return kind;
        }
        if process.facts.has_own_runtime {
            return RuntimeKind::Own;
        }
        if let Some(kind) = process.objects.iter().find_map(|object| named(&object.path)) {
            return kind;
        }
        // OpenMP's functions show that one is there, also without its name.
        let is_there =
            process.objects.has_linked_runtime() || process.objects.iter().any(|object| object.kind == Kind::Runtime);
        if is_there { RuntimeKind::default() } else { RuntimeKind::Unseen }
    }

    /// All runtimes with activity, those with the most time in regions first.
    pub(super) fn used(
        &self,
        process: &Process,
        samples: &Pieces<Sample>,
        spots: &Pieces<Spot>,
        places: &[Place],
    ) -> Vec<RuntimeUse> {
        let mut found: BTreeMap<Option<usize>, RuntimeUse> = BTreeMap::new();
        let mut regions: FxHashMap<u64, Option<usize>> = FxHashMap::default();
        for (sample, spot) in samples.iter().zip(spots.iter()) {
            let outer = |place: &u32| places.get(*place as usize).and_then(|place| place.outer);
            let around = std::iter::successors(spot.place, outer);
            for ((region, _), place) in process.enclosing(sample.region).zip(around) {
                if regions.contains_key(&region) {
                    break;
                }
                regions.insert(region, self.most(place));
            }
            if State(sample.state) == State::IDLE {
                let runtime = self.threads.get(&sample.thread).copied();
                let runtime = found.entry(runtime).or_default();
                runtime.idle_ns = figure::sum(runtime.idle_ns, sample.wall_ns);
            }
        }
        for runtime in regions.values() {
            found.entry(*runtime).or_default().regions += 1;
        }
        for sample in samples.iter() {
            // Also the enclosing regions that the same thread has started.
            let own = process.enclosing(sample.region).take_while(|(_, region)| region.thread == sample.thread);
            for (region, _) in own {
                let runtime = regions.get(&region).copied().flatten();
                let sum = found.entry(runtime).or_default();
                sum.region_ns = sum.region_ns.saturating_add(sample.wall_ns);
            }
        }
        for runtime in self.threads.values() {
            found.entry(Some(*runtime)).or_default().workers += 1;
        }
        let named = found.into_iter().map(|(runtime, one)| {
            let path = runtime.and_then(|runtime| self.paths.get(runtime)).map(|path| (*path).to_owned());
            RuntimeUse { path, ..one }
        });
        let mut all: Vec<RuntimeUse> = named.collect();
        all.sort_by_key(|one| (Reverse(one.region_ns), Reverse(one.workers)));
        all
    }
}
