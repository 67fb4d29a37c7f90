//! Selection of what is shown of some runs: the process in full, and the processes in short.

use super::figures::{Figures, Value};
use super::snapshot::{Process, Run};

/// Some runs, at least one, put in order for a reader.
pub(crate) struct Report<'a> {
    /// The last run: the source of everything that can't be averaged.
    pub(crate) last: &'a Run,
    pub(crate) runs: usize,
    /// Wall time as `ora` saw it.
    pub(crate) wall_ns: Value,
    /// The process shown in full.
    pub(crate) subject: Option<Shown<'a>>,
    /// The subject is one that the program started, and the only one that used OpenMP.
    pub(crate) subject_was_started: bool,
    pub(crate) others: Vec<Shown<'a>>,
    /// The runs started different numbers of processes, so the others are those of the last run.
    pub(crate) others_of_last_run: bool,
}

/// One process: as it was in the last run, and its figures over all.
pub(crate) struct Shown<'a> {
    pub(crate) process: &'a Process,
    pub(crate) figures: Figures,
}

impl<'a> Shown<'a> {
    fn of(same: &[&'a Process]) -> Option<Self> {
        Some(Self { process: same.last()?, figures: Figures::of(same) })
    }
}

impl<'a> Report<'a> {
    /// # Panics
    /// Without any run.
    pub(crate) fn of(runs: &'a [Run]) -> Self {
        let last = runs.last().expect("the program ran at least once");
        let main_used_openmp = last.main.as_ref().is_some_and(Process::used_openmp);
        let subject_was_started = !main_used_openmp && last.others.len() == 1;
        let subject: Vec<&Process> = if subject_was_started {
            runs.iter().filter_map(|run| run.others.first()).collect()
        } else {
            runs.iter().filter_map(|run| run.main.as_ref()).collect()
        };
        let others_of_last_run = runs.iter().any(|run| run.others.len() != last.others.len());
        let place = |place: usize| -> Vec<&'a Process> {
            let averaged = if others_of_last_run { runs.get(runs.len() - 1..) } else { Some(runs) };
            averaged.unwrap_or_default().iter().filter_map(|run| run.others.get(place)).collect()
        };
        let count = if subject_was_started { 0 } else { last.others.len() };
        Self {
            last,
            runs: runs.len(),
            wall_ns: Value::over(runs.iter().map(|run| run.wall_ns as f64)),
            subject: Shown::of(&subject),
            subject_was_started,
            others: (0..count).filter_map(|other| Shown::of(&place(other))).collect(),
            others_of_last_run: others_of_last_run && count > 0,
        }
    }
}
