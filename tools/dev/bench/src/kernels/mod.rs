//! `bench bots`: programs made of tasks, the kernels of the OpenUH paper's table in programs/kernels, at each level of
//! watching.

mod tables;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use crate::answer::Answer;
use crate::mode::Mode;
use crate::options::Options;
use crate::programs::{Programs, output};
use crate::runner::{self, Counted, Counting, Subject};
use crate::samples::Samples;
use crate::tasks::as_users_run_it;

/// A kernel and its problem sizes.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    /// Size for times: about a second of CPU time.
    full: u32,
    /// Size for times in `bench all`: some tenths of a second.
    pub(crate) middle: u32,
    /// Size for instruction counts.
    pub(crate) small: u32,
}

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel { name: "fft", full: 300, middle: 100, small: 5 },
    Kernel { name: "health", full: 400, middle: 100, small: 60 },
    Kernel { name: "uts", full: 600, middle: 200, small: 80 },
    Kernel { name: "alignment", full: 600, middle: 300, small: 60 },
    Kernel { name: "sparselu", full: 90, middle: 60, small: 24 },
    Kernel { name: "fib", full: 43, middle: 40, small: 34 },
    Kernel { name: "floorplan", full: 13, middle: 12, small: 12 },
    Kernel { name: "nqueens", full: 14, middle: 13, small: 13 },
    Kernel { name: "sort", full: 10_000_000, middle: 3_000_000, small: 200_000 },
    Kernel { name: "strassen", full: 1024, middle: 512, small: 256 },
];

/// Levels that are compared.
const MODES: [Mode; 4] = [Mode::Bare, Mode::Off, Mode::Tracking, Mode::All];

/// All results. Times are per task, because the number of tasks of some kernels varies.
#[derive(Serialize)]
struct Report {
    rounds: u32,
    rows: Vec<Row>,
    /// Wall-clock time, in seconds.
    wall: Samples,
    /// CPU time, in seconds.
    processor: Samples,
    /// Number of tasks.
    tasks: Samples,
    /// Instructions, with one thread.
    instructions: Samples,
}

/// A kernel with tied or untied tasks on a number of threads.
#[derive(Clone, Serialize)]
struct Row {
    /// Name of the row in the samples.
    key: String,
    /// Name of the row in the samples of instructions.
    variant: String,
    kernel: &'static str,
    untied: bool,
    threads: u32,
}

/// Output of a kernel.
pub(crate) struct Outcome {
    pub(crate) wall: f64,
    pub(crate) processor: f64,
    pub(crate) tasks: f64,
    checksum: String,
}

/// A kernel with its compiled programs.
struct Built {
    row: Row,
    program: PathBuf,
    size: u32,
    small: u32,
    checksum: String,
}

pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let rounds = options.rounds(11, 2);
    let all = build(programs, options)?;
    let subjects: Vec<_> = all.iter().map(|built| built.subject(programs)).collect();
    let samples: Samples = runner::together(rounds, &subjects)?;
    let mut counted: Vec<Counted<'_, Mode>> = Vec::new();
    for built in all.iter().filter(|_| options.counts()) {
        if counted.iter().all(|counted| counted.row != built.row.variant) {
            counted.push(built.counted(programs)?);
        }
    }
    let instructions = runner::instructions(&counted)?;
    let part = |name: &str| samples.part(&format!("{name} "));
    let (wall, processor, tasks) = (part("wall"), part("processor"), part("tasks"));
    let rows = all.iter().map(|built| built.row.clone()).collect();
    let report = Report { rounds, rows, wall, processor, tasks, instructions };
    Answer::new(programs, &report, tables::page(&report))
}

/// Builds the selected kernels, and runs their serial programs.
fn build(programs: &Programs, options: &Options) -> Result<Vec<Built>> {
    if let Some(name) = options.kernels.iter().find(|name| KERNELS.iter().all(|kernel| kernel.name != **name)) {
        let names: Vec<_> = KERNELS.iter().map(|kernel| kernel.name).collect();
        bail!("there is no kernel {name}: take some of {}", names.join(","));
    }
    let chosen = |kernel: &&Kernel| options.kernels.is_empty() || options.kernels.iter().any(|k| k == kernel.name);
    let mut all = Vec::new();
    for kernel in KERNELS.iter().filter(chosen) {
        eprint!("\rserial {:40}", kernel.name);
        let source = format!("kernels/{}", kernel.name);
        let (small, size) = (kernel.small, if options.quick { kernel.small } else { kernel.full });
        let serial = programs.compile(&source, &format!("{}-serial", kernel.name), &["-Wno-unknown-pragmas"])?;
        let checksum = outcome(&output(Command::new(serial).args([size.to_string(), 1.to_string()]))?)?.checksum;
        for untied in [false, true] {
            let variant = format!("{} {}", kernel.name, if untied { "untied" } else { "tied" });
            let more: &[&str] = if untied { &["-fopenmp", "-DUNTIED"] } else { &["-fopenmp"] };
            let program = programs.compile(&source, &variant.replace(' ', "-"), more)?;
            for threads in options.threads() {
                let key = format!("{variant} {threads}");
                let row = Row { key, variant: variant.clone(), kernel: kernel.name, untied, threads };
                all.push(Built { row, program: program.clone(), size, small, checksum: checksum.clone() });
            }
        }
    }
    Ok(all)
}

impl Built {
    /// The kernel as a subject. A run must find the serial program's checksum.
    fn subject<'a>(&'a self, programs: &'a Programs) -> Subject<'a, Mode> {
        let words = [self.size.to_string(), self.row.threads.to_string()];
        Subject {
            name: self.row.key.clone(),
            ways: MODES.to_vec(),
            command: Box::new(move |mode, _| Ok(as_users_run_it(programs.command(&self.program, mode, &words)))),
            values: Box::new(|reading| {
                let found = outcome(&reading.text)?;
                ensure!(found.checksum == self.checksum, "finds {}, alone {}", found.checksum, self.checksum);
                let value = |name: &str, value: f64| (format!("{name} {}", self.row.key), value);
                Ok(vec![
                    value("wall", found.wall / found.tasks),
                    value("processor", found.processor / found.tasks),
                    value("tasks", found.tasks),
                ])
            }),
        }
    }

    /// Instruction count of a small run on one thread, for each task.
    fn counted<'a>(&'a self, programs: &'a Programs) -> Result<Counted<'a, Mode>> {
        let words = [self.small.to_string(), 1.to_string()];
        let tasks = outcome(&output(Command::new(&self.program).args(&words))?)?.tasks;
        Ok(Counted {
            row: self.row.variant.clone(),
            ways: MODES.to_vec(),
            counting: Counting::Whole(tasks),
            within: Some("measured"),
            command: Box::new(move |mode, _| Ok(programs.command(&self.program, mode, &words))),
        })
    }
}

/// Parses the output of a kernel.
///
/// # Errors
/// If the output has another form.
pub(crate) fn outcome(text: &str) -> Result<Outcome> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [wall, processor, tasks, checksum] = words.as_slice() else { bail!("four words expected in `{text}`") };
    let number = |word: &str| word.parse::<f64>().with_context(|| format!("no number in `{text}`"));
    let (wall, processor, tasks) = (number(wall)?, number(processor)?, number(tasks)?);
    Ok(Outcome { wall, processor, tasks, checksum: (*checksum).to_owned() })
}
