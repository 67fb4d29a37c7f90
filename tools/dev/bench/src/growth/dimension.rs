//! Dimensions in which a program can be large.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::programs::{OPENMP, Programs, output, undisturbed};

/// Dimension, by the name that `growth.c` has for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dimension {
    pub(super) name: &'static str,
    /// Unit of the sizes.
    pub(super) unit: &'static str,
    /// Sizes, each ten times the previous one.
    pub(super) sizes: &'static [u64],
    pub(super) source: Source,
}

/// Origin of a dimension's recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Program(Held),
    /// A simulated process with this number of events.
    Events,
    /// A simulated job with this number of ranks.
    Ranks,
}

/// Activity of a program while a command examines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// It waits where it has reached the size.
    Built,
    /// It executes all of it again and again.
    Repeated,
    /// Nothing of the size is in one process.
    Never,
}

const fn program(name: &'static str, unit: &'static str, sizes: &'static [u64], held: Held) -> Dimension {
    Dimension { name, unit, sizes, source: Source::Program(held) }
}

/// All dimensions. The largest sizes are those at which the bare program takes some seconds, or reaches the usual limits of a machine.
pub(super) const ALL: [Dimension; 16] = [
    program("threads", "threads in a team", &[10, 100, 1_000, 10_000], Held::Built),
    program("churn", "threads created in turn", &[100, 1_000, 10_000], Held::Repeated),
    program("regions", "regions executed", &[1_000, 10_000, 100_000, 1_000_000, 10_000_000], Held::Repeated),
    program("distinct", "distinct regions", &[10, 100, 1_000, 10_000, 100_000], Held::Repeated),
    program("tasks", "tasks", &[1_000, 10_000, 100_000, 1_000_000, 10_000_000], Held::Repeated),
    program("depth", "tasks inside of each other", &[100, 1_000, 10_000, 100_000], Held::Built),
    program("locks", "locks", &[1_000, 10_000, 100_000, 1_000_000], Held::Repeated),
    program("held", "locks held at the same time", &[100, 1_000, 10_000, 100_000], Held::Repeated),
    program("criticals", "critical sections of different names", &[1_000, 10_000, 100_000, 1_000_000], Held::Repeated),
    program("mappings", "mappings, with 200 threads", &[60, 600, 6_000, 60_000], Held::Built),
    program("libraries", "libraries, each with a region", &[10, 100, 1_000], Held::Repeated),
    program("processes", "processes forked", &[20, 200, 2_000], Held::Never),
    program("commands", "processes of another program", &[10, 100, 1_000], Held::Never),
    program("stack", "stack frames, for 50 ms", &[10, 100, 1_000, 10_000, 100_000], Held::Built),
    Dimension {
        name: "events",
        unit: "events in a recording, simulated",
        sizes: &[10_000, 100_000, 1_000_000, 10_000_000, 100_000_000],
        source: Source::Events,
    },
    Dimension { name: "ranks", unit: "ranks, simulated", sizes: &[1, 4, 41, 410, 4_096], source: Source::Ranks },
];

/// Kilobytes of stack that nested tasks need.
const STACK: &str = "4194304";

impl Dimension {
    /// Builds the program of a size, with the flags that its command needs.
    pub(super) fn prepare(self, programs: &Programs, size: u64, flags: &[&str]) -> Result<PathBuf> {
        let kind = if flags.is_empty() { "plain" } else { "tsan" };
        let flags = [OPENMP, &["-g"], flags].concat();
        if self.name != "distinct" {
            return programs.compile("growth", &format!("growth-{kind}"), &flags);
        }
        let source = programs.file(&format!("distinct{size}-{kind}.c"));
        let program = source.with_extension("");
        // The largest one takes a minute to compile. Its text is never whole in memory, because a command that is started then counts as at
        // least as large as this program.
        let is_same = |last: File| BufReader::new(last).lines().map_while(Result::ok).eq(distinct(size));
        if program.exists() && File::open(&source).is_ok_and(is_same) {
            return Ok(program);
        }
        let _ = fs::remove_file(&program);
        let mut file = BufWriter::new(File::create(&source)?);
        distinct(size).try_for_each(|line| writeln!(file, "{line}"))?;
        file.flush()?;
        // Not optimized, because the compiler's time grows with the square of a function's size.
        let headers = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");
        output(Command::new("gcc").args(&flags).args(["-O0", "-I", headers, "-o"]).arg(&program).arg(&source))?;
        Ok(program)
    }

    /// Arguments of the program.
    pub(super) fn arguments(self, programs: &Programs, size: u64) -> Result<Vec<String>> {
        let mut words = vec![self.name.to_owned(), size.to_string()];
        if self.name == "libraries" {
            let folder = programs.file("growth-libraries");
            fs::create_dir_all(&folder)?;
            let one = programs.compile("growth_library", "libgrowth.so", &["-fopenmp", "-g", "-shared", "-fPIC"])?;
            for number in 0..size {
                let path = folder.join(format!("lib{number}.so"));
                if !path.exists() {
                    fs::copy(&one, path)?;
                }
            }
            words.push(folder.display().to_string());
        }
        Ok(words)
    }

    /// Sets the variables that a program of this dimension needs.
    pub(super) fn set_up(self, command: &mut Command) {
        undisturbed(command);
        // If threads of a team far larger than the machine spin, they only wait for processors that others occupy. A team of two that
        // sleeps shows what waking up costs, which varies by more than any command adds.
        let has_many_threads = ["threads", "churn", "mappings", "processes", "commands"].contains(&self.name);
        let policy = if has_many_threads { "passive" } else { "active" };
        command.env("OMP_WAIT_POLICY", policy).env("OMP_DYNAMIC", "false");
        if self.name == "depth" {
            command.env("OMP_STACKSIZE", "4G");
        }
    }

    /// The same command with the stack that a program of this dimension needs, where the system allows it.
    pub(super) fn with_stack(self, command: Command) -> Command {
        if self.name != "depth" {
            return command;
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -s {STACK}; exec \"$@\""), "sh"]);
        shell.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell
    }
}

/// Lines of a program with `size` regions, executed one after the other.
fn distinct(size: u64) -> impl Iterator<Item = String> {
    let begin = ["#include \"growth_hold.h\"", "static int members;"].map(str::to_owned);
    let function = |number| {
        [
            format!("static void f{number}(void) {{"),
            "#pragma omp parallel num_threads(2)".to_owned(),
            "#pragma omp atomic".to_owned(),
            "  members++;".to_owned(),
            "}".to_owned(),
        ]
    };
    let body = ["int main(void) {", "  do {"].map(str::to_owned);
    let end = ["  } while (again());", "  return 0;", "}"].map(str::to_owned);
    let calls = (0..size).map(|number| format!("    f{number}();"));
    begin.into_iter().chain((0..size).flat_map(function)).chain(body).chain(calls).chain(end)
}
