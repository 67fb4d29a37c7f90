//! `bench host`: what watching costs on LLVM's runtime, beside that runtime with a native tool that does nothing.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::callgrind;
use crate::host_requests::Requests;
use crate::ompt::{clang, rpath};
use crate::programs::{Programs, SHIFTS, output, processors, undisturbed};
use crate::rounds::rows;
use crate::samples::Samples;
use crate::tables::{line, number, title};

/// What `bench host` can be told.
#[derive(Args)]
pub(crate) struct Arguments {
    /// How many times all programs run, one after the other.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How many batches of about a millisecond each program runs of each construct; the quickest counts.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..))]
    batches: u32,
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

/// Who watches clang's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Watch {
    Bare,
    /// The runtime's own OMPT: a tool that has registered nothing; an empty callback for every event.
    Native,
    NativeAll,
    /// The library, and nobody behind it; the same tool behind it.
    Off,
    Through,
    /// A collector: FORK alone, every event.
    Fork,
    Collector,
    /// A tool of Technical Report 2 with every event.
    Tr2,
    /// The tool of OpenMP 5 and the collector with FORK.
    Both,
}

const WATCHES: [Watch; 9] = [
    Watch::Bare,
    Watch::Native,
    Watch::NativeAll,
    Watch::Off,
    Watch::Through,
    Watch::Fork,
    Watch::Collector,
    Watch::Tr2,
    Watch::Both,
];

/// The constructs of `ompt/constructs.c`.
const CONSTRUCTS: [&str; 8] =
    ["region_1", "region_2", "region_work", "barrier_2", "task_queued", "critical_named", "lock", "chunk"];
/// Those whose instructions are the same in each run: no thread waits for another one.
const COUNTED: [&str; 4] = ["region_1", "critical_named", "lock", "task_queued"];
const COUNT: u32 = 4000;

/// All that was measured.
#[derive(Serialize)]
struct Report {
    library: PathBuf,
    clang: String,
    processors: usize,
    rounds: u32,
    batches: u32,
    times: Samples<Watch>,
    instructions: Samples<Watch>,
    requests: Requests,
}

/// What has been built.
struct Built {
    library: PathBuf,
    program: PathBuf,
    tool: PathBuf,
    tool_tr2: PathBuf,
    collector: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let programs = Programs::build(arguments.library.clone())?;
    let (compiler, clang) = clang()?;
    let options = ["-fopenmp", &rpath(compiler)?];
    let built = Built {
        library: programs.library.clone(),
        program: programs.compile_with(compiler, "ompt/constructs", "host-constructs", &options)?,
        tool: programs.compile("ompt/tool", "host-tool.so", &["-shared", "-fPIC"])?,
        tool_tr2: programs.compile("ompt/tool_tr2", "host-tool-tr2.so", &["-shared", "-fPIC"])?,
        collector: programs.collector.clone(),
    };
    let asking = programs.compile_with(compiler, "requests", "host-requests", &options)?;
    let requests = Requests::measure(&programs, &asking, arguments.rounds, !arguments.no_instructions)?;
    let report = Report {
        library: programs.library,
        clang,
        processors: processors(),
        rounds: arguments.rounds,
        batches: arguments.batches,
        times: times(&built, arguments.rounds, arguments.batches)?,
        instructions: if arguments.no_instructions { Samples::default() } else { instructions(&built)? },
        requests,
    };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", tables(&report));
    }
    Ok(())
}

fn times(built: &Built, rounds: u32, batches: u32) -> Result<Samples<Watch>> {
    let mut samples = Samples::default();
    for round in 0..rounds {
        eprint!("\rround {} of {rounds}", round + 1);
        // Another one goes first each time.
        let mut watches = WATCHES;
        watches.rotate_left(round as usize % WATCHES.len());
        for watch in watches {
            let mut command = Command::new(&built.program);
            built.watch(&mut command, watch);
            command.args(["time", &batches.to_string()]).args(CONSTRUCTS);
            command.env("BENCH_SHIFT", (round % SHIFTS).to_string());
            for (construct, value) in rows(&output(&mut command)?)? {
                samples.add(&construct, watch, value);
            }
        }
    }
    eprintln!();
    Ok(samples)
}

fn instructions(built: &Built) -> Result<Samples<Watch>> {
    let mut samples = Samples::default();
    for construct in COUNTED {
        eprint!("\rinstructions of {construct:20}");
        for watch in WATCHES {
            let total = |count: u32| {
                let arguments = ["run", &count.to_string(), construct];
                callgrind::counted(&built.program, &arguments, None, |command| built.watch(command, watch))
            };
            samples.add(construct, watch, (total(2 * COUNT)? - total(COUNT)?) / f64::from(COUNT));
        }
    }
    eprintln!();
    Ok(samples)
}

impl Built {
    /// Sets the variables of a watch.
    fn watch(&self, command: &mut Command, watch: Watch) {
        undisturbed(command);
        let (tool, collector) = (&self.tool, &self.collector);
        let preload: &[&PathBuf] = match watch {
            Watch::Bare => &[],
            Watch::Native | Watch::NativeAll => &[tool],
            Watch::Off => &[&self.library],
            Watch::Through => &[&self.library, tool],
            Watch::Fork | Watch::Collector => &[&self.library, collector],
            Watch::Tr2 => &[&self.library, &self.tool_tr2],
            Watch::Both => &[&self.library, tool, collector],
        };
        if !preload.is_empty() {
            let preload: Vec<_> = preload.iter().map(|file| file.as_os_str()).collect();
            command.env("LD_PRELOAD", preload.join(":".as_ref()));
        }
        match watch {
            Watch::Native => _ = command.env("BENCH_CALLBACKS", "none"),
            Watch::NativeAll | Watch::Through | Watch::Tr2 | Watch::Both => _ = command.env("BENCH_CALLBACKS", "all"),
            Watch::Bare | Watch::Off | Watch::Fork | Watch::Collector => {}
        }
        match watch {
            Watch::Fork | Watch::Both => _ = command.env("BENCH_MODE", "fork"),
            Watch::Collector => _ = command.env("BENCH_MODE", "all"),
            _ => {}
        }
    }
}

fn tables(report: &Report) -> String {
    let mut text = String::new();
    let out = &mut text;
    line(out, &format!("library: {}", report.library.display()));
    line(out, &format!("clang: {}", report.clang));
    let (rounds, batches, processors) = (report.rounds, report.batches, report.processors);
    line(out, &format!("{rounds} rounds over all, {batches} batches each; {processors} processors"));
    title(out, "Constructs on LLVM's runtime: best time of all rounds, in ns");
    table(out, &CONSTRUCTS, number, |construct, watch| report.times.best(construct, watch));
    title(out, "The middle of the ratios of each round: to the native tool with the same callbacks, or to bare");
    table(
        out,
        &CONSTRUCTS,
        |ratio| format!("{ratio:.3}"),
        |construct, watch| report.times.paired(construct, watch, watch.compared(), |its, other| its / other),
    );
    title(out, "Instructions of a construct, all threads together");
    table(out, &COUNTED, number, |construct, watch| report.instructions.best(construct, watch));
    report.requests.print(out);
    text
}

fn table(
    out: &mut String,
    constructs: &[&str],
    shown: impl Fn(f64) -> String,
    cell: impl Fn(&str, Watch) -> Option<f64>,
) {
    let head = WATCHES.iter().fold(format!("{:16}", ""), |line, watch| format!("{line}{watch:>12}"));
    line(out, &head);
    for construct in constructs {
        let cells = WATCHES.iter().fold(format!("{construct:16}"), |line, watch| {
            let value = cell(construct, *watch).map_or("-".to_owned(), &shown);
            format!("{line}{value:>12}")
        });
        line(out, &cells);
    }
}

impl Watch {
    /// What it is compared with.
    fn compared(self) -> Self {
        match self {
            Self::Off => Self::Native,
            Self::Through => Self::NativeAll,
            _ => Self::Bare,
        }
    }
}

impl fmt::Display for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Bare => "bare",
            Self::Native => "native",
            Self::NativeAll => "native all",
            Self::Off => "level 0",
            Self::Through => "through us",
            Self::Fork => "ORA FORK",
            Self::Collector => "ORA all",
            Self::Tr2 => "TR2 all",
            Self::Both => "5.x + FORK",
        })
    }
}
