//! Samples of a recording: call stacks in addition to the events of the same processes, or in place of them.

use std::path::Path;

use profile_analysis::out::{Stacks, Weighted};
use profile_analysis::profile::{Profile, ThreadFacts};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Thread, Timeline};

/// The samples of a recording's processes. Times are by CLOCK_MONOTONIC, as those of events.
#[derive(Debug)]
pub struct Samples<'p> {
    profile: &'p Profile,
    /// Index of each process in the profile, by its folder.
    numbers: FxHashMap<&'p Path, u32>,
    /// By that index.
    processes: Vec<Sampled<'p>>,
}

/// Samples of a process, and the threads that were sampled.
#[derive(Clone, Debug, Default)]
struct Sampled<'p> {
    stacks: Vec<Weighted<'p>>,
    threads: Vec<&'p ThreadFacts>,
}

impl<'p> Samples<'p> {
    /// The samples of a profile, by its stacks.
    pub fn of(profile: &'p Profile, stacks: &'p Stacks<'p>) -> Self {
        let late_ns: Vec<u64> = profile.processes.iter().map(|process| process.facts.real_ns(0)).collect();
        let mut processes = vec![Sampled::default(); profile.processes.len()];
        for stack in stacks.weighted() {
            let late_ns = late_ns.get(stack.process).copied().unwrap_or(0);
            let at_ns = stack.at_ns.saturating_sub(late_ns);
            let sampled = processes.get_mut(stack.process);
            sampled.into_iter().for_each(|sampled| sampled.stacks.push(Weighted { at_ns, ..stack }));
        }
        for thread in &profile.threads {
            let sampled = processes.get_mut(thread.process as usize);
            sampled.into_iter().for_each(|sampled| sampled.threads.push(thread));
        }
        let folders = profile.processes.iter().map(|process| process.folder.as_path());
        Self { profile, numbers: folders.zip(0..).collect(), processes }
    }

    /// Adds a timeline, with threads and without events, for each process that has only samples.
    pub fn complete(&self, timelines: &mut Vec<Timeline>) {
        let with_events: FxHashSet<_> = timelines.iter().map(|timeline| timeline.folder.clone()).collect();
        for (sampled, process) in self.processes.iter().zip(&self.profile.processes) {
            if with_events.contains(&process.folder) {
                continue;
            }
            let late_ns = process.facts.real_ns(0);
            let since = |at_ns: u64| at_ns.saturating_sub(late_ns);
            let end_ns = since(process.ended_ns);
            let threads = sampled.threads.iter().map(|thread| Thread {
                tid: thread.tid,
                kind: if thread.number == 0 { 1 } else { u16::from(!thread.outside) * 2 },
                begin_ns: since(thread.begun_ns),
                end_ns: thread.ended_ns.map_or(end_ns, since),
                slices: Vec::new(),
            });
            timelines.push(Timeline {
                folder: process.folder.clone(),
                facts: process.facts.clone(),
                runtime: process.runtimes_used.first().and_then(|used| used.path.clone()).unwrap_or_default(),
                begin_ns: since(process.begun_ns),
                end_ns,
                threads: threads.collect(),
                ..Timeline::default()
            });
        }
    }

    /// The samples of a timeline's process.
    pub(crate) fn of_process(&self, timeline: &Timeline) -> &[Weighted<'p>] {
        self.sampled(timeline).map_or(&[], |sampled| &sampled.stacks)
    }

    /// The sampled threads of a timeline's process, in the order of [`Weighted::thread`].
    pub(crate) fn threads_of(&self, timeline: &Timeline) -> &[&'p ThreadFacts] {
        self.sampled(timeline).map_or(&[], |sampled| &sampled.threads)
    }

    /// For each sampled thread of the process its index in the timeline, if it had events.
    pub(crate) fn places(&self, timeline: &Timeline) -> Vec<Option<usize>> {
        let numbered = timeline.threads.iter().enumerate().filter(|(_, thread)| thread.tid != 0);
        // The first one of threads with the same number.
        let places: FxHashMap<u32, usize> = numbered.rev().map(|(place, thread)| (thread.tid, place)).collect();
        self.threads_of(timeline).iter().map(|thread| places.get(&thread.tid).copied()).collect()
    }

    fn sampled(&self, timeline: &Timeline) -> Option<&Sampled<'p>> {
        self.processes.get(self.number(timeline)? as usize)
    }

    /// The profile of the samples.
    pub(crate) fn profile(&self) -> &'p Profile {
        self.profile
    }

    /// Index of a timeline's process in the profile.
    pub(crate) fn number(&self, timeline: &Timeline) -> Option<u32> {
        self.numbers.get(timeline.folder.as_path()).copied()
    }

    /// Converts a time by the profile's clock to CLOCK_MONOTONIC, in a timeline's process.
    pub(crate) fn monotonic_ns(timeline: &Timeline, at_ns: u64) -> u64 {
        at_ns.saturating_sub(timeline.facts.real_ns(0))
    }
}
