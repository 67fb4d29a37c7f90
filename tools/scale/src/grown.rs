//! Code whose time grows with the number of threads, determined from the samples of two runs.

use terminal::quantity::{percent, time};

/// A function whose CPU time has grown by a smaller part of the total growth is not named.
const PART: f64 = 0.15;
/// Smaller growth may be due to chance: samples are taken each millisecond.
const CHANCE_NS: f64 = 16e6;
/// Part of the CPU time in locks from which on the threads' sleep is waiting for them.
const LOCKED: f64 = 0.5;
/// Maximum number of functions that are named.
const NAMED: usize = 3;

/// Kind of the code that takes longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Code of the program itself.
    Work,
    /// Atomic updates.
    Atomic,
    /// Locks of the C library.
    Locks,
    /// The allocator.
    Allocator,
    /// The OpenMP runtime.
    Runtime,
}

/// Place in the program whose CPU time differs between two numbers of threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Grown {
    /// Name for people.
    pub place: String,
    /// Kind of the code.
    pub cause: Cause,
    /// CPU time in regions with the fewest threads.
    pub before_ns: f64,
    /// CPU time in regions with the number of threads with which the code runs longest in total.
    pub after_ns: f64,
}

impl Grown {
    fn growth_ns(&self) -> f64 {
        self.after_ns - self.before_ns
    }
}

/// The functions that matter, largest growth first.
pub(crate) fn costliest(all: &[Grown]) -> Vec<&Grown> {
    let whole: f64 = all.iter().map(|one| one.growth_ns().max(0.0)).sum();
    let least_ns = (PART * whole).max(CHANCE_NS);
    let mut found: Vec<&Grown> = all.iter().filter(|one| one.growth_ns() > least_ns).collect();
    found.sort_by(|one, other| other.growth_ns().total_cmp(&one.growth_ns()));
    found.truncate(NAMED);
    found
}

/// Sentence about what took longer, with the remedy; `None` if nothing did. `beyond_copies`: the time has grown by more than if each thread
/// executed everything.
pub(crate) fn sentence(all: &[Grown], beyond_copies: bool) -> Option<String> {
    let found = costliest(all);
    let first = found.first()?;
    let places: Vec<String> = found
        .iter()
        .map(|one| {
            format!("{} {} ({} in place of {})", one.cause.what(), one.place, time(one.after_ns), time(one.before_ns))
        })
        .collect();
    let cure = if first.cause == Cause::Work && beyond_copies { SLOWED } else { first.cause.cure() };
    Some(format!("More time is spent in {}: {cure}", places.join(", ")))
}

/// Sentence about locks of the C library in which threads spend much of their work; `None` if they don't.
pub(crate) fn locks(all: &[Grown]) -> Option<String> {
    let sum = |of: fn(&Grown) -> bool| all.iter().filter(|one| of(one)).map(|one| one.after_ns).sum::<f64>();
    let (locked_ns, all_ns) = (sum(|one| one.cause == Cause::Locks), sum(|_| true));
    let dearest = all.iter().filter(|one| one.cause == Cause::Locks);
    let dearest = dearest.max_by(|one, other| one.after_ns.total_cmp(&other.after_ns))?;
    (locked_ns > LOCKED * all_ns).then(|| {
        let share = percent(locked_ns, all_ns);
        format!("{share} % of their CPU time is {} {}: {}", dearest.cause.what(), dearest.place, dearest.cause.cure())
    })
}

/// Causes of slower code if more work does not explain it.
const SLOWED: &str = "the threads slow each other down, by false sharing (variables of several threads in one cache line, which `perf c2c record` \
                      shows: give each thread its own, or keep them apart) or by the memory's bandwidth";

impl Cause {
    fn what(self) -> &'static str {
        match self {
            Self::Work => "the code of",
            Self::Atomic => "atomic updates in",
            Self::Locks => "locking a mutex of the C library in",
            Self::Allocator => "the allocator, called by",
            Self::Runtime => "the OpenMP runtime, called by",
        }
    }

    fn cure(self) -> &'static str {
        match self {
            // Samples can't distinguish more work from slower work.
            Self::Work => {
                "either all threads together do more work (does each thread execute the whole loop: is `for` missing? `perf stat` \
                 counts instructions), or they slow each other down: by false sharing (variables of several threads in one cache line, \
                 which `perf c2c record` shows: give each thread its own, or keep them apart), by the memory's bandwidth, or by a \
                 lower clock rate"
            }
            Self::Atomic => {
                "threads that update the same cache line take turns: let each thread add up in a variable of its own, as in a reduction, \
                 unless each thread executes the whole loop (is `for` missing?)"
            }
            Self::Locks => {
                "hold it for less time, or give each thread its own data (also for functions with a lock inside, such as rand)"
            }
            Self::Allocator => {
                "allocate outside of the loop, or take an allocator with memory for each thread, unless each thread executes the \
                 whole loop (is `for` missing?)"
            }
            Self::Runtime => "make chunks, tasks or regions larger, or hold locks for less time",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(place: &str, cause: Cause, before_ns: f64, after_ns: f64) -> Grown {
        Grown { place: place.to_owned(), cause, before_ns, after_ns }
    }

    #[test]
    fn what_has_grown_most_is_named_with_its_kind() {
        let all = [
            grown("main at a.c:1", Cause::Work, 9e7, 1e8),
            grown("add at a.c:9", Cause::Locks, 1e7, 3e8),
            grown("faster at a.c:20", Cause::Work, 9e7, 1e7),
        ];
        let text = sentence(&all, false).unwrap();
        assert!(
            text.starts_with(
                "More time is spent in locking a mutex of the C library in add at a.c:9 (300.000 ms in place of 10.000 ms):"
            ),
            "{text}"
        );
        assert!(!text.contains("a.c:1 ") && !text.contains("cache lines"), "{text}");
        let work = |beyond| sentence(&[grown("main at a.c:1", Cause::Work, 1e7, 1e8)], beyond).unwrap();
        let (work, slowed) = (work(false), work(true));
        assert!(!slowed.contains("is `for` missing") && slowed.contains("false sharing"), "{slowed}");
        assert!(work.contains("is `for` missing?") && work.contains("false sharing"), "two causes remain: {work}");
        let atomic = sentence(&[grown("main at a.c:1", Cause::Atomic, 1e7, 1e8)], true).unwrap();
        assert!(atomic.contains("in atomic updates in main at a.c:1 (") && atomic.contains("reduction"), "{atomic}");
        assert_eq!(sentence(&all[2..], false), None);
        assert_eq!(sentence(&[grown("main at a.c:10", Cause::Work, 7.1e6, 9.06e6)], false), None, "two samples");
    }

    #[test]
    fn locks_are_named_where_most_of_the_time_is_in_them() {
        let all = [grown("main at r.c:8", Cause::Locks, 2e8, 3e8), grown("main at r.c:9", Cause::Work, 1e8, 1e8)];
        let text = locks(&all).unwrap();
        assert!(
            text.starts_with("75.00 % of their CPU time is locking a mutex of the C library in main at r.c:8"),
            "{text}"
        );
        assert_eq!(locks(&all[1..]), None);
        assert_eq!(locks(&[grown("f at r.c:1", Cause::Work, 1e8, 9e8), all[0].clone()]), None);
    }
}
