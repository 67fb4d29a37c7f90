//! Ids of the tasks that threads execute, for programs with the task functions of Lorenz et al. (2010, section 4): a
//! threadprivate variable, which the program sets where its thread changes to another task.
//!
//! A task that a runtime adapter knows has the id that tools get, as long as a tool is attached. Ids of all other tasks are
//! counted here on request: each thread counts in a block of its own, so that no cache line is shared. Those ids are
//! [marked](COUNTED), and no adapter's id is equal to one of them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

system::thread_words!("ora_task_ids", 4);

/// The current task's id, as the program has set it; 0: not requested yet, or the adapter is to be asked.
const CURRENT: usize = 0;
/// The next id that the thread counts.
const NEXT: usize = 1;
/// The id of the implicit task; 0: not requested yet.
const IMPLICIT: usize = 2;
/// Number of explicit tasks that the thread has begun inside of it.
const NESTED: usize = 3;

/// Set in ids that are counted here: the highest bit of a positive `int64_t`.
const COUNTED: u64 = 1 << 62;
/// Below it a count of 31 bits, whose own highest bit marks a block that is used up. The thread's number is above.
const LAST: u64 = 1 << 31;
const NUMBER: u32 = 32;

fn get<const WORD: usize>() -> u64 {
    word::<WORD>() as u64
}

fn set<const WORD: usize>(value: u64) {
    #[allow(clippy::cast_possible_truncation)] // words have 64 bits here
    set_word::<WORD>(value as usize);
}

/// A new id. Async-signal-safe: a single instruction counts, and an interrupted request for a block only takes another block.
fn count() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(0);
    let mut id = add_to_word::<NEXT>(1) as u64;
    if id & COUNTED == 0 || id & LAST != 0 {
        id = COUNTED | THREADS.fetch_add(1, Relaxed) << NUMBER & (COUNTED - 1);
        set::<NEXT>(id + 1);
    }
    id
}

/// The id of the calling thread's current task. `known`: the adapter's id, or 0. Async-signal-safe.
pub(super) fn current(known: u64) -> u64 {
    let own = get::<CURRENT>();
    if own & COUNTED != 0 {
        return own;
    }
    let implicit = if get::<NESTED>() == 0 { get::<IMPLICIT>() } else { 0 };
    match [known, own, implicit].into_iter().find(|id| *id != 0) {
        Some(id) => id,
        None => name_current(),
    }
}

#[cold]
fn name_current() -> u64 {
    let id = count();
    set::<CURRENT>(id);
    if get::<NESTED>() == 0 {
        set::<IMPLICIT>(id);
    }
    id
}

/// The value that the program keeps for [`restore`]; 0 if the current task's id was not requested.
pub(super) fn save() -> u64 {
    get::<CURRENT>()
}

/// Sets the current task to the one that had this id when it was [saved](save), or that the program sets. A value that was not
/// counted here is dropped: if it is a valid id, the adapter knows it.
pub(super) fn restore(value: u64) {
    set::<CURRENT>(if value & COUNTED == 0 { 0 } else { value });
}

/// Begins an explicit task on the thread, created by the task with the id `creator`. `known`: the adapter's id of the current
/// task, or 0; it is another task's if the adapter has not seen the new one.
pub(super) fn begin(known: u64, creator: u64) -> u64 {
    let before = get::<CURRENT>();
    set::<NESTED>(get::<NESTED>() + 1);
    let is_new = known != 0 && known != creator && known != before;
    let id = if is_new { known } else { count() };
    set::<CURRENT>(id);
    id
}

/// Begins a task whose id was not requested yet.
pub(super) fn begin_unasked() {
    set::<NESTED>(get::<NESTED>() + 1);
    set::<CURRENT>(0);
}

/// Ends the explicit task. Around it is the implicit one, or another one that the program will set.
pub(super) fn end() {
    match get::<NESTED>() {
        // It was begun before the first request, or has met a region since.
        0 => set::<IMPLICIT>(0),
        nested => set::<NESTED>(nested - 1),
    }
    set::<CURRENT>(if get::<NESTED>() == 0 { get::<IMPLICIT>() } else { 0 });
}

/// Begins another implicit task on the thread.
pub(super) fn begin_implicit() {
    set::<NESTED>(0);
    set::<IMPLICIT>(0);
    set::<CURRENT>(0);
}

/// Ends a region: the thread's current task is again the one that met it. If that is an explicit one, it is ended by the next
/// [`end`] that has no task nested in it.
pub(super) fn end_region(saved: u64) {
    begin_implicit();
    restore(saved);
    set::<IMPLICIT>(get::<CURRENT>());
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
        set::<NEXT>(first | (LAST - 1));
        let last = count();
        let next = count();
        assert_eq!(last & (LAST - 1), LAST - 1);
        assert_ne!((last >> NUMBER, 0), (next >> NUMBER, 0));
        assert_eq!(next & LAST, 0);
    }

    #[test]
    fn a_task_keeps_its_id_across_others() {
        begin_implicit();
        let implicit = current(0);
        assert_eq!(current(0), implicit);
        let outer = begin(0, implicit);
        assert_eq!(current(0), outer);
        let saved = save();
        let inner = begin(0, outer);
        assert_eq!(current(0), inner);
        end();
        restore(saved);
        assert_eq!(current(0), outer);
        end();
        assert_eq!(current(0), implicit);
        assert_eq!([implicit, outer, inner].iter().collect::<BTreeSet<_>>().len(), 3);
    }

    #[test]
    fn a_hosts_id_is_taken_unless_it_is_another_tasks() {
        begin_implicit();
        assert_eq!(current(7), 7);
        assert_eq!(begin(8, 7), 8);
        let unknown = begin(8, 7);
        assert_ne!(unknown & COUNTED, 0);
        assert_eq!(current(8), unknown);
        end();
        restore(8);
        assert_eq!(current(8), 8);
        end();
        assert_eq!(current(7), 7);
    }

    #[test]
    fn the_task_that_met_a_region_is_itself_again() {
        begin_implicit();
        let outer = current(0);
        let saved = save();
        begin_implicit();
        assert_ne!(current(0), outer);
        end_region(saved);
        assert_eq!(current(0), outer);
        begin(0, outer);
        end();
        assert_eq!(current(0), outer, "behind a task that was queued");
    }
}
