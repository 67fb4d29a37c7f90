//! Conversion of a profile to the input of the writers.

use std::rc::Rc;

use super::firefox::{ProcessTrack, Recording, ThreadTrack};
use super::{FrameName, Weighted};
use crate::describe;
use crate::profile::{Frame, Function, ProcessFacts, Profile};

/// The stacks of a profile, by the numbers of its contexts.
#[derive(Debug)]
pub struct Stacks<'p> {
    profile: &'p Profile,
    /// Frames of each stack, from the root on.
    frames: Vec<Vec<Rc<FrameName>>>,
    /// Index of each thread among those of its process.
    places: Vec<usize>,
}

impl<'p> Stacks<'p> {
    /// Names each stack that has samples, once.
    pub fn of(profile: &'p Profile) -> Self {
        let named = |frame| profile.code.frame(frame).map(|(frame, function)| Rc::new(name(frame, function)));
        let names: Vec<Option<Rc<FrameName>>> = (0..).take(profile.code.frames().len()).map(named).collect();
        let mut frames = vec![Vec::new(); profile.contexts.len()];
        for point in profile.all_samples() {
            let context = point.context as usize;
            if let Some(stack) = frames.get_mut(context).filter(|stack| stack.is_empty()) {
                stack.extend(profile.frames(point.context).filter_map(|frame| names.get(frame as usize)?.clone()));
                stack.reverse();
            }
        }
        let mut counts = vec![0; profile.processes.len()];
        let mut place = |process: u32| {
            let next = counts.get_mut(process as usize)?;
            *next += 1;
            Some(*next - 1)
        };
        let places = profile.threads.iter().map(|thread| place(thread.process).unwrap_or(0)).collect();
        Self { profile, frames, places }
    }

    /// Iterates over all samples.
    pub fn weighted(&self) -> impl Iterator<Item = Weighted<'_>> {
        self.profile.all_samples().filter_map(|point| {
            let thread = self.profile.threads.get(point.thread as usize)?;
            Some(Weighted {
                frames: self.frames.get(point.context as usize)?,
                wall_ns: point.wall_ns,
                cpu_ns: point.cpu_ns,
                thread: *self.places.get(point.thread as usize)?,
                process: thread.process as usize,
                at_ns: point.at_ns,
                waits: point.state.waits(),
                state: point.state.label(),
            })
        })
    }

    /// Description of the recording. Times are the profile's, by CLOCK_REALTIME where that is known.
    pub fn recording(&self) -> Recording {
        let profile = self.profile;
        let (began_ns, _) = profile.span_ns();
        let first = profile.processes.first();
        let processes = (0..).zip(&profile.processes).map(|(number, process)| ProcessTrack {
            name: title(process),
            pid: process.facts.pid.unwrap_or(0),
            threads: profile
                .threads_of(number)
                .iter()
                .map(|thread| ThreadTrack {
                    name: if thread.number == 0 {
                        "initial thread".to_owned()
                    } else {
                        format!("thread {}", thread.number)
                    },
                    tid: thread.tid,
                    begun_ns: thread.begun_ns,
                    ended_ns: thread.ended_ns,
                    markers: Vec::new(),
                })
                .collect(),
        });
        Recording {
            program: first.map(program).unwrap_or_default(),
            command: first.map(|process| process.facts.name()).unwrap_or_default(),
            began_real_ms: began_ns / 1_000_000,
            began_ns,
            rate: first.and_then(|process| process.facts.rate).unwrap_or(0).into(),
            recorder: "ora profile",
            processes: processes.collect(),
        }
    }
}

/// File name of the program.
fn program(process: &ProcessFacts) -> String {
    let facts = &process.facts;
    let path = facts.command.first().or(facts.executable.as_ref());
    path.map_or_else(|| facts.name(), |path| symbols::short(path).to_owned())
}

fn title(process: &ProcessFacts) -> String {
    let program = program(process);
    process.facts.rank.map_or(program.clone(), |rank| format!("{program}, rank {rank}"))
}

/// Name of a frame. A body's name says its construct: the same function may have several.
pub(crate) fn name(frame: &Frame, function: &Function) -> FrameName {
    let called = match &frame.construct {
        Some(construct) => format!("{} ({})", function.name, describe::body(construct)),
        None => function.name.clone(),
    };
    FrameName { function: called, file: frame.file.clone(), line: frame.line, object: function.object.clone() }
}
