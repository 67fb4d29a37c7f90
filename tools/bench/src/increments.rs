//! Many tiny tasks: the artificial benchmark of the OPARI task paper of 2010 (section 8.1), and the memory that tasks take.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;

use crate::programs::{Programs, output, processors};
use crate::rows::Mode;
use crate::samples::Samples;
use crate::{callgrind, increments_tables};

/// What `bench tasks` can be told.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Sizes of the team.
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_value = "1,2,4")]
    threads: Vec<u32>,
    /// How many tasks each thread creates.
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u32).range(1000..))]
    tasks: u32,
    /// How many times all programs run, one after the other.
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// A hundredth of the tasks, and two rounds: to see that all works.
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

/// The levels that are compared. The last one needs the command.
pub(crate) const MODES: [Mode; 6] =
    [Mode::Bare, Mode::Again, Mode::Off, Mode::Tracking, Mode::TaskEvents, Mode::Profiled];

/// Tasks that are counted under callgrind, at least and at most: what differs between the two is counted.
const COUNTED: [u32; 2] = [20_000, 40_000];

/// All that was measured. Rows are sizes of the team; where tasks are waited for, all are queued.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) library: PathBuf,
    pub(crate) processors: usize,
    pub(crate) rounds: u32,
    pub(crate) tasks: u32,
    pub(crate) threads: Vec<u32>,
    /// Nanoseconds of a thread for each of its tasks.
    pub(crate) times: Samples,
    /// Instructions of a task, one thread.
    pub(crate) instructions: Samples,
    /// Bytes that the heap holds for a queued task, and that the process grows by per million tasks.
    pub(crate) queued: Samples,
    pub(crate) growth: Samples,
}

/// The programs and what is to be done with them.
struct Bench {
    programs: Programs,
    program: PathBuf,
    ora: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let programs = Programs::build(arguments.library.clone())?;
    let program = programs.compile("increments", "increments", &["-fopenmp"])?;
    let ora = programs.ora_tasks();
    if ora.is_none() {
        eprintln!("SKIPPED: `ora tasks`: there is no such command beside {}", programs.library.display());
    }
    let bench = Bench { programs, program, ora };
    let (rounds, tasks) =
        if arguments.quick { (2, arguments.tasks / 100) } else { (arguments.rounds, arguments.tasks) };
    let mut times = Samples::default();
    for round in 0..rounds {
        eprint!("\rround {} of {rounds}", round + 1);
        for threads in &arguments.threads {
            let mut modes = MODES;
            modes.rotate_left(round as usize % MODES.len());
            for mode in modes {
                let (threads, tasks) = (threads.to_string(), tasks.to_string());
                if let Some(ns) = bench.value(mode, &[&threads, &tasks])? {
                    times.add(&threads, mode, ns);
                }
                if let Some(ns) = bench.value(mode, &["waited", &threads, &tasks])? {
                    times.add(&format!("{threads} queued"), mode, ns);
                }
            }
        }
    }
    let mut instructions = Samples::default();
    let (mut queued, mut growth) = (Samples::default(), Samples::default());
    for mode in [Mode::Bare, Mode::Off, Mode::Tracking, Mode::TaskEvents] {
        eprint!("\rinstructions and memory: {:20}", mode.to_string());
        if !arguments.no_instructions {
            instructions.add("1", mode, bench.instructions(mode)?);
        }
        if let Some(bytes) = bench.value(mode, &["queued", "2"])? {
            queued.add("2", mode, bytes);
        }
        if let Some(bytes) = bench.value(mode, &["growth", "2", &(tasks * 2).to_string()])? {
            growth.add("2", mode, bytes);
        }
    }
    eprintln!();
    let report = Report {
        library: bench.programs.library,
        processors: processors(),
        rounds,
        tasks,
        threads: arguments.threads.clone(),
        times,
        instructions,
        queued,
        growth,
    };
    increments_tables::print(&report, arguments.json)
}

impl Bench {
    /// What a run prints. `None` where the mode is not to be had.
    fn value(&self, mode: Mode, arguments: &[&str]) -> Result<Option<f64>> {
        let mut command = match (mode, &self.ora) {
            (Mode::Profiled, Some(ora)) => {
                let mut command = Command::new(ora);
                command.args(["tasks", "-o"]).arg(self.programs.file("profile")).arg("--").arg(&self.program);
                command
            }
            (Mode::Profiled, None) => return Ok(None),
            _ => Command::new(&self.program),
        };
        command.args(arguments);
        self.programs.watch(&mut command, mode);
        // As users run it: threads spin for a while.
        command.env_remove("OMP_WAIT_POLICY");
        let text = output(&mut command)?;
        text.trim().parse().map(Some).with_context(|| format!("no number in `{text}`"))
    }

    fn instructions(&self, mode: Mode) -> Result<f64> {
        let count = |tasks: u32| {
            callgrind::measured(&self.programs, Path::new(&self.program), &["1", &tasks.to_string()], mode)
        };
        let [few, many] = COUNTED;
        Ok((count(many)? - count(few)?) / f64::from(many - few))
    }
}
