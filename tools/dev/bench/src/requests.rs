//! Requests of `requests.c`: their cost on LLVM's runtime, compared with the same requests on libgomp.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde::Serialize;

use crate::mode::Mode;
use crate::ompt::{clang, rpath};
use crate::programs::{OPENMP, Programs};
use crate::runner::{self, Counted, Counting, Subject};
use crate::samples::Samples;
use crate::table::{Page, Table, cell};

/// Requests: name and title.
pub(crate) const REQUESTS: &[(&str, &str)] = &[
    ("no_request", "(a call that does nothing)"),
    ("empty_list", "(an empty list)"),
    ("state_28", "STATE, 28-byte entry"),
    ("state_32", "STATE, 32-byte entry"),
    ("current_prid", "CURRENT_PRID"),
    ("state_and_prid", "STATE + CURRENT_PRID, one batch"),
    ("register", "REGISTER"),
];

/// Place of a request: suffix of the row's name, and its title.
pub(crate) const PLACES: [(&str, &str); 2] = [("outside", "outside of regions"), ("inside", "inside a region")];

/// Names of all rows: each request at each place.
pub(crate) fn rows() -> impl Iterator<Item = String> {
    REQUESTS.iter().flat_map(|(request, _)| PLACES.map(|(place, _)| format!("{request}_{place}")))
}

/// Runtime of the program that makes the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Runtime {
    Libgomp,
    Libomp,
}

const RUNTIMES: [Runtime; 2] = [Runtime::Libgomp, Runtime::Libomp];

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Libgomp => "libgomp",
            Self::Libomp => "libomp",
        })
    }
}

/// Results on both runtimes.
#[derive(Serialize)]
pub(crate) struct Requests {
    times: Samples<Runtime>,
    instructions: Samples<Runtime>,
}

const COUNT: u32 = 10_000;

impl Requests {
    /// Measures both runtimes in each round. Needs clang.
    pub(crate) fn measure(programs: &Programs, rounds: u32, counted: bool) -> Result<Self> {
        let (compiler, _) = clang()?;
        let by_gcc = programs.compile("requests", "requests", OPENMP)?;
        let options = ["-fopenmp", &rpath(compiler)?];
        let by_clang: PathBuf = programs.compile_with(compiler, "requests", "requests-clang", &options)?;
        let command = |runtime: Runtime, words: &[&str]| -> Result<Command> {
            let program: &Path = if runtime == Runtime::Libgomp { &by_gcc } else { &by_clang };
            Ok(programs.command(program, Mode::Tracking, words))
        };
        let subject = Subject {
            name: "requests".to_owned(),
            ways: RUNTIMES.to_vec(),
            command: Box::new(|runtime, _| command(runtime, &["time", "12"])),
            values: Box::new(|reading| runner::rows(&reading.text, "")),
        };
        let counted = rows().filter(|_| counted).map(|row| Counted {
            row: row.clone(),
            ways: RUNTIMES.to_vec(),
            counting: Counting::Twice(COUNT),
            within: None,
            command: Box::new(move |runtime, count| command(runtime, &["run", &row, &count.to_string()])),
        });
        let counted: Vec<_> = counted.collect();
        Ok(Self { times: runner::together(rounds, &[subject])?, instructions: runner::instructions(&counted)? })
    }

    /// Adds the table.
    pub(crate) fn show(&self, page: &mut Page) {
        let mut table = Table::new(
            "Requests of a collector: best time in ns, the middle of the ratios of each round, and instructions",
            "",
            ["libgomp, ns", "libomp, ns", "ratio", "libgomp, instructions", "libomp"],
        );
        for row in rows() {
            let [gomp, omp] = RUNTIMES.map(|runtime| cell(self.times.best(&row, runtime)));
            let ratio = self.times.paired(&row, Runtime::Libomp, Runtime::Libgomp, |omp, gomp| omp / gomp);
            let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            let [gomp_count, omp_count] = RUNTIMES.map(|runtime| cell(self.instructions.best(&row, runtime)));
            table.row(&row, [gomp, omp, ratio, gomp_count, omp_count]);
        }
        page.table(&table);
    }
}
