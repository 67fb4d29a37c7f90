//! Subjects of `bench all`: a set of constructs, and whole programs, on each runtime.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};
use serde::Serialize;

use super::levels::Levels;
use crate::kernels::KERNELS;
use crate::mode::Mode;
use crate::ompt::{clang, rpath};
use crate::options::Options;
use crate::programs::{Programs, output, undisturbed};
use crate::runner::{self, Subject, Values};
use crate::training;

/// OpenMP runtime of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Runtime {
    /// GNU's libgomp, with programs by gcc.
    Libgomp,
    /// LLVM's libomp, with the same programs by clang.
    Libomp,
}

impl Runtime {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Libgomp => "libgomp (gcc)",
            Self::Libomp => "libomp (clang)",
        }
    }
}

/// Format of a program's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prints {
    /// A line for each construct: its name, and nanoseconds.
    Constructs,
    /// Nanoseconds of wall-clock time, and of CPU time.
    Times,
    /// Seconds of wall-clock and CPU time, number of tasks, and a checksum.
    Kernel,
    /// A line for each construct, like [`Self::Constructs`]; the program does not take part in the rounds.
    Live,
}

/// A compiled program with its arguments.
pub(super) struct Prepared {
    pub(super) runtime: Runtime,
    name: String,
    prints: Prints,
    pub(super) program: PathBuf,
    arguments: Vec<OsString>,
    threads: u32,
}

/// Constructs of `programs/overhead.c`.
const CONSTRUCTS: [&str; 19] = [
    "parallel",
    "for",
    "parallel_for",
    "barrier",
    "single",
    "critical",
    "lock",
    "ordered",
    "reduction",
    "static_1",
    "dynamic_1",
    "dynamic_8",
    "guided_1",
    "tasks_of_all",
    "tasks_of_one",
    "taskwait",
    "taskgroup",
    "taskloop",
    "depend",
];
/// Programs of `programs/profile.c`.
const WHOLE: [&str; 3] = ["triad", "stencil", "region_work"];
const THREADS: u32 = 2;

/// Builds the programs, and measures how much work takes a given time. Programs that can't be run are added to `missing`.
pub(super) fn prepare(
    programs: &Programs,
    options: &Options,
    missing: &mut BTreeMap<String, String>,
) -> Result<Vec<Prepared>> {
    let mut subjects = of_runtime(programs, options, Runtime::Libgomp, "gcc", "-fopenmp")?;
    match clang().and_then(|(clang, _)| Ok((clang, rpath(clang)?))) {
        Ok((clang, rpath)) => subjects.extend(of_runtime(programs, options, Runtime::Libomp, clang, &rpath)?),
        Err(why) => _ = missing.insert(Runtime::Libomp.title().to_owned(), format!("{why:#}")),
    }
    if options.selects("training") {
        match training::find(options, options.length(400, 30)) {
            Ok((program, arguments)) => subjects.push(Prepared {
                runtime: Runtime::Libgomp,
                name: "training".to_owned(),
                prints: Prints::Times,
                program,
                arguments,
                threads: THREADS,
            }),
            Err(why) => _ = missing.insert("training".to_owned(), format!("{why:#}")),
        }
    }
    let unknown = options.only.iter().find(|only| subjects.iter().all(|subject| subject.name != **only));
    if let Some(unknown) = unknown.filter(|unknown| !missing.contains_key(*unknown)) {
        bail!("there is no program `{unknown}`: see --help");
    }
    Ok(subjects)
}

fn of_runtime(
    programs: &Programs,
    options: &Options,
    runtime: Runtime,
    compiler: &str,
    link: &str,
) -> Result<Vec<Prepared>> {
    let compile = |source: &str| {
        let name = format!("all-{}-{compiler}", source.replace('/', "-"));
        // Silences warnings that only clang has.
        let quiet: &[&str] =
            if runtime == Runtime::Libomp { &["-Wno-sign-compare", "-Wno-unknown-attributes"] } else { &[] };
        let options: Vec<&str> = ["-fopenmp", link].iter().chain(quiet).copied().collect();
        programs.compile_with(compiler, source, &name, &options)
    };
    let subject = |name: &str, prints: Prints, program: PathBuf, arguments: Vec<OsString>| Prepared {
        runtime,
        name: name.to_owned(),
        prints,
        program,
        arguments,
        threads: THREADS,
    };
    let wanted = |name: &&str| options.selects(name);
    let mut subjects = Vec::new();
    if wanted(&"constructs") {
        let batches = if options.quick { "1" } else { "5" };
        let program = compile("overhead")?;
        subjects.push(subject("constructs", Prints::Constructs, program, words(["time", batches])));
    }
    let length = options.length(400, 10).to_string();
    for name in WHOLE.into_iter().filter(wanted) {
        let program = compile("profile")?;
        let mut calibrate = Command::new(&program);
        undisturbed(&mut calibrate);
        calibrate.env("OMP_NUM_THREADS", THREADS.to_string());
        let work = output(calibrate.args([name, "calibrate", &length]))?;
        let mut arguments = words([name, "run"]);
        arguments.extend(work.split_whitespace().map(OsString::from));
        subjects.push(subject(name, Prints::Times, program, arguments));
    }
    for kernel in KERNELS.iter().filter(|kernel| wanted(&kernel.name)) {
        let size = if options.quick { kernel.small } else { kernel.middle };
        let program = compile(&format!("kernels/{}", kernel.name))?;
        let arguments = words([&size.to_string(), &THREADS.to_string()]);
        subjects.push(subject(kernel.name, Prints::Kernel, program, arguments));
    }
    if wanted(&"live") {
        subjects.push(subject("live", Prints::Live, compile("live")?, Vec::new()));
    }
    Ok(subjects)
}

fn words<const N: usize>(words: [&str; N]) -> Vec<OsString> {
    words.into_iter().map(OsString::from).collect()
}

impl Prepared {
    pub(super) fn title(&self) -> String {
        format!("{}, {}", self.name, self.runtime.title())
    }

    /// True for a program that does work of its own, whose CPU time is compared.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.prints, Prints::Times | Prints::Kernel)
    }

    /// True for the program with nested tasks, which does not take part in the rounds.
    pub(super) fn is_live(&self) -> bool {
        self.prints == Prints::Live
    }

    /// Rows of the program, if it is the set of constructs.
    pub(super) fn constructs(&self) -> &'static [&'static str] {
        if self.prints == Prints::Constructs { &CONSTRUCTS } else { &[] }
    }

    /// Returns the program as a subject of the rounds.
    pub(super) fn subject<'a>(&'a self, levels: &'a Levels<'_>, ways: &[Mode]) -> Subject<'a, Mode> {
        self.subject_with(levels, ways, self.arguments.clone(), self.threads, None, "")
    }

    /// Returns the program with other arguments and threads and one more variable; `row` is prepended to the names of values.
    pub(super) fn subject_with<'a>(
        &'a self,
        levels: &'a Levels<'_>,
        ways: &[Mode],
        arguments: Vec<OsString>,
        threads: u32,
        variable: Option<(&'static str, &'static str)>,
        row: &str,
    ) -> Subject<'a, Mode> {
        let row = row.to_owned();
        Subject {
            name: self.title(),
            ways: ways.to_vec(),
            command: Box::new(move |level, _| {
                let mut command = levels.command(level, &self.program, &arguments)?;
                command.env("OMP_NUM_THREADS", threads.to_string()).envs(variable);
                Ok(command)
            }),
            values: Box::new(move |reading| self.values(&reading.text, &row)),
        }
    }

    fn values(&self, text: &str, row: &str) -> Result<Values> {
        let number = |word: usize| runner::number(text.split_whitespace().nth(word).unwrap_or_default());
        Ok(match self.prints {
            Prints::Constructs | Prints::Live => runner::rows(text, row)?,
            Prints::Times => vec![(self.name.clone(), number(1)?)],
            Prints::Kernel => vec![(self.name.clone(), number(1)? * 1e9)],
        })
    }
}
