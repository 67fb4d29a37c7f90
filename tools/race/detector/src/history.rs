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
    /// The last bodies that executed as parts of other constructs: of included tasks.
    parts: [AtomicUsize; LENGTH],
    part: AtomicUsize,
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

    /// Remembers the function of a body that is a part of the newest construct.
    pub(crate) fn note_part(&self, function: usize) {
        if self.parts.iter().all(|part| part.load(Relaxed) != function)
            && let Some(oldest) = self.parts.get(self.part.fetch_add(1, Relaxed) % LENGTH)
        {
            oldest.store(function, Relaxed);
        }
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

    /// The newest construct whose body has a program counter: of the bodies that start before it, the nearest one. The newest of all if
    /// there is none.
    pub(crate) fn of(&self, counter: usize) -> Option<Construct> {
        /// The maximum distance from a function's start to a call in it, in bytes.
        const LONGEST: usize = 1 << 16;
        let to = |start: usize| counter.checked_sub(start).unwrap_or(usize::MAX);
        let distance = |construct: &Construct| construct.body().map_or(usize::MAX, to);
        let to_part = self.parts.iter().map(|part| to(part.load(Relaxed))).min().unwrap_or(usize::MAX);
        let nearest = self.newest_first().min_by_key(distance);
        let has = |construct: &Construct| distance(construct) < LONGEST.min(to_part);
        nearest.filter(has).or_else(|| self.newest_first().next())
    }
}

impl Construct {
    /// The compiler's function that has its code, if it is known.
    fn body(&self) -> Option<usize> {
        let of_region =
            || matches!(self.kind, Kind::Implicit | Kind::Chunk | Kind::Section).then_some(self.region?.function);
        Some(self.function).filter(|function| *function != 0).or_else(of_region).filter(|function| *function != 0)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_former_access_belongs_to_the_nearest_body_and_to_the_newest_construct_in_parts_and_elsewhere() {
        let history = History::default();
        let construct = |id, function| Construct {
            kind: Kind::Implicit,
            codeptr: 0,
            callers: [0; CALLERS],
            function: 0,
            base: 0,
            thread: 0,
            thread_num: 0,
            task: [id, 0],
            region: Some(OfRegion { id, codeptr: 0, function, team: 2 }),
            by_number: false,
        };
        [(1, 0x2000), (2, 0x1000), (3, 0x2000)].into_iter().for_each(|(id, start)| history.push(construct(id, start)));
        history.note_part(0x1800);
        for (counter, id) in [(0x1010, 2), (0x2010, 3), (0x1810, 3), (0x900, 3), (0x90_0000, 3)] {
            assert_eq!(history.of(counter).map(|construct| construct.task[0]), Some(id), "{counter:#x}");
        }
    }
}
