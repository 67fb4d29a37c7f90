//! `ora tune`: runs a program with different environment settings, and checks its results. The crate `tune` chooses the settings and shows
//! their effect.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ::tune::{ByFile, ByRegion, Choices, Found, Limits, Outcome, Program as _, Seen, SeenRegion, Setting};
use anyhow::{Context, Result, bail};
use stat_analysis::advised;
use stat_analysis::stat::{Figures, Region, Run, facts};
use stat_layout::stat::layout::Activity;
use terminal::printable::{Shown, command_line};
use terminal::progress::Progress;

use crate::args::Tune;
use crate::counted_run::Prepared;
use crate::exit::{self, Exit, Failure};
use crate::output::{Answer, Output};
use crate::quantity::count;
use crate::scratch::{self, Scratch};
use crate::{libraries, program, signals, time_limit};

/// Default name of the file with settings by region.
const SETTINGS: &str = "ora.tune";
/// A run with a setting may take this many times as long as the slowest one without, and [`MIN_LIMIT`] more. A program may hang: with one
/// thread, say, where two threads wait for each other.
const MOST_TIMES: u32 = 10;
const MIN_LIMIT: Duration = Duration::from_secs(5);

/// # Errors
/// If the program can't be started, fails without changes, or has no parallel region.
pub(crate) fn tune(args: &Tune) -> Result<Exit> {
    let mut output = Output::open(args.output.as_deref())?;
    let progress = if args.show_output { Progress::of_runs() } else { Progress::alone() };
    let program = Program::new(args, progress)?;
    program.show("first run, under `ora stat`");
    let run = match program.watch_run(&Setting::default())? {
        Ended::Well(run) => run,
        Ended::Badly(exit) | Ended::Late(exit) => {
            drop(program);
            eprintln!("ora: stopped at the first run: the program failed");
            return Ok(exit);
        }
    };
    let Some(seen) = seen(&run) else {
        bail!("no parallel region was seen, so there is nothing to tune: `ora doctor -- PROGRAM` says why");
    };
    let threads: Option<Vec<u32>> = args.threads.as_ref().map(|counts| counts.iter().collect());
    let word = args.program.first().map(OsString::as_os_str).unwrap_or_default();
    let choices = Choices::of(&seen, word, threads.as_deref());
    let limits = Limits { repeat: args.repeat as usize, runs: args.max_runs as usize };
    let (mut found, by_region) = ::tune::tune(&seen, &choices, threads.as_deref(), limits, &program)?;
    let (wrong, file) = (program.wrong.get(), program.settings_file().to_owned());
    drop(program);
    if let Some(exit) = wrong {
        eprintln!(
            "ora: stopped after {}: the program failed in its own setting",
            count(found.runs as u64, "run", "runs")
        );
        return Ok(exit);
    }
    let by_file = by_region.map(|it| keep(it, args.write.as_deref(), &mut found, &file)).transpose()?;
    let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
    let answer = if args.json {
        Answer::Json(::tune::json(&args.program, &found, &choices, by_file.as_ref())?)
    } else {
        Answer::Page(::tune::page(&command_line(&words), &found, &choices, by_file.as_ref()), args.screen)
    };
    output.write(&answer)?;
    Ok(Exit::Code(0))
}

/// Writes settings by region to the file that the user has named, or to a new one, if they are among the best. From then on `found` refers
/// to the file by that name.
///
/// # Errors
/// If the file can't be written.
fn keep(by_region: ByRegion, named: Option<&Path>, found: &mut Found, tried: &Path) -> Result<ByFile> {
    let path = named.map_or_else(unused, Path::to_owned);
    let is_best = found.rename(tried, &path);
    if is_best {
        fs::write(&path, by_region.best()).with_context(|| format!("cannot write {}", path.shown()))?;
    }
    Ok(ByFile { by_region, written: is_best.then_some(path) })
}

/// The first name that is unused.
fn unused() -> PathBuf {
    let names = std::iter::once(PathBuf::from(SETTINGS)).chain((2..).map(|number| format!("ora-{number}.tune").into()));
    names.into_iter().find(|path| !path.exists()).unwrap_or_else(|| SETTINGS.into())
}

/// Figures of the process with regions that lived longest. `None` if there is none.
fn seen(run: &Run) -> Option<Seen> {
    let all = run.main.iter().chain(&run.others).filter(|process| process.sum(|thread| thread.forks) > 0);
    let process = all.max_by_key(|process| process.elapsed_ns())?;
    let figures = Figures::of(&[process]);
    Some(Seen {
        facts: facts::of(process, &figures),
        work_ns: figures.spent(Activity::Work).mean + figures.spent(Activity::Serial).mean,
        elapsed_ns: process.elapsed_ns() as f64,
        processors_allowed: process.processors_allowed.map(u64::from),
        is_gnu: process.who.is_gnu(),
        regions: process.regions.iter().map(region).collect(),
    })
}

fn region(region: &Region) -> SeenRegion {
    SeenRegion {
        place: advice::Place { name: region.place.name(), ..advised::place(&region.place).unwrap_or_default() },
        body: region.body().map(|(file, body)| (file.to_owned(), body)),
        total_ns: region.sums.total_ns as f64,
        threads: region.sums.threads,
        chunks: region.sums.chunks,
    }
}

/// A run that has ended.
enum Ended<T> {
    Well(T),
    /// With this exit status, or with wrong results.
    Badly(Exit),
    /// By us, because it took too long.
    Late(Exit),
}

/// Program, and the way in which its results are compared.
struct Program<'a> {
    words: &'a [OsString],
    check: Check<'a>,
    show_output: bool,
    folder: Scratch,
    /// File with settings by region.
    settings: PathBuf,
    progress: RefCell<Progress>,
    /// End of a failed run without changes.
    wrong: Cell<Option<Exit>>,
    /// Time of the slowest run without changes.
    slowest: Cell<Duration>,
}

enum Check<'a> {
    None,
    /// The output must be the same as in the first run.
    Same(OnceCell<Vec<u8>>),
    /// A command that reads the output.
    Command(&'a str),
}

impl<'a> Program<'a> {
    /// # Errors
    /// If there is no place for the program's output.
    fn new(args: &'a Tune, progress: Progress) -> Result<Self> {
        let check = match args.check.as_deref() {
            None => Check::None,
            Some("") => Check::Same(OnceCell::new()),
            Some(command) => Check::Command(command),
        };
        let folder = scratch::folder().context("cannot create a folder for the program's output")?;
        let settings = folder.path().join(SETTINGS);
        let (words, show_output) = (args.program.as_slice(), args.show_output);
        Ok(Self {
            words,
            check,
            show_output,
            folder,
            settings,
            progress: progress.into(),
            wrong: Cell::new(None),
            slowest: Cell::default(),
        })
    }

    fn show(&self, doing: &str) {
        self.progress.borrow_mut().show(doing);
    }

    /// Runs it as `run` does, within the limit for this setting. Returns the time, and whether the run was ended because of the limit.
    fn within_limit<T>(&self, setting: &Setting, run: impl FnOnce() -> T) -> (T, Duration, bool) {
        let limit = (!setting.is_default()).then(|| self.slowest.get() * MOST_TIMES + MIN_LIMIT);
        let begin = Instant::now();
        let (result, is_late) = time_limit::within(limit, run);
        let took = begin.elapsed();
        if setting.is_default() {
            self.slowest.set(self.slowest.get().max(took));
        }
        (result, took, is_late)
    }

    /// Runs it under the collector of `ora stat`.
    ///
    /// # Errors
    /// If it can't be started, or its output can't be compared.
    fn watch_run(&self, setting: &Setting) -> Result<Ended<Run>> {
        let prepared = Prepared::new()?;
        let output = self.output()?;
        let (finished, _, is_late) = self.within_limit(setting, || {
            prepared.run(self.words, true, |command| {
                command.envs(setting.variables());
                self.direct(command, output);
            })
        });
        let finished = finished?;
        if is_late {
            return Ok(Ended::Late(finished.exit));
        }
        if finished.exit != Exit::Code(0) {
            return Ok(Ended::Badly(finished.exit));
        }
        if !self.is_right()? {
            if !setting.is_default() {
                return Ok(Ended::Badly(finished.exit));
            }
            let message = "the check fails on the program as it is".to_owned();
            return Err(Failure { code: exit::OWN_FAILURE, message }.into());
        }
        Ok(Ended::Well(Run::read(prepared.area(), &finished, &prepared.instrumented())))
    }

    /// Runs it without any of our libraries, unless the setting needs one; returns its wall time in nanoseconds.
    ///
    /// # Errors
    /// If it can't be started, or its output can't be compared.
    fn time_run(&self, setting: &Setting) -> Result<Ended<f64>> {
        let library = setting.is_by_region().then(|| libraries::find(libraries::LIBRARY)).transpose()?;
        let mut command = program::command(self.words, library.as_slice())?;
        command.envs(setting.variables());
        self.direct(&mut command, self.output()?);
        let (status, took, is_late) = self.within_limit(setting, || program::run(&mut command, self.words));
        let exit = Exit::of(status?);
        if is_late {
            return Ok(Ended::Late(exit));
        }
        if exit == Exit::Code(0) && self.is_right()? {
            return Ok(Ended::Well(took.as_secs_f64() * 1e9));
        }
        if exit == Exit::Code(0) && setting.is_default() {
            anyhow::bail!(
                "the program's results differ from run to run: compare them by a command that accepts such \
                 differences (--check 'CMD')"
            );
        }
        Ok(Ended::Badly(exit))
    }

    /// File for the program's output.
    fn path(&self) -> PathBuf {
        self.folder.path().join("output")
    }

    /// Creates an empty file, if the output is needed.
    fn output(&self) -> Result<Option<File>> {
        match self.check {
            Check::None => Ok(None),
            _ => Ok(Some(File::create(self.path()).context("cannot create a file for the program's output")?)),
        }
    }

    fn direct(&self, command: &mut Command, output: Option<File>) {
        if let Some(output) = output {
            command.stdout(output);
        } else if !self.show_output {
            command.stdout(Stdio::null());
        }
        if !self.show_output {
            command.stderr(Stdio::null());
        }
        command.stdin(Stdio::null());
    }

    fn is_right(&self) -> Result<bool> {
        match &self.check {
            Check::None => Ok(true),
            Check::Same(first) => {
                let output = fs::read(self.path()).context("cannot read the program's output")?;
                Ok(*first.get_or_init(|| output.clone()) == output)
            }
            Check::Command(command) => {
                let output = File::open(self.path()).context("cannot read the program's output")?;
                let mut shell = Command::new("sh");
                shell.args(["-c", command]).stdin(output).stdout(Stdio::null());
                let status = shell.status().with_context(|| format!("cannot start the check `{command}`"))?;
                Ok(status.success())
            }
        }
    }
}

impl ::tune::Program for Program<'_> {
    fn is_interrupted(&self) -> bool {
        signals::interrupted()
    }

    fn time(&self, setting: &Setting, doing: &str) -> Result<Outcome> {
        self.show(doing);
        Ok(match self.time_run(setting)? {
            Ended::Well(ns) => Outcome::Took(ns),
            Ended::Badly(exit) if setting.is_default() => {
                self.wrong.set(Some(exit));
                Outcome::Stop
            }
            Ended::Badly(_) => Outcome::Wrong,
            Ended::Late(_) => Outcome::TooLong,
        })
    }

    fn watch(&self, setting: &Setting, doing: &str) -> Result<Option<Seen>> {
        self.show(doing);
        Ok(match self.watch_run(setting)? {
            Ended::Well(run) => seen(&run),
            Ended::Badly(_) | Ended::Late(_) => None,
        })
    }

    fn settings_file(&self) -> &Path {
        &self.settings
    }

    fn write_settings(&self, text: &str) -> Result<()> {
        fs::write(&self.settings, text).context("cannot write the settings by region")
    }
}
