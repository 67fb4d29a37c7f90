//! Samples of a recording: call stacks in addition to the events of the same processes, or in place of them.

use profile_analysis::out::{Stacks, Weighted};
use profile_analysis::profile::{Profile, ThreadFacts};

use crate::{Thread, Timeline};

/// The samples of a recording's processes. Times are by CLOCK_MONOTONIC, as those of events.
#[derive(Debug)]
pub struct Samples<'p> {
    profile: &'p Profile,
    /// By the index of the process in the profile.
    stacks: Vec<Vec<Weighted<'p>>>,
}

impl<'p> Samples<'p> {
    /// The samples of a profile, by its stacks.
    pub fn of(profile: &'p Profile, stacks: &'p Stacks<'p>) -> Self {
        let late_ns: Vec<u64> = profile.processes.iter().map(|process| process.facts.real_ns(0)).collect();
        let mut by_process = vec![Vec::new(); profile.processes.len()];
        for stack in stacks.weighted() {
            let late_ns = late_ns.get(stack.process).copied().unwrap_or(0);
            let at_ns = stack.at_ns.saturating_sub(late_ns);
            by_process.get_mut(stack.process).into_iter().for_each(|list| list.push(Weighted { at_ns, ..stack }));
        }
        Self { profile, stacks: by_process }
    }

    /// Adds a timeline, with threads and without events, for each process that has only samples.
    pub fn complete(&self, timelines: &mut Vec<Timeline>) {
        let with_events = timelines.len();
        for (number, process) in (0..).zip(&self.profile.processes) {
            if timelines.iter().take(with_events).any(|timeline| timeline.folder == process.folder) {
                continue;
            }
            let late_ns = process.facts.real_ns(0);
            let since = |at_ns: u64| at_ns.saturating_sub(late_ns);
            let end_ns = since(process.ended_ns);
            let threads = self.threads(number).map(|thread| Thread {
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
        self.number(timeline).and_then(|number| self.stacks.get(number as usize)).map_or(&[], Vec::as_slice)
    }

    /// The sampled threads of a timeline's process, in the order of [`Weighted::thread`].
    pub(crate) fn threads_of(&self, timeline: &Timeline) -> Vec<&ThreadFacts> {
        self.number(timeline).map(|number| self.threads(number).collect()).unwrap_or_default()
    }

    /// For each sampled thread of the process its index in the timeline, if it had events.
    pub(crate) fn places(&self, timeline: &Timeline) -> Vec<Option<usize>> {
        let place = |tid: u32| timeline.threads.iter().position(|thread| thread.tid == tid && tid != 0);
        self.threads_of(timeline).iter().map(|thread| place(thread.tid)).collect()
    }

    fn threads(&self, number: u32) -> impl Iterator<Item = &ThreadFacts> {
        self.profile.threads.iter().filter(move |thread| thread.process == number)
    }

    /// The profile of the samples.
    pub(crate) fn profile(&self) -> &'p Profile {
        self.profile
    }

    /// Index of a timeline's process in the profile.
    pub(crate) fn number(&self, timeline: &Timeline) -> Option<u32> {
        let is_it = |(_, process): &(u32, &profile_analysis::profile::ProcessFacts)| process.folder == timeline.folder;
        (0..).zip(&self.profile.processes).find(is_it).map(|(number, _)| number)
    }

    /// Converts a time by the profile's clock to CLOCK_MONOTONIC, in a timeline's process.
    pub(crate) fn monotonic_ns(timeline: &Timeline, at_ns: u64) -> u64 {
        at_ns.saturating_sub(timeline.facts.real_ns(0))
    }
}
