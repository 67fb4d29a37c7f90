//! Signal stress test over programs on every runtime: each thread is interrupted 10,000 times a second, and its handler queries
//! all three tool interfaces (`storm/`). Called as `cargo xtask signal-stress`.

pub mod cells;
pub mod counts;
pub mod table;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::forge::{Forge, Language};
use crate::run::{Launch, Outcome};
use crate::skips::skip;
use cells::Cell;
use counts::Counts;

/// Results of a program under the stress test.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Number of runs.
    pub runs: u64,
    /// Counts of queries and violations.
    pub counts: Counts,
    /// The first run that ended differently from a run without the library.
    pub otherwise: Option<String>,
}

/// Preloaded libraries of the stress test.
pub struct StressLibraries {
    libraries: [PathBuf; 2],
    file: PathBuf,
    /// Makes the handler itself violate its rules, to test that violations are detected.
    pub breaks_rules: bool,
}

impl StressLibraries {
    /// Compiles the libraries.
    ///
    /// # Panics
    /// If they can't be compiled.
    pub fn build(forge: &Forge) -> Self {
        let flags = ["-O2", "-g", "-shared", "-fPIC", "-pthread", "-Istorm"];
        let sources = ["storm/storm.c", "storm/judge.c", "storm/guard.c", "storm/asks_ora.c", "storm/asks_five.c"];
        let collector = forge.build(Language::C99, &sources, &flags, ".so");
        let tr2 = forge.build(Language::C99, &["storm/asks_tr2.c"], &flags, ".so");
        let file = forge.dir().join(format!("storm-counts-{}-{:?}", std::process::id(), std::thread::current().id()));
        Self { libraries: [collector, tr2], file, breaks_rules: false }
    }

    /// Runs a program repeatedly for this duration, at least once. It must end as `bare` did.
    ///
    /// # Panics
    /// If files can't be written or read.
    pub fn over(&self, cell: &Cell, forge: &Forge, bare: &Outcome, time: Duration) -> Row {
        let begun = Instant::now();
        let mut row = Row::default();
        let _ = fs::remove_file(&self.file);
        while row.otherwise.is_none() && (row.runs == 0 || begun.elapsed() < time) {
            let launch = cell.launch(forge);
            let launch = if cell.is_linked { launch } else { launch.with_ora() };
            let launch = self.libraries.iter().fold(launch, |launch, library| launch.with_preload(library));
            let launch = if self.breaks_rules { launch.env("STORM_SINS", "1") } else { launch };
            let (ended, outcome) = launch.env("STORM_COUNTS", &self.file.to_string_lossy()).attempt();
            row.runs += 1;
            if !ended || outcome.status != bare.status || (cell.says_the_same && outcome.stdout != bare.stdout) {
                row.otherwise = Some(format!("{}: {}", outcome.status, outcome.describe()));
            }
        }
        row.counts = Counts::read(&self.file);
        let _ = fs::remove_file(&self.file);
        row
    }
}

/// Runs the program without the library; `None` if this runtime can't run it.
pub fn bare(launch: Launch) -> Option<Outcome> {
    let (ended, outcome) = launch.attempt();
    (ended && outcome.status.success()).then_some(outcome)
}

/// Runs the stress test over all programs on all runtimes, or over those whose line contains all the words, for about this duration in
/// total. Prints the table; returns true if no rule was violated.
pub fn run(forge: &Forge, time: Duration, words: &[String]) -> bool {
    let has_all = |cell: &Cell| words.iter().all(|word| cell.to_string().contains(word));
    let cells: Vec<Cell> = cells::all(forge).into_iter().filter(has_all).collect();
    if cells.is_empty() {
        eprintln!("signal_stress: no line of the table has the words \"{}\"", words.join(" "));
        return false;
    }
    let libraries = StressLibraries::build(forge);
    let mut rows = Vec::new();
    let begun = Instant::now();
    for (index, cell) in cells.iter().enumerate() {
        // Slow programs leave less time for the others.
        let left = u32::try_from(cells.len() - index).unwrap_or(1);
        let share = time.saturating_sub(begun.elapsed()) / left;
        match bare(cell.launch(forge)) {
            None => skip(cell, "this runtime doesn't run it, without us neither"),
            Some(bare) => {
                let row = libraries.over(cell, forge, &bare, share);
                table::line(cell, &row);
                rows.push((cell, row));
            }
        }
    }
    table::end(&rows)
}
