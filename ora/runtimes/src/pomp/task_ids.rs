//! Ids of the tasks that threads execute, for programs with the task functions of Lorenz et al. (2010, section 4): a
//! threadprivate variable, which the program sets when its thread switches to another task.
//!
//! A task that a runtime adapter reports has the id that tools get, as long as a tool is attached. Ids of all other tasks are counted here
//! on request: each thread counts in a block of its own, so that no cache line is shared. Those ids are [marked](COUNTED), so no adapter's
//! id is equal to any of them.
//!
//! Instrumented code makes no call when it enters a region that was not instrumented. So the ids are kept by the depth of regions that the
//! runtime reports ([`TaskPlace`]).

use super::mode::Mode;
use super::routines;
use ompt_core::query;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

system::thread_words!("ora_task_ids", 13);

/// The next id that the thread counts.
const NEXT: usize = 0;
/// Depths of regions that are distinguished.
const DEPTHS: u32 = 3;

/// A word of the thread at one depth.
#[derive(Clone, Copy)]
enum Word {
    /// The current task's id, as the program has set it; 0: not requested yet, or the adapter has to be queried.
    Current,
    /// The id of the implicit task; 0: not requested yet.
    Implicit,
    /// Number of explicit tasks that the thread has begun within its implicit task.
    Nested,
    /// The id that the adapter had when a counted id became the current task's; 0 if it had none.
    Known,
}

/// Position of the calling thread, according to its runtime.
#[derive(Clone, Copy)]
pub(super) struct TaskPlace {
    /// The adapter's id of the current task, or 0.
    known: u64,
    /// Number of regions around the task, at most one less than [`DEPTHS`].
    depth: u32,
}

/// Set in ids that are counted here: the highest bit of a positive `int64_t`.
const COUNTED: u64 = 1 << 62;
/// The bits below it are a count of 31 bits, whose highest bit marks a block that is used up. The bits above are the
/// thread's number.
const LAST: u64 = 1 << 31;
const NUMBER: u32 = 32;

/// Reads and writes the thread's words by their numbers.
macro_rules! numbered {
    ($($number:literal)*) => {
        #[inline(never)]
        fn get(word: Word, depth: u32) -> u64 {
            let value = match 4 * depth + word as u32 {
                $($number => self::word::<{ $number + 1 }>(),)*
                _ => 0,
            };
            value as u64
        }

        #[inline(never)]
        fn set(word: Word, depth: u32, value: u64) {
            #[allow(clippy::cast_possible_truncation)] // words have 64 bits here
            let value = value as usize;
            match 4 * depth + word as u32 {
                $($number => set_word::<{ $number + 1 }>(value),)*
                _ => {}
            }
        }
    };
}

numbered!(0 1 2 3 4 5 6 7 8 9 10 11);

/// A new id. Async-signal-safe: a single instruction counts, and an interrupted request for a block only takes another block.
fn count() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(0);
    let mut id = add_to_word::<NEXT>(1) as u64;
    if id & COUNTED == 0 || id & LAST != 0 {
        id = COUNTED | THREADS.fetch_add(1, Relaxed) << NUMBER & (COUNTED - 1);
        #[allow(clippy::cast_possible_truncation)] // words have 64 bits here
        set_word::<NEXT>(id as usize + 1);
    }
    id
}

impl TaskPlace {
    /// The place at the time of the call, with the adapter's id if a tool is attached. The model has no information about what a runtime
    /// without an adapter does in regions that were not instrumented. Async-signal-safe.
    #[inline(never)]
    pub(super) fn of_call(mode: Mode) -> Self {
        let level = routines::level();
        let is_seen =
            !mode.is_alone() || level.checked_sub(1).is_none_or(|at| query::parallel_region_at(at as usize).is_some());
        Self::at(level, if mode.is_watched() && is_seen { query::task().0 } else { 0 })
    }

    /// A place inside `level` regions. Deeper regions are over.
    fn at(level: u32, known: u64) -> Self {
        let depth = level.min(DEPTHS - 1);
        (depth + 1..DEPTHS).for_each(|over| Self { known: 0, depth: over }.begin_implicit());
        Self { known, depth }
    }

    fn get(self, word: Word) -> u64 {
        get(word, self.depth)
    }

    fn set(self, word: Word, value: u64) {
        set(word, self.depth, value);
    }

    /// Sets the current task's id, and the id that the adapter had then.
    fn set_current(self, id: u64) {
        self.set(Word::Current, id);
        self.set(Word::Known, self.known);
    }

    /// The id of the calling thread's current task. Async-signal-safe.
    #[inline(never)]
    pub(super) fn current(self) -> u64 {
        let own = self.get(Word::Current);
        if own & COUNTED != 0 {
            return self.counted_or_known(own);
        }
        let implicit = if self.get(Word::Nested) == 0 { self.get(Word::Implicit) } else { 0 };
        match [self.known, own, implicit].into_iter().find(|id| *id != 0) {
            Some(id) => id,
            None => self.name_current(),
        }
    }

    /// The counted id of the current task, or the id of another task that the adapter has seen since.
    fn counted_or_known(self, own: u64) -> u64 {
        match self.get(Word::Known) {
            // A tool has attached since.
            0 => self.set(Word::Known, self.known),
            then if self.known != 0 && self.known != then => return self.known,
            _ => {}
        }
        own
    }

    #[cold]
    fn name_current(self) -> u64 {
        let id = count();
        self.set_current(id);
        if self.get(Word::Nested) == 0 {
            self.set(Word::Implicit, id);
        }
        id
    }

    /// The value that the program keeps for [`restore`](Self::restore); 0 if the current task's id was not requested.
    pub(super) fn save(self) -> u64 {
        self.get(Word::Current)
    }

    /// Sets the current task to the one that had this id when it was [saved](Self::save), or that the program sets. A value that was not
    /// counted here is discarded: if it is a valid id, the adapter provides it.
    #[inline(never)]
    pub(super) fn restore(self, value: u64) {
        self.set_current(if value & COUNTED == 0 { 0 } else { value });
    }

    /// Begins an explicit task on the thread, created by the task with the id `creator`. The adapter's id belongs to another task if the
    /// adapter has not seen the new one.
    #[inline(never)]
    pub(super) fn begin(self, creator: u64) -> u64 {
        let (known, before) = (self.known, self.get(Word::Current));
        self.set(Word::Nested, self.get(Word::Nested) + 1);
        let is_new = known != 0 && known != creator && known != before;
        let id = if is_new { known } else { count() };
        self.set_current(id);
        id
    }

    /// Begins a task whose id was not requested yet.
    #[inline(never)]
    pub(super) fn begin_unasked(self) {
        self.set(Word::Nested, self.get(Word::Nested) + 1);
        self.set_current(0);
    }

    /// Ends the explicit task. The enclosing task is the implicit one, or another one that the program will set.
    #[inline(never)]
    pub(super) fn end(self) {
        match self.get(Word::Nested) {
            // It began before the first request, or has encountered a region since.
            0 => self.set(Word::Implicit, 0),
            nested => self.set(Word::Nested, nested - 1),
        }
        self.set(Word::Current, if self.get(Word::Nested) == 0 { self.get(Word::Implicit) } else { 0 });
        self.set(Word::Known, 0);
    }

    /// Begins another implicit task on the thread.
    #[inline(never)]
    pub(super) fn begin_implicit(self) {
        [Word::Current, Word::Implicit, Word::Nested, Word::Known].into_iter().for_each(|word| self.set(word, 0));
    }

    /// Ends a region: the thread's current task is again the one that encountered it. If that is an explicit one, the next
    /// [`end`](Self::end) without a nested task ends it.
    pub(super) fn end_region(self, saved: u64) {
        self.begin_implicit();
        self.restore(saved);
        self.set(Word::Implicit, self.get(Word::Current));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::thread;

    #[test]
    #[allow(clippy::disallowed_types)] // a test may allocate
    fn no_two_tasks_have_one_id() {
        let count_some = || (0..1000).map(|_| count()).collect::<Vec<_>>();
        let all: Vec<u64> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(count_some)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 4000);
        assert!(all.iter().all(|id| id.cast_signed() > 0 && id & COUNTED != 0));
    }

    #[test]
    fn a_block_that_is_used_up_is_followed_by_another_one() {
        let first = count();
        #[allow(clippy::cast_possible_truncation)] // words have 64 bits here
        set_word::<NEXT>((first | (LAST - 1)) as usize);
        let last = count();
        let next = count();
        assert_eq!(last & (LAST - 1), LAST - 1);
        assert_ne!((last >> NUMBER, 0), (next >> NUMBER, 0));
        assert_eq!(next & LAST, 0);
    }

    /// Outside of all regions; the adapter has this id for the current task.
    fn known(id: u64) -> TaskPlace {
        TaskPlace::at(0, id)
    }

    #[test]
    fn a_task_keeps_its_id_across_others() {
        let place = known(0);
        place.begin_implicit();
        let implicit = place.current();
        assert_eq!(place.current(), implicit);
        let outer = place.begin(implicit);
        assert_eq!(place.current(), outer);
        let saved = place.save();
        let inner = place.begin(outer);
        assert_eq!(place.current(), inner);
        place.end();
        place.restore(saved);
        assert_eq!(place.current(), outer);
        place.end();
        assert_eq!(place.current(), implicit);
        assert_eq!([implicit, outer, inner].iter().collect::<BTreeSet<_>>().len(), 3);
    }

    #[test]
    fn a_hosts_id_is_taken_unless_it_is_another_tasks() {
        known(0).begin_implicit();
        assert_eq!(known(7).current(), 7);
        assert_eq!(known(8).begin(7), 8);
        let unknown = known(8).begin(7);
        assert_ne!(unknown & COUNTED, 0);
        assert_eq!(known(8).current(), unknown);
        known(8).end();
        known(8).restore(8);
        assert_eq!(known(8).current(), 8);
        known(8).end();
        assert_eq!(known(7).current(), 7);
    }

    #[test]
    fn a_task_that_was_counted_before_a_tool_attached_stays_apart_from_those_that_the_tool_sees() {
        known(0).begin_implicit();
        let initial = known(0).current();
        assert_eq!(known(7).current(), initial);
        assert_eq!(known(9).current(), 9, "a task that was not instrumented");
        assert_eq!(known(7).current(), initial);
    }

    #[test]
    fn tasks_of_regions_that_were_not_instrumented_have_ids_of_their_own() {
        let [outside, inside, within] = [0, 1, 2].map(|level| move || TaskPlace::at(level, 0));
        outside().begin_implicit();
        let initial = outside().current();
        let implicit = inside().current();
        let task = inside().begin(implicit);
        let nested = within().current();
        assert_eq!(inside().current(), task);
        inside().end();
        inside().restore(implicit);
        assert_eq!((inside().current(), outside().current()), (implicit, initial));
        let next = inside().current();
        assert_eq!([initial, implicit, task, nested, next].iter().collect::<BTreeSet<_>>().len(), 5);
    }

    #[test]
    fn the_task_that_met_a_region_is_itself_again() {
        let place = known(0);
        place.begin_implicit();
        let outer = place.current();
        let saved = place.save();
        place.begin_implicit();
        assert_ne!(place.current(), outer);
        place.end_region(saved);
        assert_eq!(place.current(), outer);
        place.begin(outer);
        place.end();
        assert_eq!(place.current(), outer, "behind a task that was queued");
    }
}
