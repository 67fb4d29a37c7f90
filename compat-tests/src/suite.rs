//! Programs that cover all constructs, and the selection from the test matrix.

use crate::library::SANITIZER;

/// A program of `programs/` that many tests run.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// File name in `programs/`.
    pub source: &'static str,
    /// Variables that it is run with.
    pub env: &'static [(&'static str, &'static str)],
    /// True if each thread of a team reaches the same barriers.
    pub regular: bool,
}

impl Program {
    const fn new(source: &'static str) -> Self {
        Self { source, env: &[], regular: true }
    }

    const fn irregular(source: &'static str) -> Self {
        Self { source, env: &[], regular: false }
    }

    const fn with(source: &'static str, env: &'static [(&'static str, &'static str)]) -> Self {
        Self { source, env, regular: false }
    }

    /// True if the runtime reports late that workers return to the pool, which it does with cancellation on.
    pub fn is_late(&self) -> bool {
        self.env.contains(&("OMP_CANCELLATION", "true"))
    }

    /// True if it needs gfortran.
    pub fn is_fortran(&self) -> bool {
        self.source.ends_with(".f90")
    }
}

/// Programs for every construct, in C, C++ and Fortran. Output and exit code are the same in every run with the same thread count.
pub const PROGRAMS: &[Program] = &[
    Program::new("parallel.c"),
    Program::new("teams_of_all_sizes.c"),
    Program::new("parallel_start.c"),
    Program::new("combined.c"),
    Program::new("combined_calls.c"),
    Program::with("combined_calls.c", &[("OMP_SCHEDULE", "guided,2")]),
    Program::new("loops.c"),
    Program::with("loops.c", &[("OMP_SCHEDULE", "monotonic:dynamic,3")]),
    Program::new("static_entries.c"),
    Program::new("sections.c"),
    Program::new("single.c"),
    Program::new("barriers.c"),
    Program::new("critical.c"),
    Program::new("ordered.c"),
    Program::with("ordered.c", &[("OMP_SCHEDULE", "static,2")]),
    Program::new("doacross.c"),
    Program::new("atomic.c"),
    Program::new("locks.c"),
    Program::new("task_reductions.c"),
    Program::new("tasks.c"),
    Program::new("untied.c"),
    Program::irregular("cancel.c"),
    Program::with("cancel.c", &[("OMP_CANCELLATION", "true")]),
    Program::new("nested.c"),
    Program::new("user_threads.c"),
    Program::new("dynamic_teams.c"),
    Program::with("barriers.c", &[("OMP_CANCELLATION", "true")]),
    Program::new("orphaned.c"),
    Program::irregular("hosted.c"),
    Program::new("function_pointers.c"),
    Program::new("many_threads.c"),
    Program::new("deep.c"),
    Program::with("dynamic_teams.c", &[("OMP_DYNAMIC", "true")]),
    Program::new("churn.c"),
    Program::with("churn.c", &[("OMP_CANCELLATION", "true")]),
    Program::with("tasks.c", &[("OMP_CANCELLATION", "true")]),
    Program::new("objects.cc"),
    Program::new("constructs.f90"),
];

/// True if the whole matrix is selected.
pub fn whole_matrix() -> bool {
    std::env::var("ORA_COMPAT").as_deref() == Ok("full")
}

/// Tracing collectors, one for each way to write a request list.
pub const HABITS: [&str; 3] = ["packed.c", "padded.c", "probing.c"];

/// Programs of one source file.
///
/// # Panics
/// If the list contains none.
pub fn programs(source: &str) -> Vec<Program> {
    let found: Vec<_> = PROGRAMS.iter().filter(|p| p.source == source).copied().collect();
    assert!(!found.is_empty(), "{source} is in no list");
    found
}

/// Thread counts of the matrix.
pub const THREADS: [u32; 4] = [1, 2, 4, 16];

/// Selects one entry of a list by a number that differs from case to case; the whole matrix has all of them.
pub fn chosen<T: Copy>(list: &[T], case: usize) -> Vec<T> {
    if whole_matrix() {
        return list.to_vec();
    }
    list.get(case % list.len().max(1)).copied().into_iter().collect()
}

/// Thread counts of a program, by its place in the list; the whole matrix has all of them.
pub fn thread_counts(turn: usize) -> &'static [u32] {
    match turn % 2 {
        _ if whole_matrix() => &THREADS,
        0 => &[1, 4],
        _ => &[2, 4],
    }
}

/// One thread count of a program, by its place in the list; the whole matrix has all of them.
pub fn one_thread_count(turn: usize) -> &'static [u32] {
    match turn % 4 {
        _ if whole_matrix() => &THREADS,
        1 => &[1],
        3 => &[2],
        _ => &[4],
    }
}

/// The first `count` entries of a list; the whole matrix has all of them.
pub fn first<T>(list: &[T], count: usize) -> &[T] {
    list.get(..count).filter(|_| !whole_matrix()).unwrap_or(list)
}

/// Step through a list of which the short run has every `count`-th entry; the whole matrix has each.
pub fn one_in(count: usize) -> usize {
    if whole_matrix() { 1 } else { count }
}

/// The first entry of each kind; the whole matrix has all of them.
pub fn one_of_each<T: Copy, K: PartialEq>(list: &[T], kind: impl Fn(&T) -> K) -> Vec<T> {
    let is_first =
        |(place, entry): &(usize, &T)| whole_matrix() || !list.iter().take(*place).any(|it| kind(it) == kind(entry));
    list.iter().enumerate().filter(is_first).map(|(_, entry)| *entry).collect()
}

/// True in the short gate: the whole matrix is not selected, and the library has no sanitizer's checks in it.
pub fn is_short() -> bool {
    !whole_matrix() && std::env::var_os(SANITIZER).is_none()
}

/// Selects every other entry of a list in the short gate, starting with the first or the second; all of it otherwise. Two consecutive turns
/// select each entry once.
pub fn every_other<T: Copy>(list: &[T], turn: usize) -> Vec<T> {
    if !is_short() {
        return list.to_vec();
    }
    list.iter().skip(turn % 2).step_by(2).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_each_kind_is_its_first_entry() {
        let few = one_of_each(&[11, 12, 21, 13, 22], |entry| entry / 10);
        assert!(whole_matrix() || few == [11, 21], "{few:?}");
    }

    #[test]
    fn two_turns_select_each_entry_once() {
        let list = [1, 2, 3, 4, 5];
        let mut both = [every_other(&list, 6), every_other(&list, 7)].concat();
        both.sort_unstable();
        assert!(!is_short() || both == list, "{both:?}");
    }
}
