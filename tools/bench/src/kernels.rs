//! Programs made of tasks: the kernels of the OpenUH paper's table, in programs/kernels, at each level of watching.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Serialize;

use crate::programs::{Programs, output, processors};
use crate::rows::Mode;
use crate::samples::Samples;
use crate::{callgrind, kernel_tables};

/// What `bench bots` can be told.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Only these kernels.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    kernels: Vec<String>,
    /// Sizes of the team.
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_value = "1,2,4")]
    threads: Vec<u32>,
    /// How many times all programs run, one after the other.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Small programs, two rounds, one and two threads: to see that all works.
    #[arg(long)]
    quick: bool,
    /// Leaves out the instruction counts, which need valgrind.
    #[arg(long)]
    no_instructions: bool,
    /// Prints all that was measured as JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Another libora.so than that beside this program.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

/// A kernel and its sizes.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    /// For times: about a second of processor time.
    full: u32,
    /// For times among many others': some tenths of that.
    pub(crate) middle: u32,
    /// For instruction counts.
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

/// The levels that are compared.
pub(crate) const MODES: [Mode; 4] = [Mode::Bare, Mode::Off, Mode::Tracking, Mode::All];

/// All that was measured. Times are for one task: some kernels don't always have as many.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) library: PathBuf,
    pub(crate) processors: usize,
    pub(crate) rounds: u32,
    pub(crate) rows: Vec<Row>,
    /// Seconds that pass.
    pub(crate) wall: Samples,
    /// Seconds of processors.
    pub(crate) processor: Samples,
    /// Instructions, with one thread.
    pub(crate) instructions: Samples,
}

/// One kernel, tied or untied, on so many threads.
#[derive(Serialize)]
pub(crate) struct Row {
    /// Its name in the samples.
    pub(crate) key: String,
    /// Its name in the samples of instructions.
    pub(crate) variant: String,
    pub(crate) kernel: &'static str,
    pub(crate) untied: bool,
    pub(crate) threads: u32,
    pub(crate) tasks: u64,
}

/// What a kernel prints.
struct Outcome {
    wall: f64,
    processor: f64,
    tasks: u64,
    checksum: String,
}

/// A kernel that has been built.
struct Built {
    row: Row,
    program: PathBuf,
    size: u32,
    checksum: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let programs = Programs::build(arguments.library.clone())?;
    let quick = |threads: &u32| !arguments.quick || *threads <= 2;
    let threads: Vec<u32> = arguments.threads.iter().copied().filter(quick).collect();
    let mut all = build(&programs, arguments, &threads)?;
    let (mut wall, mut processor) = (Samples::default(), Samples::default());
    let rounds = if arguments.quick { 2 } else { arguments.rounds };
    for round in 0..rounds {
        for built in &mut all {
            eprint!("\rround {} of {rounds}: {:24}", round + 1, built.row.key);
            let mut modes = MODES;
            modes.rotate_left(round as usize % MODES.len());
            for mode in modes {
                let outcome = kernel(&programs, built, mode)?;
                #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
                let tasks = outcome.tasks as f64;
                wall.add(&built.row.key, mode, outcome.wall / tasks);
                processor.add(&built.row.key, mode, outcome.processor / tasks);
                built.row.tasks = outcome.tasks;
            }
        }
    }
    let mut instructions = Samples::default();
    if !arguments.no_instructions {
        count(&programs, &all, &mut instructions)?;
    }
    eprintln!();
    let rows = all.into_iter().map(|built| built.row).collect();
    let report =
        Report { library: programs.library, processors: processors(), rounds, rows, wall, processor, instructions };
    kernel_tables::print(&report, arguments.json)
}

/// Builds the chosen kernels, and runs their serial programs.
fn build(programs: &Programs, arguments: &Arguments, threads: &[u32]) -> Result<Vec<Built>> {
    if let Some(name) = arguments.kernels.iter().find(|name| KERNELS.iter().all(|kernel| kernel.name != **name)) {
        let names: Vec<_> = KERNELS.iter().map(|kernel| kernel.name).collect();
        bail!("there is no kernel {name}: take some of {}", names.join(","));
    }
    let chosen = |kernel: &&Kernel| arguments.kernels.is_empty() || arguments.kernels.iter().any(|k| k == kernel.name);
    let mut all = Vec::new();
    for kernel in KERNELS.iter().filter(chosen) {
        eprint!("\rserial {:24}", kernel.name);
        let source = format!("kernels/{}", kernel.name);
        let size = if arguments.quick { kernel.small } else { kernel.full };
        let serial = programs.compile(&source, &format!("{}-serial", kernel.name), &["-Wno-unknown-pragmas"])?;
        let checksum = outcome(Command::new(serial).args([size.to_string(), 1.to_string()]))?.checksum;
        for untied in [false, true] {
            let variant = format!("{} {}", kernel.name, if untied { "untied" } else { "tied" });
            let more: &[&str] = if untied { &["-fopenmp", "-DUNTIED"] } else { &["-fopenmp"] };
            let program = programs.compile(&source, &variant.replace(' ', "-"), more)?;
            for &threads in threads {
                let key = format!("{variant} {threads}");
                let row = Row { key, variant: variant.clone(), kernel: kernel.name, untied, threads, tasks: 0 };
                all.push(Built { row, program: program.clone(), size, checksum: checksum.clone() });
            }
        }
    }
    Ok(all)
}

/// Runs a kernel, which has to find what its serial program found.
fn kernel(programs: &Programs, built: &Built, mode: Mode) -> Result<Outcome> {
    let mut command = Command::new(&built.program);
    command.args([built.size.to_string(), built.row.threads.to_string()]);
    programs.watch(&mut command, mode);
    // As users run them: threads spin for a while.
    command.env_remove("OMP_WAIT_POLICY");
    let outcome = outcome(&mut command)?;
    if outcome.checksum != built.checksum {
        bail!("{} ({mode}) finds {}, alone {}", built.row.key, outcome.checksum, built.checksum);
    }
    Ok(outcome)
}

fn outcome(command: &mut Command) -> Result<Outcome> {
    let text = output(command)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let [wall, processor, tasks, checksum] = words.as_slice() else { bail!("four words expected in `{text}`") };
    let number = |word: &str| word.parse::<f64>().with_context(|| format!("no number in `{text}`"));
    Ok(Outcome {
        wall: number(wall)?,
        processor: number(processor)?,
        tasks: tasks.parse()?,
        checksum: (*checksum).to_owned(),
    })
}

/// Instructions of small runs on one thread, for each task.
fn count(programs: &Programs, all: &[Built], instructions: &mut Samples) -> Result<()> {
    for built in all {
        let row = &built.row;
        if instructions.best(&row.variant, Mode::Bare).is_some() {
            continue;
        }
        let Some(kernel) = KERNELS.iter().find(|kernel| kernel.name == row.kernel) else { continue };
        let (size, one) = (kernel.small.to_string(), 1.to_string());
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
        let tasks = outcome(Command::new(&built.program).args([&size, &one]))?.tasks as f64;
        eprint!("\rinstructions of {:24}", row.variant);
        for mode in MODES {
            let total = callgrind::measured(programs, &built.program, &[&size, &one], mode)?;
            instructions.add(&row.variant, mode, total / tasks);
        }
    }
    Ok(())
}
