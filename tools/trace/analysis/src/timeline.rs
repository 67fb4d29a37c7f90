//! The timeline of a process.

use std::path::PathBuf;

use profile_analysis::input::Facts;
use symbols::ConstructEnd;
use trace_format::Header;

use crate::by_id::ById;
use crate::{Counts, Region, Site, Sites, Slice, Task, What, kinds};

/// Events of a process, thread by thread.
#[derive(Debug, Default)]
pub struct Timeline {
    /// Folder of its records; empty if they did not come from a file.
    pub folder: PathBuf,
    /// The process.
    pub facts: Facts,
    /// Name and version of the runtime.
    pub runtime: String,
    /// True if the program has doacross loops.
    pub has_doacross: bool,
    /// The processes of the recording that used OpenMP at the same time on the same processors, if there were others.
    pub together: Option<advice::Together>,
    /// The file's header: start and end, and what was lost.
    pub header: Header,
    /// Start of what is shown, by CLOCK_MONOTONIC.
    pub begin_ns: u64,
    /// End of what is shown.
    pub end_ns: u64,
    /// The threads.
    pub threads: Vec<Thread>,
    /// Regions, ordered by their start.
    pub regions: Vec<Region>,
    /// Tasks, in no order.
    pub tasks: Vec<Task>,
    /// Dependences: the predecessor task, and the dependent task.
    pub dependences: Vec<(u64, u64)>,
    /// Numbers of events.
    pub counts: Counts,
    /// Time that the recorder took to obtain space, of all threads.
    pub recorder_ns: u64,
    /// Names of the places.
    pub sites: Sites,
    pub(crate) region_index: ById,
    pub(crate) task_index: ById,
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// The kernel's number of the thread; 0 if not recorded.
    pub tid: u32,
    /// Kind of the thread (`ompt_thread_t`); 0: not recorded.
    pub kind: u16,
    /// First event.
    pub begin_ns: u64,
    /// Last event.
    pub end_ns: u64,
    /// Its slices, ordered by their start.
    pub slices: Vec<Slice>,
}

impl Thread {
    /// Name of the thread's kind.
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            1 => "initial",
            2 => "worker",
            3 => "helper",
            _ => "thread",
        }
    }
}

impl Timeline {
    /// True if processes have left samples: together with their events, or in other folders without events.
    pub fn are_sampled(with_events: &[Self], folders: usize) -> bool {
        folders > with_events.len() || with_events.iter().any(|timeline| timeline.facts.rate.is_some())
    }

    /// Name of the process: its command line, after the rank that a launcher assigned to it.
    pub fn name(&self) -> String {
        match self.facts.rank {
            Some(rank) => format!("rank {rank}: {}", self.facts.name()),
            None => self.facts.name(),
        }
    }

    /// The region with an id.
    pub fn region(&self, id: u64) -> Option<&Region> {
        self.regions.get(self.region_index.get(id)? as usize)
    }

    /// The task with an id.
    pub fn task(&self, id: u64) -> Option<&Task> {
        self.tasks.get(self.task_index.get(id)? as usize)
    }

    /// The place in the program that a slice is about.
    pub fn site(&self, slice: &Slice) -> Option<&Site> {
        self.sites.get(self.code(slice))
    }

    /// Return address of the call that a slice is about; 0: unknown.
    pub(crate) fn code(&self, slice: &Slice) -> u64 {
        match slice.what {
            What::Implicit => self.region(slice.id).map_or(0, |region| region.code),
            What::Task => self.task(slice.id).map_or(0, |task| task.code),
            // A worker waits at the region's end in the runtime's own code.
            What::Wait(kinds::REGION_END) if slice.code == 0 => self.region(slice.id).map_or(0, |region| region.code),
            _ => slice.code,
        }
    }

    /// A slice of a thread, both by index.
    pub fn slice(&self, thread: u32, slice: u32) -> Option<&Slice> {
        self.threads.get(thread as usize)?.slices.get(slice as usize)
    }

    /// False for slices that a flight recorder has only because their space wasn't needed again.
    pub fn is_shown(&self, slice: &Slice) -> bool {
        let (last_ns, slow_ns) = (self.header.last_ns, self.header.slow_ns);
        if last_ns == 0 && slow_ns == 0 {
            return true;
        }
        let is_late = last_ns > 0 && slice.end_ns.saturating_add(last_ns) >= self.end_ns;
        is_late || self.header.windows.iter().any(|[begin, end]| slice.begin_ns <= *end && *begin <= slice.end_ns)
    }

    /// Number of threads that were in a region that had started before the recording.
    pub fn threads_begun_before(&self) -> usize {
        let is_one = |thread: &&Thread| thread.slices.iter().any(|slice| slice.what == What::Before);
        self.threads.iter().filter(is_one).count()
    }

    /// The construct that a wait at an implicit barrier ends.
    pub fn construct_ended_by(&self, slice: &Slice) -> Option<&ConstructEnd> {
        self.site(slice)?.ends.as_ref().filter(|_| slice.is_implicit_barrier())
    }

    /// Describes a slice: `critical at heat.c:24`.
    pub fn describe(&self, slice: &Slice) -> String {
        if let Some(end) = self.construct_ended_by(slice) {
            return format!("{}, {end}", slice.name());
        }
        match self.site(slice).map(Site::place) {
            Some(place) if !place.is_empty() => format!("{} at {place}", slice.name()),
            _ => slice.name().to_owned(),
        }
    }

    /// Name of a thread, by its index: `2 worker`.
    pub fn thread_name(&self, index: usize) -> String {
        self.threads.get(index).map_or_else(String::new, |thread| format!("{index} {}", thread.kind_name()))
    }
}
