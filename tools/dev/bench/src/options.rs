//! Command line of the benchmarks.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Measures the cost of watching, and prints tables.
#[derive(Parser)]
#[command(
    version,
    after_help = "Example: cargo run --release -p bench -- bots --kernels fib,sort --threads 2 --rounds 31"
)]
pub(crate) struct Options {
    /// Benchmarks to run.
    #[arg(value_enum, default_value = "constructs")]
    pub(crate) benchmarks: Vec<Name>,
    /// Number of rounds: all programs run once in each. Each benchmark has a default of its own.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Number of batches of about a millisecond that a program runs of each construct; the fastest counts.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    batches: Option<u32>,
    /// Number of tasks that each thread creates (tasks, pomp).
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u32).range(1000..))]
    tasks: u32,
    /// Sizes of the team (tasks, pomp, bots).
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_value = "1,2,4")]
    threads: Vec<u32>,
    /// Only these kernels (bots, trace).
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) kernels: Vec<String>,
    /// Only these programs (profile: regions, region_work, often, barriers, tasks, stencil, training; all: constructs, live,
    /// training, triad, stencil, region_work, or names of kernels; corpus: names of cases; growth: commands
    /// and dimensions).
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) only: Vec<String>,
    /// Approximate time of each whole program without watching (all: 400, profile: 2000).
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..))]
    length: Option<u32>,
    /// A Python with scikit-learn, for a training (all, profile); also named by `ORA_TEST_PYTHON`.
    #[arg(long, value_name = "FILE")]
    pub(crate) python: Option<PathBuf>,
    /// A folder with another libomp.so.5 than the compiler's (ompt).
    #[arg(long, value_name = "FOLDER")]
    pub(crate) libomp: Option<PathBuf>,
    /// A file with a name and a command on each line (tune).
    #[arg(long, value_name = "FILE")]
    pub(crate) programs: Option<PathBuf>,
    /// Waiting threads sleep (`OMP_WAIT_POLICY=passive`, profile): on a machine that others use, times of spinning
    /// threads have no meaning.
    #[arg(long)]
    pub(crate) passive: bool,
    /// Also writes the facts that findings come from into the cases' folders; takes an `ora` that was built with
    /// `--features ora-advice/record` (corpus).
    #[arg(long)]
    pub(crate) record: bool,
    /// Small programs and few rounds: only checks that all works.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Also counts the instructions of constructs and requests; the other benchmarks count without it.
    #[arg(long)]
    pub(crate) instructions: bool,
    /// Leaves out the instruction counts, which need valgrind.
    #[arg(long, conflicts_with = "instructions")]
    no_instructions: bool,
    /// Prints all results as JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
    /// Another libora.so than that beside this program; the command `ora` and the collector lie beside it.
    #[arg(long, value_name = "FILE")]
    pub(crate) library: Option<PathBuf>,
}

/// The names of the benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Name {
    /// Constructs at each level of watching, and requests.
    Constructs,
    /// Each runtime, level and construct, and whole programs, in one interleaved run.
    All,
    /// Many tiny tasks (the benchmark of the OPARI task paper of 2010), and the memory that tasks take.
    Tasks,
    /// The same tasks in a program that OPARI has instrumented; needs opari2.
    Pomp,
    /// Programs made of tasks (the kernels of the OpenUH paper, after the Barcelona OpenMP Tasks Suite).
    Bots,
    /// Events and queries of OMPT on libgomp, beside those that LLVM's runtime brings itself; needs clang and libomp.
    Ompt,
    /// Collectors and tools on LLVM's runtime, beside a native tool that does nothing; needs clang and libomp.
    #[value(alias = "host")]
    Libomp,
    /// `ora profile`, beside `perf record -g` and gprofng, where these are.
    Profile,
    /// `ora trace`: its cost to programs made of tasks, a high rate of events, and the page of a large trace.
    Trace,
    /// `ora tune` on the programs of a list (`--programs`), beside all combinations of the variables that it tries.
    Tune,
    /// What `ora` says first about problems that people report, and what the cures gain (`tools/advice/corpus`).
    Corpus,
    /// How the costs of `ora`'s commands grow with threads, regions, tasks, mappings, libraries, processes and stacks.
    Growth,
}

impl Options {
    /// Number of rounds: `quick` in a quick run, or else the requested number, or else `usual`.
    pub(crate) fn rounds(&self, usual: u32, quick: u32) -> u32 {
        self.rounds.unwrap_or(if self.quick { quick } else { usual })
    }

    pub(crate) fn batches(&self) -> u32 {
        self.batches.unwrap_or(if self.quick { 2 } else { 12 })
    }

    pub(crate) fn length(&self, usual: u32, quick: u32) -> u32 {
        if self.quick { quick } else { self.length.unwrap_or(usual) }
    }

    /// Number of tasks that each thread creates; a hundredth of it in a quick run.
    pub(crate) fn tasks(&self) -> u32 {
        if self.quick { self.tasks / 100 } else { self.tasks }
    }

    pub(crate) fn threads(&self) -> Vec<u32> {
        self.threads.iter().copied().filter(|threads| !self.quick || *threads <= 2).collect()
    }

    /// True if instructions are counted in benchmarks that usually count them.
    pub(crate) fn counts(&self) -> bool {
        !self.no_instructions
    }

    /// True if the program of this name is selected.
    pub(crate) fn selects(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}
