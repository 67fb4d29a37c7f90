//! The last constructs that a context executed: a report about a former access finds its construct here.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

use crate::task::{Task, flag};
use crate::thread::Thread;

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

/// What is remembered of a construct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Construct {
    pub(crate) kind: Kind,
    /// Return address of the call that created or began it.
    pub(crate) codeptr: usize,
    /// The compiler's function for its body; 0 if unknown.
    pub(crate) function: usize,
    /// First address above the construct's own part of the stack; 0 if unknown.
    pub(crate) base: usize,
    /// Number of the thread's record.
    pub(crate) thread: u32,
    /// Number of the thread in its team.
    pub(crate) thread_num: u32,
    /// Number, return address and team of the region; 0: none.
    pub(crate) region: (u64, usize, u32),
    /// True if the construct has asked for its thread's number.
    pub(crate) by_number: bool,
}

#[derive(Debug, Default)]
struct Entry {
    kind: AtomicU32,
    codeptr: AtomicUsize,
    function: AtomicUsize,
    base: AtomicUsize,
    thread: AtomicU32,
    thread_num: AtomicU32,
    region: AtomicU64,
    region_codeptr: AtomicUsize,
    team: AtomicU32,
    by_number: AtomicU32,
}

/// Ring of constructs. One thread writes; reports read, and may find an entry that is half a newer one.
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
        entry.function.store(construct.function, Relaxed);
        entry.base.store(construct.base, Relaxed);
        entry.thread.store(construct.thread, Relaxed);
        entry.thread_num.store(construct.thread_num, Relaxed);
        entry.region.store(construct.region.0, Relaxed);
        entry.region_codeptr.store(construct.region.1, Relaxed);
        entry.team.store(construct.region.2, Relaxed);
        entry.by_number.store(u32::from(construct.by_number), Relaxed);
        // Release: pairs with the load in `newest_first`.
        self.written.store(count + 1, Release);
    }

    /// Notes that the newest construct has asked for its thread's number.
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

    /// The newest construct whose body may have the program counter of an outermost frame.
    pub(crate) fn of(&self, outermost: usize) -> Option<Construct> {
        /// The longest distance from a function's start to a call in it, in bytes.
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
            function: self.function.load(Relaxed),
            base: self.base.load(Relaxed),
            thread: self.thread.load(Relaxed),
            thread_num: self.thread_num.load(Relaxed),
            region: (self.region.load(Relaxed), self.region_codeptr.load(Relaxed), self.team.load(Relaxed)),
            by_number: self.by_number.load(Relaxed) != 0,
        })
    }
}

impl Construct {
    /// The construct of a task that a thread executes, with its part of the stack below `base`.
    pub(crate) fn of(task: &Task, thread: &Thread, base: usize) -> Self {
        let region = task.region.get();
        let kind = match region {
            _ if task.has(flag::TASKLOOP) => Kind::Taskloop,
            _ if task.has(flag::EXPLICIT) => Kind::Task,
            Some(_) => Kind::Implicit,
            None => Kind::Initial,
        };
        Self {
            kind,
            codeptr: task.codeptr.load(Relaxed),
            function: task.function.load(Relaxed),
            base,
            thread: thread.number.load(Relaxed),
            thread_num: thread.thread_num.load(Relaxed),
            region: region.map_or((0, 0, 0), |region| {
                (region.id.load(Relaxed), region.codeptr.load(Relaxed), region.team.load(Relaxed))
            }),
            by_number: false,
        }
    }
}
