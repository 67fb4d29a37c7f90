//! Selects what is shown of some runs: the process in full, and the other processes in short.

use super::figures::{Figures, Value};
use super::snapshot::{Process, Run};

/// One or more runs, arranged for a reader.
pub struct Report<'a> {
    /// The last run: the source of everything that can't be averaged.
    pub last: &'a Run,
    /// Number of runs.
    pub runs: usize,
    /// Wall time as `ora` saw it.
    pub wall_ns: Value,
    /// The process shown in full.
    pub subject: Option<Shown<'a>>,
    /// The subject was started by the program, and is the only process that used OpenMP.
    pub subject_was_started: bool,
    /// The other processes, in short.
    pub others: Vec<Shown<'a>>,
    /// The runs started different numbers of processes, so the others are those of the last run.
    pub others_of_last_run: bool,
}

/// One process: its state in the last run, and its figures over all runs.
pub struct Shown<'a> {
    /// As it was in the last run.
    pub process: &'a Process,
    /// Over all runs.
    pub figures: Figures,
}

impl<'a> Shown<'a> {
    fn of(same: &[&'a Process]) -> Option<Self> {
        Some(Self { process: same.last()?, figures: Figures::of(same) })
    }
}

impl<'a> Report<'a> {
    /// # Panics
    /// If there are no runs.
    pub fn of(runs: &'a [Run]) -> Self {
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
