//! Code whose time grows with the number of threads, determined from the samples of two runs.

use terminal::quantity::time;

/// A function whose CPU time has grown by a smaller part of the total growth is not named.
const PART: f64 = 0.15;
/// Maximum number of functions that are named.
const NAMED: usize = 3;

/// Kind of the code that takes longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Code of the program itself.
    Work,
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
    let mut found: Vec<&Grown> = all.iter().filter(|one| one.growth_ns() > PART * whole).collect();
    found.sort_by(|one, other| other.growth_ns().total_cmp(&one.growth_ns()));
    found.truncate(NAMED);
    found
}

/// Sentence about what took longer, with the remedy; `None` if nothing did.
pub(crate) fn sentence(all: &[Grown]) -> Option<String> {
    let found = costliest(all);
    let first = found.first()?;
    let places: Vec<String> = found
        .iter()
        .map(|one| {
            format!("{} {} ({} in place of {})", one.cause.what(), one.place, time(one.after_ns), time(one.before_ns))
        })
        .collect();
    Some(format!("More time is spent in {}: {}", places.join(", "), first.cause.cure()))
}

impl Cause {
    fn what(self) -> &'static str {
        match self {
            Self::Work => "the code of",
            Self::Locks => "locking a mutex of the C library in",
            Self::Allocator => "the allocator, called by",
            Self::Runtime => "the OpenMP runtime, called by",
        }
    }

    fn cure(self) -> &'static str {
        match self {
            // Two causes that samples can't distinguish.
            Self::Work => {
                "its threads write to the same cache lines (false sharing: `perf c2c record` shows these), or the \
                 memory bandwidth is exhausted, or the processor's clock rate drops"
            }
            Self::Locks => {
                "hold it for less time, or give each thread its own data (also for functions with a lock inside, such as rand)"
            }
            Self::Allocator => "allocate outside of the loop, or take an allocator with memory for each thread",
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
        let text = sentence(&all).unwrap();
        assert!(
            text.starts_with(
                "More time is spent in locking a mutex of the C library in add at a.c:9 (300.000 ms in place of 10.000 ms):"
            ),
            "{text}"
        );
        assert!(!text.contains("a.c:1 ") && !text.contains("cache lines"), "{text}");
        assert!(sentence(&[grown("main at a.c:1", Cause::Work, 1e7, 1e8)]).unwrap().contains("false sharing"));
        assert_eq!(sentence(&all[2..]), None);
    }
}
