//! Entries of the runtimes in which threads wait, by name (libgomp's map of symbols; kmp.h).

use crate::model::{Barrier, ResourceKind, TaskWait, Turn};

/// Construct of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// A barrier.
    Barrier(Barrier),
    /// Start of a section that one thread is in.
    Acquire(ResourceKind),
    /// An attempt to start one.
    Try(ResourceKind),
    /// End of such a section.
    Release(ResourceKind),
    /// A wait for a turn.
    Turn(Turn),
    /// A wait for tasks.
    Tasks(TaskWait),
}

/// The construct for an entry's name; `None` if threads don't wait there, or only when the program ends.
pub fn of(entry: &str) -> Option<Construct> {
    use Construct::{Acquire, Barrier as Bar, Release, Tasks, Try, Turn as Wait};
    use ResourceKind::{Atomic, Critical, Lock, NestLock};
    // Fortran's names, and those of its locks of eight bytes.
    let name = entry.trim_end_matches('_');
    let name = name.strip_suffix("_8").unwrap_or(name);
    Some(match name {
        "GOMP_barrier" | "GOMP_barrier_cancel" | "__kmpc_barrier" | "__kmpc_cancel_barrier" => Bar(Barrier::Explicit),
        "GOMP_loop_end" | "GOMP_loop_end_cancel" | "GOMP_sections_end" | "GOMP_sections_end_cancel" => {
            Bar(Barrier::Worksharing)
        }
        "GOMP_workshare_task_reduction_unregister" => Bar(Barrier::Worksharing),
        "GOMP_single_copy_start" | "GOMP_single_copy_end" | "__kmpc_copyprivate" => Bar(Barrier::CopyPrivate),
        "GOMP_critical_start" | "GOMP_critical_name_start" | "__kmpc_critical" | "__kmpc_critical_with_hint" => {
            Acquire(Critical)
        }
        "GOMP_critical_end" | "GOMP_critical_name_end" | "__kmpc_end_critical" => Release(Critical),
        "GOMP_atomic_start" => Acquire(Atomic),
        "GOMP_atomic_end" => Release(Atomic),
        "omp_set_lock" => Acquire(Lock),
        "omp_test_lock" => Try(Lock),
        "omp_unset_lock" => Release(Lock),
        "omp_set_nest_lock" => Acquire(NestLock),
        "omp_test_nest_lock" => Try(NestLock),
        "omp_unset_nest_lock" => Release(NestLock),
        "GOMP_ordered_start" | "__kmpc_ordered" => Wait(Turn::Ordered),
        "GOMP_doacross_wait" | "GOMP_doacross_ull_wait" | "__kmpc_doacross_wait" => Wait(Turn::Doacross),
        "GOMP_taskwait" | "__kmpc_omp_taskwait" => Tasks(TaskWait::Taskwait),
        "GOMP_taskwait_depend" | "GOMP_taskwait_depend_nowait" | "GOMP_task" | "__kmpc_omp_wait_deps" => {
            Tasks(TaskWait::Dependence)
        }
        "GOMP_taskgroup_end" | "__kmpc_end_taskgroup" | "GOMP_taskloop" | "GOMP_taskloop_ull" => {
            Tasks(TaskWait::Taskgroup)
        }
        name if is_region(name) => Bar(Barrier::RegionEnd),
        name if is_ordered_loop(name) => Wait(Turn::Ordered),
        _ => return None,
    })
}

/// Address that represents the single lock of the unnamed critical section, and that of atomic updates.
pub(crate) const ONLY: u64 = 0;

/// The address of the lock that an entry uses: one of its arguments, by their positions.
pub(crate) fn own_lock(entry: &str, argument: impl FnOnce(usize) -> Option<u64>) -> Option<u64> {
    match entry {
        "GOMP_critical_start" | "GOMP_critical_end" | "GOMP_atomic_start" | "GOMP_atomic_end" => Some(ONLY),
        // LLVM's: (location, thread, lock).
        entry if entry.starts_with("__kmpc_") => argument(2),
        _ => argument(0),
    }
}

/// True for an entry that executes a region, and ends with its barrier.
pub fn is_region(name: &str) -> bool {
    name == "GOMP_parallel"
        || name.starts_with("GOMP_parallel_")
        || name == "GOMP_teams_reg"
        || name.starts_with("__kmpc_fork_")
}

/// True for the next part of an ordered loop, which is handed out in turn.
fn is_ordered_loop(name: &str) -> bool {
    (name.starts_with("GOMP_loop_ordered_") || name.starts_with("GOMP_loop_ull_ordered_")) && name.ends_with("_next")
}

/// True if a thread may be in the entry for other reasons than a wait: it counts as waiting only while it is asleep.
pub fn does_more(entry: &str) -> bool {
    is_region(entry) || entry == "GOMP_task" || entry.starts_with("GOMP_taskloop")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_their_constructs() {
        assert_eq!(of("GOMP_barrier"), Some(Construct::Barrier(Barrier::Explicit)));
        assert_eq!(of("GOMP_parallel_loop_dynamic"), Some(Construct::Barrier(Barrier::RegionEnd)));
        assert_eq!(of("omp_set_nest_lock_8_"), Some(Construct::Acquire(ResourceKind::NestLock)));
        assert_eq!(of("GOMP_loop_ull_ordered_static_next"), Some(Construct::Turn(Turn::Ordered)));
        assert_eq!(of("GOMP_loop_dynamic_next"), None);
        assert!(does_more("GOMP_parallel") && !does_more("GOMP_barrier"));
    }
}
