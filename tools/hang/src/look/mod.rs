//! One look at all threads of a process, from outside.

mod awaited;
mod exit;
mod wait;

use std::io;
use std::time::{Duration, Instant};

use attach_outside::memory::Memory;
use attach_outside::objects::{self, Object};
use attach_outside::process::{InKernel, Process};
use attach_outside::thread_block::{Descriptors, ThreadBlocks};
use attach_outside::unwind::{self, Stacks};
use symbols::{Files, Names, ProcessNames};
use untrusted::descriptor::OtherProcess;

use crate::budget::Budget;
use crate::code::Code;
use crate::describe;
use crate::glances::{Glances, MAX_WAIT};
use crate::held::Follower;
use crate::interpreter;
use crate::linked::LinkedRuntime;
use crate::loaded::{names, part, paths};
use crate::model::{Frame, Held, Look, Part, Place, Resource, Thread, Wait};
use crate::outside::futex;
use crate::scheduler::{Clocks, ran};
use crate::team::{Layout, is_possible};
use crate::variables::Variables;

/// Observer of one process, which keeps what it has read of the process's files and code.
#[derive(Debug)]
pub struct Observer {
    process: Process,
    /// Handle of the process, which can't refer to a later process with the same number.
    other: OtherProcess,
    stacks: Stacks,
    code: Code,
    names: ProcessNames,
    variables: Variables,
    /// The runtime, if it is not loaded as a library.
    linked: Option<LinkedRuntime>,
    /// The layout of libgomp's records, and its object.
    layout: Option<(usize, Layout)>,
    blocks: Option<ThreadBlocks>,
    /// The descriptors of all threads, once the current look needs them.
    descriptors: Option<Descriptors>,
    /// Threads that were stopped, by their numbers.
    glances: Glances,
    budget: Budget,
}

/// A thread's stack as read, before its interpretation.
struct Raw {
    stack: unwind::Stack,
    kernel: InKernel,
    stopped: Option<Duration>,
    /// True if its registers could not be read in time.
    is_late: bool,
    /// Addresses that it may wait for: of the word that it sleeps on, or from registers if it is awake.
    awaited: Vec<u64>,
}

impl Observer {
    /// Observer of a process.
    ///
    /// # Errors
    /// If the process is gone, or may not be inspected.
    pub fn new(process: Process, files: &Files) -> io::Result<Self> {
        let other = OtherProcess::open(process.pid)?;
        let objects = objects::of(&process.mappings()?);
        let mut stacks = Stacks::new(Memory(process), objects);
        let paths = paths(process, &stacks.objects);
        let names = names(&stacks, &paths, files);
        let is_loaded = stacks.objects.iter().any(|object| part(object) == Part::Runtime);
        let linked = if is_loaded { None } else { LinkedRuntime::find(&mut stacks, &paths) };
        let variables = Variables::new(paths);
        let mut code = Code::default();
        let loaded = stacks.objects.iter().position(|object| object.is("libgomp"));
        let runtime = loaded.or(linked.as_ref().map(|linked| linked.object));
        let layout = runtime.and_then(|object| Some((object, Layout::read(&mut stacks, &mut code, object)?)));
        let blocks = ThreadBlocks::of(&mut stacks);
        Ok(Self {
            process,
            other,
            stacks,
            code,
            names,
            variables,
            linked,
            layout,
            blocks,
            descriptors: None,
            glances: Glances::default(),
            budget: Budget::default(),
        })
    }

    /// The loaded objects.
    pub fn objects(&self) -> &[Object] {
        &self.stacks.objects
    }

    /// True if the teams of libgomp's threads can be read.
    pub fn knows_teams(&self) -> bool {
        self.layout.is_some() && self.blocks.is_some()
    }

    /// True if the runtime is linked into the program or a library.
    pub fn has_linked_runtime(&self) -> bool {
        self.linked.is_some()
    }

    /// True if the runtime is libgomp.
    fn is_gnu(&self) -> bool {
        self.layout.is_some() || self.linked.as_ref().is_some_and(|linked| linked.is_gnu)
    }

    /// Owner of the code at an address.
    fn part(&self, address: u64) -> Option<Part> {
        let object = self.stacks.objects.get(self.stacks.object_of(address)?)?;
        let is_linked = self.linked.as_ref().is_some_and(|linked| linked.holds(address));
        Some(if is_linked { Part::Runtime } else { part(object) })
    }

    /// From now on, reads all registers of threads that wait in OpenMP, which stops each of them for a moment: with registers, a thread's
    /// code shows which lock it will release.
    pub fn read_registers(&mut self) {
        self.glances.wanted = true;
    }

    /// Reads all threads. Those that end meanwhile are left out.
    ///
    /// # Errors
    /// If the threads may not be inspected.
    pub fn look(&mut self) -> io::Result<Look> {
        let mut clocks = Clocks::default();
        let mut look = Look { is_forked: self.process.is_forked(), ..Look::default() };
        self.descriptors = None;
        let mut threads = self.process.threads();
        self.budget.begin(threads.len());
        // Sleeping threads come first: they are stopped and read very quickly.
        let is_awake = |tid: &u32| !matches!(self.process.in_kernel(*tid), Ok(Some(InKernel::Blocked { .. })));
        threads.sort_by_cached_key(is_awake);
        for tid in threads {
            look.threads.extend(self.thread(tid, &mut clocks)?);
        }
        look.threads.sort_by_key(|thread| thread.tid);
        Ok(look)
    }

    fn thread(&mut self, tid: u32, clocks: &mut Clocks) -> io::Result<Option<Thread>> {
        let slept = clocks.asleep_for(self.process, tid);
        let Some(raw) = self.raw(tid, slept)? else { return Ok(None) };
        // Read after the stack: if it is the same at the next look, the thread has not run between this stack and the
        // next one.
        let ran = ran(self.process, tid);
        let asleep = matches!(raw.kernel, InKernel::Blocked { .. });
        let mut thread = Thread {
            tid,
            name: self.process.thread_name(tid),
            asleep,
            asleep_for: slept.filter(|_| asleep).map(|slept| slept + self.glances.slept_before(tid, ran)),
            ran,
            stack: self.frames(&raw.stack),
            whole: raw.stack.complete,
            stopped: raw.stopped,
            is_cut: raw.is_late,
            ..Thread::default()
        };
        thread.place = self.place(&thread);
        (thread.wait, thread.has_hidden) = self.wait(&thread, &raw);
        let awaited = match &thread.wait {
            Wait::Mutex(resource) => Some(resource),
            _ => None,
        };
        let (holds, is_cut) = self.holds(&thread, &raw, awaited);
        thread.holds = holds;
        thread.holds.extend(awaited.and_then(|awaited| self.held_at_exit(&thread, &raw, awaited)));
        thread.holds.extend(interpreter::held(&thread));
        thread.is_cut |= is_cut;
        thread.polls = self.polls(&thread, &raw);
        if thread.polls.is_some() {
            thread.wait = Wait::Taskyield;
        }
        if interpreter::is_awaited(&thread.wait) {
            // It wakes up every few milliseconds.
            thread.asleep_for = None;
        }
        thread.witness = self.witness(&thread, &raw);
        Ok(Some(thread))
    }

    /// Reads a thread's stack, without stopping it if it is asleep and its frame pointer isn't needed. `None` if it
    /// is gone.
    fn raw(&mut self, tid: u32, slept: Option<Duration>) -> io::Result<Option<Raw>> {
        let kernel = match self.process.in_kernel(tid) {
            Ok(kernel) => kernel,
            Err(error) if error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH) => None,
            Err(error) => return Err(error),
        };
        let Some(kernel) = kernel else { return Ok(None) };
        let mut stack = unwind::Stack::default();
        let mut may_be_stopped = true;
        if let InKernel::Blocked { call, stack: pointer, instruction, .. } = kernel {
            stack = self.stacks.unwind_blocked(instruction, pointer);
            let runtime = |frame: &unwind::Frame| self.part(frame.address) == Some(Part::Runtime);
            // What a thread holds that waits for a mutex or another thread's signal is also in its registers.
            let waits = stack.frames.iter().any(runtime) || futex(kernel).is_some();
            let is_wanted = !stack.complete || self.glances.wanted && waits;
            may_be_stopped = is_wanted && call.is_some_and(restarts);
        }
        let (max_wait, begun) = (self.budget.wait(), Instant::now());
        let is_late = may_be_stopped && max_wait.is_zero();
        let glance = if may_be_stopped && !is_late {
            self.glances.of(&self.other, self.process, tid, kernel, slept, max_wait)
        } else {
            None
        };
        let is_late = is_late || may_be_stopped && glance.is_none() && begun.elapsed() >= max_wait.min(MAX_WAIT);
        if may_be_stopped {
            self.budget.waited(begun);
        }
        if let Some(glance) = &glance {
            stack = self.stacks.unwind(glance.instruction, glance.registers, glance.kept);
        }
        let kept = self.budget.frames(stack.frames.len());
        stack.complete &= kept == stack.frames.len();
        stack.frames.truncate(kept);
        self.add_jumps(&mut stack);
        let registers = glance.filter(|_| kernel == InKernel::Running).map(|glance| {
            let tested = stack.frames.first().and_then(|frame| self.code.tested(&self.stacks, frame));
            let kept = glance.kept.0.into_iter().flatten();
            [glance.argument, tested.unwrap_or(glance.argument)].into_iter().chain(kept).collect()
        });
        let awaited = futex(kernel).map(|address| vec![address]).or(registers).unwrap_or_default();
        Ok(Some(Raw { stack, kernel, stopped: glance.map(|glance| glance.stopped), is_late, awaited }))
    }

    /// Adds functions of the program that have jumped into the runtime instead of calling it: compilers do so at a function's end. Their
    /// frames are gone; they are found through the call that led to them.
    fn add_jumps(&mut self, stack: &mut unwind::Stack) {
        let mut at = 1;
        while let Some([inner, frame]) = stack.frames.get(at - 1..=at).and_then(|pair| pair.first_chunk::<2>()) {
            let [inner, outer] = [inner, frame].map(|frame| self.part(frame.address));
            let calls =
                matches!(inner, Some(Part::Runtime | Part::Interface)) && outer.is_some_and(|it| it != Part::System);
            let is_named = calls && self.code.called(&mut self.stacks, frame.address + 1).is_some();
            let target = if calls && !is_named { self.code.target(&self.stacks, frame) } else { None };
            if let Some(target) = target.filter(|target| self.part(*target) == Some(Part::Program)) {
                let object = self.stacks.object_of(target);
                if self.code.jumps_to(&mut self.stacks, target).is_some() {
                    stack.frames.insert(at, unwind::Frame { address: target, object, ..unwind::Frame::default() });
                    at += 1;
                }
            }
            at += 1;
        }
    }

    fn frames(&mut self, stack: &unwind::Stack) -> Vec<Frame> {
        let frames = stack.frames.iter().map(|frame| {
            let object = frame.object.and_then(|object| self.stacks.objects.get(object));
            let part = self.part(frame.address).unwrap_or(Part::System);
            let names = if part == Part::Program { self.names.at(frame.address, false, 0) } else { Vec::new() };
            let object = object.map(|object| object.name().to_owned()).unwrap_or_default();
            Frame { address: frame.address, part, export: frame.name.clone(), names, object }
        });
        frames.collect()
    }

    fn place(&self, thread: &Thread) -> Option<Place> {
        let (_, layout) = self.layout?;
        let place = layout.place(Memory(self.process), self.blocks?.pointer(thread.tid)?)?;
        let is_it = is_possible(&place, &thread.stack, thread.whole) || !self.process.is_forked();
        Some(if is_it { place } else { Place::default() })
    }

    /// Name of the function of the program with this address, which may be inlined in others.
    fn function_with(&mut self, address: u64) -> Option<String> {
        let names = self.names.at(address, false, 0);
        describe::authors(names.iter()).map(|name| name.function.clone())
    }

    /// Name of the variable at an address.
    fn variable(&mut self, address: u64) -> Option<String> {
        let object = self.stacks.object_of(address)?;
        let name = self.variables.name(object, address.wrapping_sub(self.stacks.bias(object)?))?;
        Some(symbols::author(&name))
    }

    fn holds(&mut self, thread: &Thread, raw: &Raw, awaited: Option<&Resource>) -> (Vec<Held>, bool) {
        let is_there = |number: &usize| raw.stack.frames.get(*number).is_some_and(|frame| frame.stack != 0);
        let own = |(number, frame): (usize, &Frame)| (frame.part == Part::Program).then_some(number);
        let numbers: Vec<usize> = thread.stack.iter().enumerate().filter_map(own).filter(is_there).collect();
        let steps = self.budget.steps();
        let mut follower = Follower::new(&mut self.stacks, &mut self.code, awaited, thread.numbers(), steps);
        let mut holds = follower.held(&raw.stack.frames, &numbers);
        let is_cut = follower.is_cut;
        self.budget.followed(steps - follower.steps);
        for held in &mut holds {
            held.resource.name = held.resource.address.and_then(|address| self.variable(address));
            held.function = held.call.and_then(|call| self.function_with(call));
        }
        (holds, is_cut)
    }
}

/// System calls that the kernel repeats after a stop, with the time that is left.
fn restarts(call: u64) -> bool {
    let restarted = [libc::SYS_futex, libc::SYS_nanosleep, libc::SYS_clock_nanosleep, libc::SYS_wait4, libc::SYS_read];
    i64::try_from(call).is_ok_and(|call| restarted.contains(&call))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_seen() {
        let mut observer = Observer::new(Process { pid: std::process::id() }, &Files::default()).unwrap();
        let look = observer.look().unwrap();
        assert!(look.threads.iter().any(|thread| thread.tid == system::threads::id()));
        assert!(!observer.knows_teams());
    }
}
