//! What requests cost on LLVM's runtime, beside the same requests on libgomp: `requests.c` by clang and by gcc.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use crate::callgrind;
use crate::programs::{Program, Programs, output, undisturbed};
use crate::rounds::rows;
use crate::rows::{Mode, PLACES, REQUESTS};
use crate::samples::Samples;
use crate::tables::{line, number, title};

/// Whose regions the requests are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Runtime {
    Libgomp,
    Libomp,
}

/// Requests on both.
#[derive(Serialize)]
pub(crate) struct Requests {
    times: Samples<Runtime>,
    instructions: Samples<Runtime>,
}

const COUNT: u32 = 10_000;

impl Requests {
    /// Measures both in each round; `by_clang` is the program on LLVM's runtime.
    pub(crate) fn measure(programs: &Programs, by_clang: &Path, rounds: u32, counted: bool) -> Result<Self> {
        let mut measured = Self { times: Samples::default(), instructions: Samples::default() };
        let both =
            [(Runtime::Libgomp, programs.path(Program::Requests).to_owned()), (Runtime::Libomp, by_clang.to_owned())];
        let watch = |command: &mut _| {
            programs.watch(command, Mode::Tracking);
        };
        for round in 0..rounds {
            eprint!("\rrequests, round {} of {rounds}", round + 1);
            for (runtime, program) in &both {
                let mut command = std::process::Command::new(program);
                undisturbed(&mut command);
                watch(&mut command);
                for (row, value) in rows(&output(command.args(["time", "12"]))?)? {
                    measured.times.add(&row, *runtime, value);
                }
            }
        }
        eprintln!();
        for (request, place) in all().filter(|_| counted) {
            let row = format!("{request}_{place}");
            for (runtime, program) in &both {
                let total = |count: u32| {
                    callgrind::counted(program, &["run", &row, &count.to_string()], None, |command| watch(command))
                };
                let each = (total(2 * COUNT)? - total(COUNT)?) / f64::from(COUNT);
                measured.instructions.add(&row, *runtime, each);
            }
        }
        Ok(measured)
    }

    /// The table.
    pub(crate) fn print(&self, out: &mut String) {
        title(
            out,
            "Requests of a collector: best time in ns, the middle of the ratios of each round, and instructions",
        );
        line(
            out,
            &format!("{:42}{:>10}{:>10}{:>8}{:>12}{:>10}", "", "libgomp", "libomp", "ratio", "libgomp", "libomp"),
        );
        for (request, place) in all() {
            let row = format!("{request}_{place}");
            let cell = |value: Option<f64>| value.map_or("-".to_owned(), number);
            let [gomp, omp] = [Runtime::Libgomp, Runtime::Libomp].map(|runtime| cell(self.times.best(&row, runtime)));
            let ratio = self.times.paired(&row, Runtime::Libomp, Runtime::Libgomp, |omp, gomp| omp / gomp);
            let [gomp_count, omp_count] =
                [Runtime::Libgomp, Runtime::Libomp].map(|runtime| cell(self.instructions.best(&row, runtime)));
            let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            line(out, &format!("{row:42}{gomp:>10}{omp:>10}{ratio:>8}{gomp_count:>12}{omp_count:>10}"));
        }
    }
}

/// Each request in each place.
fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    REQUESTS.iter().flat_map(|(request, _)| PLACES.iter().map(move |(place, _)| (*request, *place)))
}
