//! Profiles for other programs: folded stacks, a flame graph, a file for the Firefox Profiler, and tables in Parquet.
//!
//! The writers of stacks get the same input: stacks of names with the time spent there.

pub mod firefox;
pub mod flame;
pub mod folded;
pub mod parquet;
mod stacks;
mod tree;

use std::rc::Rc;

pub use stacks::Stacks;
pub(crate) use stacks::name;

/// A stack with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighted<'a> {
    /// Frames from the root on. Stacks share their frames.
    pub frames: &'a [Rc<FrameName>],
    /// Wall-clock time spent there, in nanoseconds.
    pub wall_ns: u64,
    /// CPU time spent there, in nanoseconds.
    pub cpu_ns: u64,
    /// Index of the thread in its process.
    pub thread: usize,
    /// Index of the process in the profile.
    pub process: usize,
    /// End of that time, by CLOCK_MONOTONIC.
    pub at_ns: u64,
    /// True for OpenMP Wait.
    pub waits: bool,
    /// Name of the state; empty: unknown.
    pub state: &'a str,
}

/// A function in a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrameName {
    /// Name as its author knows it, or in angle brackets the kind of a wait: `<OMP-idle>`.
    pub function: String,
    /// Source file.
    pub file: Option<String>,
    /// Line; 0: unknown.
    pub line: u32,
    /// File name of the object; empty: unknown.
    pub object: String,
}

impl FrameName {
    /// True if the frame represents a state of OpenMP's, not a function.
    pub fn is_state(&self) -> bool {
        self.function.starts_with("<OMP-")
    }
}

/// Kind of time that is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Wall-clock time, with sleeping waits.
    #[default]
    Wall,
    /// CPU time.
    Cpu,
}

impl Clock {
    fn of(self, stack: &Weighted) -> u64 {
        match self {
            Self::Wall => stack.wall_ns,
            Self::Cpu => stack.cpu_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FrameName, Rc, Weighted};

    pub(super) fn frames(names: &[&str]) -> Vec<Rc<FrameName>> {
        let named = |name: &&str| Rc::new(FrameName { function: (*name).to_owned(), ..FrameName::default() });
        names.iter().map(named).collect()
    }

    pub(super) fn weighted(frames: &[Rc<FrameName>], wall_ns: u64, cpu_ns: u64) -> Weighted<'_> {
        Weighted {
            frames,
            wall_ns,
            cpu_ns,
            thread: 0,
            process: 0,
            at_ns: wall_ns,
            waits: false,
            state: "THR_WORK_STATE",
        }
    }
}
