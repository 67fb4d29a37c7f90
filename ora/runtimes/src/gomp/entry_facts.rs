//! Facts about an entry's construct that follow from the entry's name.

use super::names::{ENTRIES, Entry, SYMBOLS};
use ompt_core::detail::Work;

/// Facts about an entry's construct that are known without inspecting the call.
#[derive(Clone, Copy)]
pub(super) struct EntryFacts {
    pub(super) schedule: Schedule,
    /// The position of the argument with the construct's task reductions.
    pub(super) reductions: Option<u8>,
    /// True for a region with sections.
    pub(super) is_of_sections: bool,
}

/// Source of a loop's schedule.
#[derive(Clone, Copy)]
pub(super) enum Schedule {
    /// The entry's name.
    Name(Work),
    /// The argument at this position.
    Argument(u8),
    /// The internal control variable `run-sched-var`.
    Runtime,
}

/// The facts of every entry.
pub(super) static FACTS: [EntryFacts; ENTRIES] = {
    let mut all = [const { of(0) }; ENTRIES];
    let mut entry = 0;
    while entry < ENTRIES {
        #[allow(clippy::indexing_slicing)] // computed while compiling
        let place = &mut all[entry];
        *place = of(entry);
        entry += 1;
    }
    all
};

/// The facts that follow from an entry's name.
pub(super) const fn of(entry: usize) -> EntryFacts {
    let is_of_sections =
        entry == Entry::GOMP_parallel_sections as usize || entry == Entry::GOMP_parallel_sections_start as usize;
    EntryFacts { schedule: schedule(entry), reductions: reductions(entry), is_of_sections }
}

const fn reductions(entry: usize) -> Option<u8> {
    const WITH_REDUCTIONS: [(Entry, u8); 8] = [
        (Entry::GOMP_loop_start, 7),
        (Entry::GOMP_loop_ull_start, 8),
        (Entry::GOMP_loop_ordered_start, 7),
        (Entry::GOMP_loop_ull_ordered_start, 8),
        (Entry::GOMP_loop_doacross_start, 6),
        (Entry::GOMP_loop_ull_doacross_start, 6),
        (Entry::GOMP_sections2_start, 1),
        (Entry::GOMP_scope_start, 0),
    ];
    let mut i = 0;
    while i < WITH_REDUCTIONS.len() {
        #[allow(clippy::indexing_slicing)] // computed while compiling
        let (with, position) = WITH_REDUCTIONS[i];
        if with as usize == entry {
            return Some(position);
        }
        i += 1;
    }
    None
}

const fn schedule(entry: usize) -> Schedule {
    #[allow(clippy::indexing_slicing)] // a wrong number does not compile
    let name = SYMBOLS[entry].0.as_bytes();
    if has(name, b"_static") {
        Schedule::Name(Work::LoopStatic)
    } else if has(name, b"_dynamic") {
        Schedule::Name(Work::LoopDynamic)
    } else if has(name, b"_guided") {
        Schedule::Name(Work::LoopGuided)
    } else if has(name, b"_runtime") {
        Schedule::Runtime
    } else if has(name, b"_doacross") {
        Schedule::Argument(2)
    } else if has(name, b"_ull") {
        Schedule::Argument(4)
    } else {
        Schedule::Argument(3)
    }
}

/// True if the name has this part.
#[allow(clippy::indexing_slicing)] // within both
const fn has(name: &[u8], part: &[u8]) -> bool {
    let mut start = 0;
    while start + part.len() <= name.len() {
        let mut length = 0;
        while length < part.len() && name[start + length] == part[length] {
            length += 1;
        }
        if length == part.len() {
            return true;
        }
        start += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entrys_name_says_where_its_schedule_is() {
        let named =
            |entry: Entry| if let Schedule::Name(work) = of(entry as usize).schedule { Some(work) } else { None };
        assert_eq!(named(Entry::GOMP_loop_ull_static_start), Some(Work::LoopStatic));
        assert_eq!(named(Entry::GOMP_loop_nonmonotonic_dynamic_start), Some(Work::LoopDynamic));
        assert_eq!(named(Entry::GOMP_parallel_loop_guided), Some(Work::LoopGuided));
        assert!(matches!(of(Entry::GOMP_loop_maybe_nonmonotonic_runtime_start as usize).schedule, Schedule::Runtime));
        let position =
            |entry: Entry| if let Schedule::Argument(position) = of(entry as usize).schedule { position } else { 99 };
        assert_eq!(
            [
                Entry::GOMP_loop_start,
                Entry::GOMP_loop_ordered_start,
                Entry::GOMP_loop_ull_start,
                Entry::GOMP_loop_ull_ordered_start,
                Entry::GOMP_loop_doacross_start,
                Entry::GOMP_loop_ull_doacross_start,
            ]
            .map(position),
            [3, 3, 4, 4, 2, 2]
        );
    }
}
