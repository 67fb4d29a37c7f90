//! Builds a profile from processes.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use profile_format::{Cut, Moment};
use rustc_hash::FxHashMap;

use super::code::Once;
use super::processes::Outside;
use super::runtimes::Runtimes;
use super::{Code, Construct, Context, EMPTY, Nest, OUTSIDE, Point, ProcessFacts, Profile, ThreadFacts, off_processor};
use crate::input::{Kind, Pieces, Process};
use crate::job::MpiTime;
use crate::state::State;
use crate::user_model::{
    Calls, PYTHON, ROOT, START_AND_END, START_UP, Spot, Step, TRUNCATED, UserModel, View, is_asleep,
};
use symbols::{ConstructKind, Name, Names, Place};

/// Builds the profile, one process after the other: each is dropped before the next one is read. `names` creates the
/// look-up of a process's functions.
///
/// # Errors
/// As for the input.
pub fn build<E>(
    processes: impl IntoIterator<Item = Result<Process, E>>,
    view: View,
    names: &mut dyn FnMut(&Process) -> Box<dyn Names>,
) -> Result<Profile, E> {
    let mut building = Building::default();
    for process in processes {
        let process = process?;
        let mut names = names(&process);
        building.take(process, view, names.as_mut());
    }
    Ok(building.finish(view))
}

fn is_unnamed_python(calls: &Calls) -> bool {
    let has = |step: Step| calls.steps().contains(&step);
    let python = |step: &Step| matches!(step, Step::Code { kind: Kind::Python, .. });
    has(Step::Pseudo(PYTHON)) && !calls.steps().iter().any(python)
}

/// Frames below the program's own code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    /// Frames of [`STARTS_AND_ENDS`]. If there are no others, this is the time before and after `main`.
    Program,
    /// The system's.
    System,
    /// Unknown frames: the stack is cut.
    Missing,
}

/// Functions of the start files of the C library and the compiler, below a program and its libraries. The compiler's
/// functions lack rules for unwinding, so a stack may be cut at them.
const STARTS_AND_ENDS: [&str; 8] = [
    "_start",
    "_init",
    "_fini",
    "__libc_csu_init",
    "frame_dummy",
    "__do_global_dtors_aux",
    "register_tm_clones",
    "deregister_tm_clones",
];

struct Building {
    code: Code,
    contexts: Once<Context>,
    nests: Once<Nest>,
    processes: Vec<ProcessFacts>,
    /// Process id, rank and machine of each.
    identities: BTreeSet<(Option<u32>, Option<u32>, Option<String>)>,
    threads: Vec<ThreadFacts>,
    sections: BTreeSet<u32>,
    runtimes: BTreeMap<u32, String>,
    samples: Vec<Point>,
    outside: Vec<Point>,
}

impl Default for Building {
    fn default() -> Self {
        Self {
            code: Code::default(),
            contexts: Once::with_first(Context { parent: EMPTY, frame: u32::MAX }),
            nests: Once::with_first(Nest { outer: OUTSIDE, construct: u32::MAX }),
            processes: Vec::new(),
            identities: BTreeSet::new(),
            threads: Vec::new(),
            sections: BTreeSet::new(),
            runtimes: BTreeMap::new(),
            samples: Vec::new(),
            outside: Vec::new(),
        }
    }
}

impl Building {
    fn take(&mut self, mut process: Process, view: View, names: &mut dyn Names) {
        let mut facts = ProcessFacts::of(&process);
        // Those of a long run take most of the memory: they are released while they become points.
        let samples = std::mem::take(&mut process.samples);
        let process = &process;
        let number = u32::try_from(self.processes.len()).unwrap_or(u32::MAX);
        let mut model = UserModel::new(process, view);
        let spots: Pieces<Spot> = samples.iter().map(|sample| model.spot(sample)).collect();
        facts.unnamed_python = is_unnamed_python(model.calls());
        let runtimes = Runtimes::of(process, &samples, &spots);
        facts.runtimes_used = runtimes.used(process, &samples, &spots, model.places());
        facts.runtime_kind = Runtimes::kind(process, &facts.runtimes_used);
        let mut threads = FxHashMap::default();
        let outside = Outside::of(process, &samples, &runtimes);
        for thread in &process.threads {
            threads.insert(thread.number, u32::try_from(self.threads.len()).unwrap_or(u32::MAX));
            let path = runtimes.of_thread(thread.number);
            let used = |path| facts.runtimes_used.iter().position(|one| one.path.as_deref() == Some(path));
            let runtime = path.and_then(used);
            self.threads.push(ThreadFacts { runtime, ..ThreadFacts::of(number, &process.facts, thread, &outside) });
        }
        facts.is_launcher = facts.facts.rank.is_none() && !outside.uses_openmp();
        facts.mpi = MpiTime::of(process, &samples, |thread| !outside.is_outside(thread.number));
        let mut naming = Naming { process, names, known: FxHashMap::default() };
        let contexts = self.contexts(model.calls(), &mut naming, view);
        let nests = self.nests(&model, &mut naming);
        for (place, nest) in (0..).zip(&nests) {
            let construct = self.nests.list.get(*nest as usize).map(|nest| nest.construct);
            if let (Some(construct), Some(path)) = (construct, runtimes.of_place(place)) {
                self.runtimes.entry(construct).or_insert_with(|| path.to_owned());
            }
        }
        self.samples.reserve(samples.len());
        for (sample, spot) in samples.into_iter().zip(spots) {
            facts.without_region += u64::from(spot.lost);
            facts.count(process.stack(sample.stack).map_or(Cut::Whole, |stack| stack.cut));
            let nest = spot.place.and_then(|place| nests.get(place as usize)).copied().unwrap_or(OUTSIDE);
            let thread = threads.get(&sample.thread).copied().unwrap_or(u32::MAX);
            let outside = self.threads.get(thread as usize).is_some_and(|thread| thread.outside);
            let list = if outside { &mut self.outside } else { &mut self.samples };
            list.push(Point {
                thread,
                context: contexts.get(spot.node as usize).copied().unwrap_or(EMPTY),
                nest,
                region: sample.region,
                state: spot.state,
                moment: sample.moment,
                at_ns: process.facts.real_ns(sample.at_ns),
                wall_ns: sample.wall_ns,
                cpu_ns: sample.cpu_ns,
                wait: sample.wait,
                asleep: is_asleep(&sample),
                is_part: false,
            });
        }
        let first = process.threads.first().and_then(|thread| threads.get(&thread.number)).copied();
        // Of programs that followed each other in a process, the first one has started it.
        let is_first = self.identities.insert((facts.facts.pid, facts.facts.rank, facts.facts.host.clone()));
        let start_up_ns = process.facts.start_up_ns.filter(|ns| *ns > 0 && is_first);
        if let Some((thread, cpu_ns)) = first.zip(start_up_ns) {
            let frames = naming.frames(Step::Pseudo(START_UP), &mut self.code);
            let add = |parent, frame: &u32| self.contexts.number(Context { parent, frame: *frame });
            self.samples.push(Point {
                thread,
                context: frames.iter().fold(EMPTY, add),
                nest: OUTSIDE,
                region: 0,
                state: State::SERIAL,
                moment: Moment::Tick,
                at_ns: facts.begun_ns.saturating_add(cpu_ns),
                wall_ns: cpu_ns,
                cpu_ns,
                wait: 0,
                asleep: false,
                is_part: true,
            });
        }
        self.processes.push(facts);
    }

    /// Converts nodes to contexts: the context of each node.
    fn contexts(&mut self, calls: &Calls, naming: &mut Naming<'_>, view: View) -> Vec<u32> {
        let steps: Vec<(Rc<[u32]>, Option<Below>)> = calls
            .steps()
            .iter()
            .map(|step| {
                let frames = naming.frames(*step, &mut self.code);
                let below = if view == View::User { self.below(*step, &frames) } else { None };
                (frames, below)
            })
            .collect();
        // With each of them, the frames that start the thread, as long as it has no others: the user's model leaves
        // these out.
        let mut found = vec![(EMPTY, Some(Below::System))];
        for node in 1..calls.len() {
            let last = u32::try_from(node).ok().and_then(|node| calls.last_number(node));
            let (parent, step) = last.unwrap_or((ROOT, 0));
            let (context, before) = found.get(parent as usize).copied().unwrap_or((EMPTY, Some(Below::System)));
            let Some((frames, below)) = steps.get(step as usize) else { continue };
            let starts = match (before, *below) {
                (Some(Below::Missing), Some(Below::Program)) => Some(Below::Program),
                (Some(Below::Missing), _) => None,
                (before, below) => before.and(below),
            };
            if before == Some(Below::Program) && starts.is_some() {
                found.push((context, before));
                continue;
            }
            let frames = match starts {
                Some(Below::Program) => naming.frames(Step::Pseudo(START_AND_END), &mut self.code),
                _ => frames.clone(),
            };
            // Neither what the user's model leaves out, nor that something is missing below a program's end.
            let first = match before {
                Some(Below::Missing) => starts.is_some(),
                before => view == View::User && before.is_some() && starts.is_none(),
            };
            let context = if first { EMPTY } else { context };
            let add = |parent, frame: &u32| self.contexts.number(Context { parent, frame: *frame });
            found.push((frames.iter().rev().fold(context, add), starts));
        }
        found.into_iter().map(|(context, _)| context).collect()
    }

    /// The kind of frames below the program's own code. `None` for other frames.
    fn below(&self, step: Step, frames: &[u32]) -> Option<Below> {
        let name = |frame: &u32| self.code.frame(*frame).map(|(_, function)| &*function.name);
        let named = |frame: &u32| name(frame).is_some_and(|name| STARTS_AND_ENDS.contains(&name));
        match step {
            Step::Pseudo(TRUNCATED) => Some(Below::Missing),
            _ if frames.iter().any(named) => Some(Below::Program),
            Step::Code { kind: Kind::System, .. } => Some(Below::System),
            _ => None,
        }
    }

    /// Converts places to nests: the nest of each place.
    fn nests(&mut self, model: &UserModel<'_>, naming: &mut Naming<'_>) -> Vec<u32> {
        let mut found: Vec<u32> = Vec::with_capacity(model.places().len());
        // A region whose body is not in any sample, nor known from its call, is that of the same call elsewhere: inlined,
        // or reached in another way.
        let mut of_call = FxHashMap::default();
        for (number, place) in (0..).zip(model.places()) {
            let body = model.bodies(number).iter().find_map(|body| naming.construct(*body, &mut self.code));
            if let (Some(body), Some(call)) = (body, place.site.and_then(|site| naming.call(site, &mut self.code))) {
                of_call.entry(call).or_insert(body);
            }
        }
        for (number, place) in (0..).zip(model.places()) {
            // The outer region was seen first.
            let outer = place.outer.and_then(|outer| found.get(outer as usize)).copied().unwrap_or(OUTSIDE);
            let body = model.bodies(number).iter().find_map(|body| naming.construct(*body, &mut self.code));
            let call = place.site.and_then(|site| naming.call(site, &mut self.code));
            let by_call = place.site.filter(|site| body.is_none() && naming.names_construct(*site));
            let body = body.or_else(|| by_call.map(|site| naming.site(site, &mut self.code)));
            let body = body.or_else(|| of_call.get(&call?).copied());
            let around = self.nests.list.get(outer as usize).filter(|_| outer != OUTSIDE).map(|nest| nest.construct);
            let construct = match (body, place.site) {
                (Some(construct), _) => construct,
                (None, Some(site)) => naming.site(site, &mut self.code),
                (None, None) => self.code.somewhere_in(around),
            };
            if model.entries(number).iter().any(|entry| naming.names_sections(*entry, &mut self.code)) {
                self.sections.insert(construct);
            }
            found.push(self.nests.number(Nest { outer, construct }));
        }
        found
    }

    /// Removes the launchers of a job (`mpirun`, `srun`) from its sums: their threads only wait for the ranks.
    fn leave_out_launchers(&mut self) {
        let is_job = self.processes.iter().any(|process| process.facts.rank.is_some());
        self.processes.iter_mut().for_each(|process| process.is_launcher &= is_job);
        let processes = &self.processes;
        for thread in &mut self.threads {
            thread.outside |= processes.get(thread.process as usize).is_some_and(|process| process.is_launcher);
        }
        let threads = &self.threads;
        let is_outside = |point: &mut Point| threads.get(point.thread as usize).is_some_and(|thread| thread.outside);
        self.outside.extend(self.samples.extract_if(.., is_outside));
    }

    fn finish(mut self, view: View) -> Profile {
        self.leave_out_launchers();
        let Self { mut code, contexts, nests, processes, threads, sections, runtimes, samples, outside, .. } = self;
        code.shorten();
        let mut profile = Profile {
            view,
            processes,
            threads,
            code,
            contexts: contexts.list,
            nests: nests.list,
            sections,
            runtimes,
            samples,
            outside,
        };
        off_processor::part(&mut profile);
        profile
    }
}

/// Names of a process, with a cache.
struct Naming<'a> {
    process: &'a Process,
    names: &'a mut dyn Names,
    known: FxHashMap<Step, Rc<[u32]>>,
}

impl Naming<'_> {
    /// Frames of a step, the innermost inlined one first.
    fn frames(&mut self, step: Step, code: &mut Code) -> Rc<[u32]> {
        if let Some(known) = self.known.get(&step) {
            return known.clone();
        }
        let frames: Rc<[u32]> = match step {
            Step::Pseudo("") => Rc::default(),
            Step::Pseudo(name) => Rc::from([code.pseudo(name)]),
            Step::Code { address, returns, era, .. } => {
                let names = self.names.at(address, returns, self.process.objects.time_in(era));
                names.iter().map(|name| code.named(name)).collect()
            }
        };
        self.known.insert(step, frames.clone());
        frames
    }

    /// True for a runtime function for `sections`: `GOMP_parallel_sections`, `GOMP_sections_end`.
    fn names_sections(&mut self, entry: Step, code: &mut Code) -> bool {
        let Step::Code { kind: Kind::Runtime | Kind::Own, .. } = entry else { return false };
        let frames = self.frames(entry, code);
        frames.iter().any(|frame| code.frame(*frame).is_some_and(|(_, function)| function.name.contains("_sections")))
    }

    /// The region that this is the body of, if it is one.
    fn construct(&mut self, body: Step, code: &mut Code) -> Option<u32> {
        let outermost = *self.frames(body, code).last()?;
        let (frame, _) = code.frame(outermost)?;
        let (function, construct) = (frame.function, frame.construct.clone()?);
        (construct.kind == ConstructKind::Parallel && construct.line > 0)
            .then(|| code.region(Construct { function, file: construct.file, line: construct.line, address: None }))
    }

    /// True if the code before a call shows the line of the construct: calls that follow each other may share one line.
    fn names_construct(&mut self, site: Step) -> bool {
        let Step::Code { address, era, .. } = site else { return false };
        matches!(self.names.construct(address, self.process.objects.time_in(era)), Some(Place::Line { .. }))
    }

    /// Function, file and line of a call.
    fn call(&mut self, site: Step, code: &mut Code) -> Option<(u32, Option<String>, u32)> {
        let innermost = *self.frames(site, code).first()?;
        let (frame, _) = code.frame(innermost)?;
        (frame.line > 0).then(|| (frame.function, frame.file.clone(), frame.line))
    }

    /// The region that a call starts.
    fn site(&mut self, site: Step, code: &mut Code) -> u32 {
        let innermost = self.frames(site, code).first().copied();
        let Some((frame, _)) = innermost.and_then(|frame| code.frame(frame)) else { return code.somewhere_in(None) };
        let (mut function, mut file, mut line) = (frame.function, frame.file.clone(), frame.line);
        let mut address = None;
        if let Step::Code { address: call, era, .. } = site {
            let at_ns = self.process.objects.time_in(era);
            // As other commands name it: calls of the same body are one construct.
            match self.names.construct(call, at_ns) {
                Some(Place::Line { file: own, line: first, .. }) => (file, line) = (Some(own), first),
                Some(Place::Symbol { function: author, address: body, object }) if line == 0 => {
                    let named = code.named(&Name { function: author, object, ..Name::default() });
                    function = code.frame(named).map_or(function, |(frame, _)| frame.function);
                    address = Some(body);
                }
                _ if line == 0 => {
                    let object = self.process.objects.at(call, at_ns);
                    address = Some(call - object.map_or(0, |object| object.bias.min(call)));
                }
                _ => {}
            }
        }
        code.region(Construct { function, file, line, address })
    }
}
