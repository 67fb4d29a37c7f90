//! `bench libomp`: collectors and tools on LLVM's runtime, compared with that runtime with a native tool that does nothing.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use serde::Serialize;

use crate::answer::Answer;
use crate::ompt::{clang, rpath};
use crate::options::Options;
use crate::programs::{Programs, SHIFTS, undisturbed};
use crate::requests::Requests;
use crate::runner::{self, Counted, Counting, Subject};
use crate::samples::Samples;
use crate::table::{Page, Table, number};

/// Tool or collector that watches clang's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Watch {
    Bare,
    /// The runtime's own OMPT with a tool that has registered nothing.
    Native,
    /// The runtime's own OMPT with an empty callback for every event.
    NativeAll,
    /// The library without a tool.
    Off,
    /// The tool of [`Self::NativeAll`] through the library.
    Through,
    /// A collector with FORK alone.
    Fork,
    /// A collector with every event.
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
/// Constructs whose instruction counts are the same in each run, because no thread waits for another one.
const COUNTED: [&str; 4] = ["region_1", "critical_named", "lock", "task_queued"];
const COUNT: u32 = 4000;

/// All results.
#[derive(Serialize)]
struct Report {
    clang: String,
    rounds: u32,
    batches: u32,
    times: Samples<Watch>,
    instructions: Samples<Watch>,
    requests: Requests,
}

/// Paths of the compiled programs and tools.
struct Built {
    library: PathBuf,
    program: PathBuf,
    tool: PathBuf,
    tool_tr2: PathBuf,
    collector: PathBuf,
}

pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let (compiler, clang) = clang()?;
    let built = Built {
        library: programs.library.clone(),
        program: programs.compile_with(
            compiler,
            "ompt/constructs",
            "libomp-constructs",
            &["-fopenmp", &rpath(compiler)?],
        )?,
        tool: programs.compile("ompt/tool", "libomp-tool.so", &["-shared", "-fPIC"])?,
        tool_tr2: programs.compile("ompt/tool_tr2", "libomp-tool-tr2.so", &["-shared", "-fPIC"])?,
        collector: programs.collector.clone(),
    };
    let (rounds, batches) = (options.rounds(15, 2), options.batches());
    let subject = Subject {
        name: "constructs".to_owned(),
        ways: WATCHES.to_vec(),
        command: Box::new(|watch, round| {
            let mut command = built.command(watch);
            command.args(["time", &batches.to_string()]).args(CONSTRUCTS);
            command.env("BENCH_SHIFT", (round % SHIFTS).to_string());
            Ok(command)
        }),
        values: Box::new(|reading| runner::rows(&reading.text, "")),
    };
    let counted = COUNTED.iter().filter(|_| options.counts()).map(|construct| Counted {
        row: (*construct).to_owned(),
        ways: WATCHES.to_vec(),
        counting: Counting::Twice(COUNT),
        within: None,
        command: Box::new(|watch, count| {
            let mut command = built.command(watch);
            command.args(["run", &count.to_string(), construct]);
            Ok(command)
        }),
    });
    let counted: Vec<_> = counted.collect();
    let report = Report {
        requests: Requests::measure(programs, rounds, options.counts())?,
        clang,
        rounds,
        batches,
        times: runner::together(rounds, &[subject])?,
        instructions: runner::instructions(&counted)?,
    };
    Answer::new(programs, &report, page(&report))
}

impl Built {
    /// Command that runs the program, watched by `watch`.
    fn command(&self, watch: Watch) -> Command {
        let mut command = Command::new(&self.program);
        undisturbed(&mut command);
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
        command
    }
}

fn page(report: &Report) -> Page {
    let mut page = Page::default();
    let (rounds, batches) = (report.rounds, report.batches);
    page.line(&format!("clang: {}", report.clang));
    page.line(&format!("{rounds} rounds over all, {batches} batches each"));
    let title = "Constructs on LLVM's runtime: best time of all rounds, in ns";
    page.table(&table(title, &CONSTRUCTS, number, &|construct, watch| report.times.best(construct, watch)));
    let title = "The middle of the ratios of each round: to the native tool with the same callbacks, or to bare";
    let ratio = |ratio| format!("{ratio:.3}");
    page.table(&table(title, &CONSTRUCTS, ratio, &|construct, watch| {
        report.times.paired(construct, watch, watch.compared(), |its, other| its / other)
    }));
    let title = "Instructions of a construct, all threads together";
    page.table(&table(title, &COUNTED, number, &|construct, watch| report.instructions.best(construct, watch)));
    report.requests.show(&mut page);
    page
}

fn table(
    title: &str,
    constructs: &[&str],
    shown: impl Fn(f64) -> String,
    value: &dyn Fn(&str, Watch) -> Option<f64>,
) -> Table {
    let mut table = Table::new(title, "", WATCHES);
    for construct in constructs {
        table.row(construct, WATCHES.map(|watch| value(construct, watch).map_or("-".to_owned(), &shown)));
    }
    table
}

impl Watch {
    /// Watch that this one is compared with.
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
