//! Profiles for other programs: folded stacks, a flame graph, and a file for the Firefox Profiler.
//!
//! All of them get the same: stacks of names with the time that was spent there.

pub mod firefox;
pub mod flame;
pub mod folded;
mod stacks;
mod tree;

use std::rc::Rc;

pub use stacks::Stacks;

/// One weighted stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighted<'a> {
    /// The root first. Stacks share their frames.
    pub frames: &'a [Rc<FrameName>],
    /// Wall-clock time that was spent there.
    pub wall_ns: u64,
    /// CPU time of that.
    pub cpu_ns: u64,
    /// Its number in the process.
    pub thread: usize,
    /// Its number in the profile.
    pub process: usize,
    /// When the time was over, by CLOCK_MONOTONIC.
    pub at_ns: u64,
    /// Whether it is OpenMP Wait.
    pub waits: bool,
    /// The state's name; empty: nobody told.
    pub state: &'a str,
}

/// A function in a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrameName {
    /// As its author calls it, or in angle brackets what a thread waits for: `<OMP-idle>`.
    pub function: String,
    /// Its source file.
    pub file: Option<String>,
    /// 0: unknown.
    pub line: u32,
    /// The file name of the object; empty: unknown.
    pub object: String,
}

impl FrameName {
    /// Whether it stands for a state of OpenMP's, not for a function.
    pub fn is_state(&self) -> bool {
        self.function.starts_with("<OMP-")
    }
}

/// Which time counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Sleeping waits are part of it.
    #[default]
    Wall,
    /// What a core has worked for.
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
