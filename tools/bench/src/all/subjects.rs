//! What runs: a set of constructs, and whole programs, on each host.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use super::Arguments;
use super::levels::Levels;
use crate::kernels::KERNELS;
use crate::ompt::{clang, rpath};
use crate::programs::{Programs, output, undisturbed};
use crate::rounds::rows;
use crate::rows::Mode;

/// Whose runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Host {
    /// GNU's, with programs by gcc.
    Libgomp,
    /// LLVM's, with the same programs by clang.
    Libomp,
}

impl Host {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Libgomp => "libgomp (gcc)",
            Self::Libomp => "libomp (clang)",
        }
    }
}

/// What a program prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prints {
    /// A line for each construct: its name, and nanoseconds.
    Constructs,
    /// Nanoseconds that passed, and of processors.
    Times,
    /// The same in seconds, its tasks, and a checksum.
    Kernel,
    /// As [`Self::Constructs`]; runs apart.
    Live,
}

/// A program, as it is run.
pub(super) struct Subject {
    pub(super) host: Host,
    name: String,
    prints: Prints,
    pub(super) program: PathBuf,
    arguments: Vec<OsString>,
    threads: u32,
}

/// Of `programs/overhead.c`.
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
/// Of `programs/profile.c`.
const WHOLE: [&str; 3] = ["triad", "stencil", "region_work"];
const THREADS: u32 = 2;

/// Builds them, and finds out how much work takes so long. What can't be run goes to `missing`.
pub(super) fn prepare(
    programs: &Programs,
    arguments: &Arguments,
    missing: &mut BTreeMap<String, String>,
) -> Result<Vec<Subject>> {
    let mut subjects = of_host(programs, arguments, Host::Libgomp, "gcc", "-fopenmp")?;
    match clang().and_then(|(clang, _)| Ok((clang, rpath(clang)?))) {
        Ok((clang, rpath)) => subjects.extend(of_host(programs, arguments, Host::Libomp, clang, &rpath)?),
        Err(why) => _ = missing.insert(Host::Libomp.title().to_owned(), format!("{why:#}")),
    }
    if arguments.wants("training") {
        match training(arguments) {
            Ok(training) => subjects.push(training),
            Err(why) => _ = missing.insert("training".to_owned(), format!("{why:#}")),
        }
    }
    let unknown = arguments.only.iter().find(|only| subjects.iter().all(|subject| subject.name != **only));
    if let Some(unknown) = unknown.filter(|unknown| !missing.contains_key(*unknown)) {
        bail!("there is no program `{unknown}`: see --help");
    }
    Ok(subjects)
}

/// What asks, on LLVM's runtime.
pub(super) fn asking(programs: &Programs) -> Result<PathBuf> {
    let (clang, _) = clang()?;
    programs.compile_with(clang, "requests", "all-requests", &["-fopenmp", &rpath(clang)?])
}

fn of_host(programs: &Programs, arguments: &Arguments, host: Host, compiler: &str, link: &str) -> Result<Vec<Subject>> {
    let compile = |source: &str| {
        let name = format!("all-{}-{compiler}", source.replace('/', "-"));
        // clang's view of what gcc knows.
        let quiet: &[&str] = if host == Host::Libomp { &["-Wno-sign-compare", "-Wno-unknown-attributes"] } else { &[] };
        let options: Vec<&str> = ["-fopenmp", link].iter().chain(quiet).copied().collect();
        programs.compile_with(compiler, source, &name, &options)
    };
    let subject = |name: &str, prints: Prints, program: PathBuf, arguments: Vec<OsString>| Subject {
        host,
        name: name.to_owned(),
        prints,
        program,
        arguments,
        threads: THREADS,
    };
    let wanted = |name: &&str| arguments.wants(name);
    let mut subjects = Vec::new();
    if wanted(&"constructs") {
        let batches = if arguments.quick { "1" } else { "5" };
        let program = compile("overhead")?;
        subjects.push(subject("constructs", Prints::Constructs, program, words(["time", batches])));
    }
    let length = if arguments.quick { 10 } else { arguments.length }.to_string();
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
        let size = if arguments.quick { kernel.small } else { kernel.middle };
        let program = compile(&format!("kernels/{}", kernel.name))?;
        let arguments = words([&size.to_string(), &THREADS.to_string()]);
        subjects.push(subject(kernel.name, Prints::Kernel, program, arguments));
    }
    if wanted(&"live") {
        subjects.push(subject("live", Prints::Live, compile("live")?, Vec::new()));
    }
    Ok(subjects)
}

/// A tree takes some 30 ms. The wheel has a libgomp of its own.
fn training(arguments: &Arguments) -> Result<Subject> {
    let named = arguments.python.clone().or_else(|| env::var_os("ORA_TEST_PYTHON").map(PathBuf::from));
    let python = named.context("name a Python with scikit-learn: --python FILE")?;
    output(Command::new(&python).args(["-c", "import sklearn"])).context("scikit-learn doesn't work there")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/training.py");
    let trees = if arguments.quick { 1 } else { (arguments.length / 30).max(1) };
    let arguments = vec![script.into(), trees.to_string().into()];
    let name = "training".to_owned();
    Ok(Subject { host: Host::Libgomp, name, prints: Prints::Times, program: python, arguments, threads: THREADS })
}

fn words<const N: usize>(words: [&str; N]) -> Vec<OsString> {
    words.into_iter().map(OsString::from).collect()
}

impl Subject {
    pub(super) fn title(&self) -> String {
        format!("{}, {}", self.name, self.host.title())
    }

    /// A program with work of its own, whose CPU time is compared.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.prints, Prints::Times | Prints::Kernel)
    }

    /// What nests tasks, and is not part of the rounds.
    pub(super) fn is_live(&self) -> bool {
        self.prints == Prints::Live
    }

    /// Its rows, where it is the set of constructs.
    pub(super) fn constructs(&self) -> &'static [&'static str] {
        if self.prints == Prints::Constructs { &CONSTRUCTS } else { &[] }
    }

    /// One run: its values.
    pub(super) fn run(&self, levels: &Levels<'_>, level: Mode) -> Result<BTreeMap<String, f64>> {
        if self.is_live() {
            return Ok(BTreeMap::new());
        }
        self.run_with(levels, level, &self.arguments, self.threads, &[])
    }

    /// One run with other arguments and threads, and more variables.
    pub(super) fn run_with(
        &self,
        levels: &Levels<'_>,
        level: Mode,
        arguments: &[OsString],
        threads: u32,
        variables: &[(&str, &str)],
    ) -> Result<BTreeMap<String, f64>> {
        let mut command = levels.command(level, &self.program, arguments)?;
        command.env("OMP_NUM_THREADS", threads.to_string()).envs(variables.iter().copied());
        let result = command.output().with_context(|| format!("can't start {}", self.title()))?;
        let text = String::from_utf8_lossy(&result.stdout);
        if !result.status.success() {
            let errors = String::from_utf8_lossy(&result.stderr);
            bail!("{} at {level} failed: {}\n{}", self.title(), result.status, errors.trim_end());
        }
        let number = |word: usize| {
            let word = text.split_whitespace().nth(word);
            word.and_then(|word| word.parse::<f64>().ok()).with_context(|| format!("no number in `{text}`"))
        };
        Ok(match self.prints {
            Prints::Constructs | Prints::Live => rows(&text)?,
            Prints::Times => BTreeMap::from([(self.name.clone(), number(1)?)]),
            Prints::Kernel => BTreeMap::from([(self.name.clone(), number(1)? * 1e9)]),
        })
    }
}
