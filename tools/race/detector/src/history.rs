//! The last constructs that a context executed: a report about an earlier access finds its construct here.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

use crate::call_stack::{CALLERS, Callers};

/// Number of constructs that a context remembers.
const LENGTH: usize = 8;

/// Kind of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Initial,
    Implicit,
    Task,
    Taskloop,
    Chunk,
    Section,
    Team,
}

impl Kind {
    const ALL: [Self; 7] =
        [Self::Initial, Self::Implicit, Self::Task, Self::Taskloop, Self::Chunk, Self::Section, Self::Team];

    /// The word for it in the file.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Implicit => "implicit task",
            Self::Task => "task",
            Self::Taskloop => "taskloop",
            Self::Chunk => "loop chunk",
            Self::Section => "section",
            Self::Team => "team",
        }
    }
}

/// A construct, as it is remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Construct {
    pub(crate) kind: Kind,
    /// Return address of the call that created or started it.
    pub(crate) codeptr: usize,
    /// The functions around the call that created a task, the innermost first.
    pub(crate) callers: Callers,
    /// The compiler's function for its body; 0 if unknown.
    pub(crate) function: usize,
    /// First address above the construct's own part of the stack; 0 if unknown.
    pub(crate) base: usize,
    /// The thread, as [`Thread::identity`](crate::thread::Thread::identity) has it.
    pub(crate) thread: u64,
    /// Number of the thread in its team.
    pub(crate) thread_num: u32,
    /// Numbers of the task and of the one that created it.
    pub(crate) task: [u64; 2],
    /// The region, if there is one.
    pub(crate) region: Option<OfRegion>,
    /// True if the construct has asked for its thread's number.
    pub(crate) by_number: bool,
}

/// A region, as it is remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfRegion {
    /// Number of the instance in the process.
    pub(crate) id: u64,
    /// Return address of the call that started it.
    pub(crate) codeptr: usize,
    /// The compiler's function for its body; 0 if unknown.
    pub(crate) function: usize,
    pub(crate) team: u32,
}

#[derive(Debug, Default)]
struct Entry {
    kind: AtomicU32,
    codeptr: AtomicUsize,
    callers: [AtomicUsize; CALLERS],
    function: AtomicUsize,
    base: AtomicUsize,
    thread: AtomicU64,
    thread_num: AtomicU32,
    task: [AtomicU64; 2],
    region: AtomicU64,
    region_codeptr: AtomicUsize,
    region_function: AtomicUsize,
    team: AtomicU32,
    by_number: AtomicU32,
}

/// Ring of constructs. One thread writes; reports read, and may find an entry that is partly a newer one.
#[derive(Debug, Default)]
pub(crate) struct History {
    entries: [Entry; LENGTH],
    written: AtomicUsize,
}

impl History {
    /// Remembers a construct.
    pub(crate) fn push(&self, construct: Construct) {
        let count = self.written.load(Relaxed);
        let Some(entry) = self.entries.get(count % LENGTH) else { return };
        entry.kind.store(construct.kind as u32, Relaxed);
        entry.codeptr.store(construct.codeptr, Relaxed);
        entry.callers.iter().zip(construct.callers).for_each(|(field, value)| field.store(value, Relaxed));
        entry.function.store(construct.function, Relaxed);
        entry.base.store(construct.base, Relaxed);
        entry.thread.store(construct.thread, Relaxed);
        entry.thread_num.store(construct.thread_num, Relaxed);
        entry.task.iter().zip(construct.task).for_each(|(field, value)| field.store(value, Relaxed));
        entry.region.store(construct.region.map_or(0, |region| region.id), Relaxed);
        if let Some(region) = construct.region {
            entry.region_codeptr.store(region.codeptr, Relaxed);
            entry.region_function.store(region.function, Relaxed);
            entry.team.store(region.team, Relaxed);
        }
        entry.by_number.store(u32::from(construct.by_number), Relaxed);
        // Release: pairs with the load in `newest_first`.
        self.written.store(count + 1, Release);
    }

    /// Records that the newest construct has asked for its thread's number.
    pub(crate) fn note_number(&self) {
        let newest = self.written.load(Relaxed).checked_sub(1).and_then(|last| self.entries.get(last % LENGTH));
        newest.inspect(|entry| entry.by_number.store(1, Relaxed));
    }

    /// The remembered constructs, the newest first.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = Construct> + '_ {
        // Acquire: pairs with the store in `push`.
        let count = self.written.load(Acquire);
        (count.saturating_sub(LENGTH)..count).rev().filter_map(|number| self.entries.get(number % LENGTH)?.read())
    }

    /// The newest construct whose body may contain the program counter of an outermost frame.
    pub(crate) fn of(&self, outermost: usize) -> Option<Construct> {
        /// The maximum distance from a function's start to a call in it, in bytes.
        const LONGEST: usize = 1 << 16;
        let has =
            |construct: &Construct| construct.function != 0 && outermost.wrapping_sub(construct.function) < LONGEST;
        self.newest_first().find(has).or_else(|| self.newest_first().next())
    }
}

impl Entry {
    fn read(&self) -> Option<Construct> {
        Some(Construct {
            kind: *Kind::ALL.get(self.kind.load(Relaxed) as usize)?,
            codeptr: self.codeptr.load(Relaxed),
            callers: self.callers.each_ref().map(|word| word.load(Relaxed)),
            function: self.function.load(Relaxed),
            base: self.base.load(Relaxed),
            thread: self.thread.load(Relaxed),
            thread_num: self.thread_num.load(Relaxed),
            task: self.task.each_ref().map(|word| word.load(Relaxed)),
            region: Some(self.region.load(Relaxed)).filter(|id| *id != 0).map(|id| OfRegion {
                id,
                codeptr: self.region_codeptr.load(Relaxed),
                function: self.region_function.load(Relaxed),
                team: self.team.load(Relaxed),
            }),
            by_number: self.by_number.load(Relaxed) != 0,
        })
    }
}
