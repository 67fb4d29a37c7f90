//! Slices: a thread's activity from one moment to another.

use crate::kinds;

/// Activity of a thread in a slice. Numbers are OMPT's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    /// It has encountered a parallel construct, and the region isn't over.
    Region,
    /// It executes an implicit task.
    Implicit,
    /// It is in a region that had started before the recording, as its barriers and work-sharing regions show.
    Before,
    /// It executes a piece of an explicit task.
    Task,
    /// It waits (`ompt_sync_region_t`).
    Wait(u8),
    /// It is in a taskgroup.
    Group,
    /// It waits for a mutex (`ompt_mutex_t`).
    MutexWait(u8),
    /// It has a mutex.
    Mutex(u8),
    /// It is in a work-sharing region (`ompt_work_t`).
    Work(u8),
    /// It is in a masked region.
    Masked,
    /// The recorder obtained space.
    Recorder,
}

/// A part of a thread's time. Slices of a thread nest, except for those marked otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Start, by CLOCK_MONOTONIC.
    pub begin_ns: u64,
    /// End; for an open slice the end of the thread.
    pub end_ns: u64,
    /// Return address of the runtime's call; 0: unknown.
    pub code: u64,
    /// For a region or implicit task: the region; for a task: the task; for a mutex: its wait id; for a barrier: the
    /// region; for another wait: the key of the waiting task (see [`crate::Task::parent`]).
    pub id: u64,
    /// Time for which the thread executed tasks inside a wait.
    pub busy_ns: u64,
    /// For an implicit task: the thread's number in the team; for a barrier: its number in the implicit task; for a
    /// task: 1 if the thread executes the piece while it waits.
    pub number: u32,
    /// Number of slices around it, of any kind, and at least one more than that of each of them.
    pub depth: u16,
    /// Activity of the thread.
    pub what: What,
    /// True for a mutex that was held beyond the enclosing slice: it does not nest.
    pub is_apart: bool,
}

impl Slice {
    /// Length in nanoseconds.
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.begin_ns)
    }

    /// Time of a wait without the tasks that were executed in it.
    pub fn idle_ns(&self) -> u64 {
        self.length_ns().saturating_sub(self.busy_ns)
    }

    /// True for a wait of any kind.
    pub fn is_wait(&self) -> bool {
        matches!(self.what, What::Wait(_) | What::MutexWait(_))
    }

    /// True for a wait in which a whole team takes part.
    pub fn is_barrier(&self) -> bool {
        matches!(self.what, What::Wait(kind) if kinds::is_barrier(kind))
    }

    /// True for an implicit barrier of a construct inside a region.
    pub fn is_implicit_barrier(&self) -> bool {
        matches!(self.what, What::Wait(2 | 8))
    }

    /// True for a piece of a task that the thread executes while it waits.
    pub fn is_in_wait(&self) -> bool {
        self.what == What::Task && self.number == 1
    }

    /// Name of the thread's activity.
    pub fn name(&self) -> &'static str {
        match self.what {
            What::Region => "region",
            What::Implicit => "implicit task",
            What::Before => "region begun before",
            What::Task => "task",
            What::Wait(kind) => kinds::wait(kind),
            What::Group => "in taskgroup",
            What::MutexWait(5) => "wait for critical",
            What::MutexWait(6) => "wait for atomic",
            What::MutexWait(7) => "wait for ordered",
            What::MutexWait(_) => "wait for lock",
            What::Mutex(kind) => kinds::mutex(kind),
            What::Work(kind) => kinds::work(kind),
            What::Masked => "masked",
            What::Recorder => "(recorder)",
        }
    }

    /// Category of the thread's activity, for programs that filter.
    pub fn category(&self) -> &'static str {
        match self.what {
            What::Region | What::Before => "region",
            What::Implicit => "implicit",
            What::Task => "task",
            What::Wait(_) => "sync",
            What::Group => "group",
            What::MutexWait(_) => "mutex_wait",
            What::Mutex(_) => "mutex",
            What::Work(_) | What::Masked => "work",
            What::Recorder => "recorder",
        }
    }
}
