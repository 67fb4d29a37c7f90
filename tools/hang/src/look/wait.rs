//! The wait of a thread: in an entry of the runtime, at a barrier, for work, or outside of OpenMP.

use attach_outside::memory::Memory;
use attach_outside::process::InKernel;

use super::{Observer, Raw};
use crate::construct::{self, Construct};
use crate::interpreter;
use crate::model::{Barrier, Membership, Outside, Part, Resource, Thread, Wait, WokenBy};
use crate::outside::{self, futex};

impl Observer {
    /// The wait of a thread; true if a function of the program whose frame is gone has jumped into it.
    pub(super) fn wait(&mut self, thread: &Thread, raw: &Raw) -> (Wait, bool) {
        let program = thread.program_frame();
        let inner = thread.stack.get(..program.unwrap_or(thread.stack.len())).unwrap_or_default();
        let called = self.called(raw, program);
        if !inner.iter().any(|frame| frame.part == Part::Runtime) {
            let wait = match interpreter::wait(thread) {
                Some(wait) => wait,
                None if thread.asleep => self.outside(thread, raw, called.as_deref()),
                None => Wait::Nothing,
            };
            return (wait, false);
        }
        if self.is_hidden(thread, raw, inner.len()) {
            // A body that jumps to a barrier isn't at its region's end.
            let wait = match self.worker_wait(thread, &raw.awaited) {
                Wait::Barrier { team, .. } => Wait::Barrier { kind: Barrier::Explicit, team },
                _ => Wait::Runtime(String::new()),
            };
            return (wait, true);
        }
        if program.is_none() {
            let is_outside = self.is_gnu() && thread.asleep && outside::is_in_library(&thread.stack);
            let wait =
                if is_outside { self.outside(thread, raw, None) } else { self.worker_wait(thread, &raw.awaited) };
            return (wait, false);
        }
        let outermost = || inner.iter().rev().find(|frame| frame.part == Part::Runtime)?.export.clone();
        let named = called.filter(|name| construct::of(name).is_some()).or_else(outermost);
        (named.map_or(Wait::Runtime(String::new()), |entry| self.entry_wait(thread, raw, entry)), false)
    }

    /// Name of the function that the innermost function of the program has called.
    fn called(&mut self, raw: &Raw, program: Option<usize>) -> Option<String> {
        let frame = raw.stack.frames.get(program?).filter(|_| program != Some(0))?;
        match frame.stack {
            0 => self.code.jumps_to(&mut self.stacks, frame.address),
            _ => self.code.called(&mut self.stacks, frame.address + 1),
        }
    }

    /// The wait in an entry of the runtime that the program has called.
    fn entry_wait(&mut self, thread: &Thread, raw: &Raw, entry: String) -> Wait {
        match construct::of(&entry) {
            Some(Construct::Barrier(Barrier::RegionEnd)) if !thread.asleep => {
                self.awake_in_region(thread, &raw.awaited)
            }
            _ if !thread.asleep && construct::does_more(&entry) => Wait::Nothing,
            Some(Construct::Barrier(kind)) => Wait::Barrier { kind, team: self.team_of_barrier(thread, &raw.awaited) },
            Some(Construct::Acquire(kind)) => {
                let call = thread.program_frame().and_then(|number| raw.stack.frames.get(number));
                Wait::Mutex(self.resource(kind, &entry, raw, call))
            }
            Some(Construct::Turn(turn)) => Wait::Turn(turn),
            Some(Construct::Tasks(tasks)) => Wait::Tasks(tasks),
            _ if thread.asleep => Wait::Runtime(entry),
            _ => Wait::Nothing,
        }
    }

    /// True if the runtime has called a function of the program whose frame is gone, among the innermost frames. The runtime calls bodies
    /// through registers. `libora.so` puts a function of its own between: its frames that the runtime has called have called a body.
    fn is_hidden(&mut self, thread: &Thread, raw: &Raw, inner: usize) -> bool {
        let part_at = |at: usize| thread.stack.get(at).map(|frame| frame.part);
        let ours = |at: usize| matches!(part_at(at), Some(Part::Runtime | Part::Interface));
        // Other runtimes call functions of their own in the same way.
        let inner = if self.is_gnu() { inner } else { 0 };
        let frames = raw.stack.frames.get(..inner).unwrap_or_default();
        for (at, frame) in frames.iter().enumerate().skip(1).filter(|(at, _)| ours(*at - 1) && ours(*at)) {
            let is_body = match part_at(at) {
                Some(Part::Interface) => part_at(at + 1) == Some(Part::Runtime),
                _ => part_at(at - 1) == Some(Part::Runtime) && self.code.is_indirect(&self.stacks, frame),
            };
            let target = if is_body { self.code.target(&self.stacks, frame) } else { None };
            let part = target.and_then(|target| self.part(target));
            if is_body && part.is_none_or(|part| matches!(part, Part::Program | Part::Interface)) {
                return true;
            }
        }
        false
    }

    fn outside(&mut self, thread: &Thread, raw: &Raw, called: Option<&str>) -> Wait {
        let mut wait = outside::wait(Memory(self.process), raw.kernel, &thread.stack, called);
        match &mut wait {
            Wait::Mutex(Resource { address: Some(address), name, .. }) => *name = self.variable(*address),
            Wait::Outside(Outside { by: WokenBy::EndOf(tid), .. }) => *tid = self.joined(raw.kernel).unwrap_or(*tid),
            _ => {}
        }
        wait
    }

    /// The thread whose end is waited for: the word is in its descriptor. It is the thread's number in glibc 2.41,
    /// and a state in 2.43.
    fn joined(&mut self, kernel: InKernel) -> Option<u32> {
        let (blocks, process) = (self.blocks?, self.process);
        let read = || blocks.descriptors(&process.threads());
        self.descriptors.get_or_insert_with(read).owner(futex(kernel)?)
    }

    /// The wait of a thread that has only the runtime on its stack: a worker, at the end of a region or without one.
    fn worker_wait(&self, thread: &Thread, awaited: &[u64]) -> Wait {
        let Some((_, layout)) = self.layout else { return Wait::Idle };
        let teams = thread.place.iter().flat_map(|place| &place.teams);
        let is_there = |team: &u64| awaited.iter().any(|address| layout.is_in_barrier(*team, *address));
        match teams.map(|own| own.team).find(is_there) {
            Some(team) => Wait::Barrier { kind: Barrier::RegionEnd, team: Some(team) },
            None => Wait::Idle,
        }
    }

    /// The wait of a thread that is awake in an entry that executes regions: it may start one, or be at its end.
    fn awake_in_region(&self, thread: &Thread, awaited: &[u64]) -> Wait {
        match self.worker_wait(thread, awaited) {
            Wait::Idle => Wait::Nothing,
            wait => wait,
        }
    }

    /// The team at whose barrier a thread waits: by the address that it sleeps on, or otherwise its innermost one.
    fn team_of_barrier(&self, thread: &Thread, awaited: &[u64]) -> Option<u64> {
        let (_, layout) = self.layout?;
        let teams = &thread.place.as_ref()?.teams;
        let is_there = |own: &&Membership| awaited.iter().any(|address| layout.is_in_barrier(own.team, *address));
        teams.iter().find(is_there).or_else(|| teams.first()).map(|own| own.team)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use attach_outside::process::Process;
    use symbols::Files;

    use super::*;

    #[test]
    fn the_threads_are_listed_once_a_look_for_all_that_wait_for_the_end_of_another() {
        let (ends, end) = channel::<()>();
        let last = thread::spawn(move || end.recv());
        let (number, numbers) = channel();
        let joins = thread::spawn(move || {
            number.send(system::threads::id()).unwrap();
            last.join().unwrap().unwrap_err();
        });
        let (process, tid) = (Process { pid: std::process::id() }, numbers.recv().unwrap());
        let mut observer = Observer::new(process, &Files::default()).unwrap();
        let joined = |observer: &mut Observer| observer.joined(process.in_kernel(tid).unwrap().unwrap());
        while joined(&mut observer).is_none() {
            observer.look().unwrap();
        }
        observer.descriptors = observer.blocks.map(|blocks| blocks.descriptors(&[]));
        assert_eq!(joined(&mut observer), None);
        observer.look().unwrap();
        assert!(joined(&mut observer).is_some());
        drop(ends);
        joins.join().unwrap();
    }
}
