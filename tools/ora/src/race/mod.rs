//! `ora race`: runs a program that is built with ThreadSanitizer, and shows its data races in terms of OpenMP.
//!
//! The program runs with the detector (`libora_race.so`), which writes lines to files in a folder of ours. [`race_analysis`] turns them
//! into data races, and shows these.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

mod address_layout;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use race_analysis::build::{self, Compiler, Facts};
use race_analysis::environment::{self, Environment};
use race_analysis::left::{self, Receivers};
use race_analysis::outcome::Outcome;
use race_analysis::plan::{self, Options, Plan, plans};
use race_analysis::run::{Ending, Run};
use race_analysis::suppressions::{self, Rule};
use race_analysis::{json, sarif, text, unseen};
use terminal::printable::{self, Shown, command_line};
use terminal::progress::Progress;

use crate::args::{Chunks, Race};
use crate::exit::{Exit, Failure, OWN_FAILURE};
use crate::image::{Image, Kind};
use crate::output::{Answer, Output, say};
use crate::{libraries, program, scope, scratch, signals};

/// Exit code if races were found, which is also ThreadSanitizer's.
const RACY: u8 = 66;
/// The command line contains a mistake.
const USAGE: u8 = 2;

/// Function that instrumented code calls first.
const INITIALIZER: &str = "__tsan_init";
/// Functions that an OpenMP runtime defines: libgomp, and LLVM's and Intel's runtimes.
const LIBGOMP: &str = "GOMP_parallel";
const LIBOMP: &str = "__kmpc_fork_call";

/// # Errors
/// If no race could be found in the program, a library is missing, a file can't be read or written, or the program can't be started.
pub(crate) fn race(args: &Race) -> Result<Exit> {
    let program = args.program.first().map(OsString::as_os_str).unwrap_or_default();
    let rules = rules(&args.suppressions)?;
    check(program)?;
    let mut output = Output::open(args.output.as_deref())?;
    let mut sarif = args.sarif.as_deref().map(|path| Output::open(Some(path))).transpose()?;
    let notes = environment::notes(&users_options());
    let runs = run_all(args)?;

    let outcome = Outcome::of(runs, rules, notes);
    if !outcome.has_seen() {
        say(unseen::reason(is_instrumented_program(program), &outcome));
    }
    if let Some(sarif) = &mut sarif {
        sarif.write(&Answer::Json(sarif::document(&outcome, env::current_dir().ok().as_deref())?))?;
    }
    if args.json {
        output.write(&Answer::Json(json::document(&args.program, &outcome)?))?;
    } else if outcome.has_seen() {
        let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
        let page = text::report(&command_line(&words), &outcome, args.rows);
        output.write_paged(&Answer::Page(page, args.screen))?;
    }
    Ok(exit(args, &outcome))
}

fn exit(args: &Race, outcome: &Outcome) -> Exit {
    match outcome.ending() {
        Ending::Signal { number, .. } => Exit::Signal(number),
        Ending::Code(_) if outcome.is_racy() && !args.exit_zero => Exit::Code(RACY),
        Ending::Code(0) if !outcome.has_seen() => Exit::Code(OWN_FAILURE),
        Ending::Code(code) => Exit::Code(code),
    }
}

/// Rules in the files of suppressions.
fn rules(paths: &[PathBuf]) -> Result<Vec<Rule>, Failure> {
    let mistake = |message| Failure { code: USAGE, message };
    let mut rules = Vec::new();
    for path in paths {
        let text = fs::read_to_string(path).map_err(|error| {
            mistake(format!("cannot read the suppressions in {}: {error}. Check the path", path.shown()))
        })?;
        rules.extend(suppressions::parse(&text, path).map_err(mistake)?);
    }
    Ok(rules)
}

/// Value of `TSAN_OPTIONS` that the user has set.
fn users_options() -> String {
    env::var("TSAN_OPTIONS").unwrap_or_default()
}

fn options(args: &Race) -> Options {
    let chunks = match args.chunks {
        Chunks::Auto => plan::Chunks::Auto,
        Chunks::Yes => plan::Chunks::Yes,
        Chunks::No => plan::Chunks::No,
    };
    Options { runs: args.repeat, threads: args.threads.clone(), vary: args.vary, chunks, raw: args.raw }
}

/// Runs the program with each plan, until a signal ends it or the user interrupts.
///
/// # Errors
/// If a library is missing, or the program can't be started.
fn run_all(args: &Race) -> Result<Vec<Run>> {
    let options = options(args);
    let plans = plans(&options);
    let mut progress = Progress::of_runs();
    let mut runs: Vec<Run> = Vec::new();
    let fixed = address_layout::is_too_random();
    for (number, plan) in plans.iter().enumerate() {
        if plans.len() > 1 {
            let threads = plan.threads.map_or_else(String::new, |threads| format!(", {threads} threads"));
            progress.show(&format!("run {} of {}{threads}", number + 1, plans.len()));
        }
        let run = run_once(&args.program, &options, *plan, fixed)?;
        let last = matches!(run.ending, Ending::Signal { .. }) || signals::interrupted();
        runs.push(run);
        if last {
            break;
        }
    }
    Ok(runs)
}

fn run_once(words: &[OsString], options: &Options, plan: Plan, fixed: bool) -> Result<Run> {
    let folder =
        scratch::folder().context("cannot create a folder for the races: set TMPDIR to one that can be written")?;
    // The detector observes calls of the runtime before the library gets them.
    let preloaded = [libraries::find(libraries::RACE)?, libraries::find(libraries::LIBRARY)?];
    let program = words.first().map(OsString::as_os_str).unwrap_or_default();
    let facts = environment::Inputs {
        folder: folder.path(),
        users_options: &users_options(),
        has_thread_limit: env::var_os("OMP_THREAD_LIMIT").is_some(),
        has_sanitizer_inside: has_sanitizer_inside(program),
    };
    let Environment { variables, logged } = environment::of_run(options, plan, facts);
    let mut command = program::command(words, &preloaded)?;
    command.envs(variables);
    if fixed {
        address_layout::fix(&mut command);
    }
    let status = signals::run(&mut command).map_err(|error| program::cannot_start(program, &error))?;
    let ending = match Exit::of(status) {
        Exit::Code(code) => Ending::Code(code),
        died @ Exit::Signal(number) => Ending::Signal { number, words: died.to_string() },
    };
    // The races are worth keeping even if stderr is closed.
    let show = |text: &str| drop(io::stderr().write_all(printable::text(text).as_bytes()));
    let left = left::read(folder.path(), options.raw, Receivers { say: &|text| say(text), show: &show })?;
    Ok(Run { plan, ending, logged, left })
}

/// Rejects a program in which no race could be found. A script, or a program without OpenMP, may start a program in which races can be
/// found.
///
/// # Errors
/// The reason, and the command line to build with.
fn check(program: &OsStr) -> Result<(), Failure> {
    let Some(path) = program::file(Path::new(program)) else { return Ok(()) };
    let Ok(Kind::Ours) = Kind::of(&path) else { return Ok(()) };
    let Ok(image) = Image::read(&path) else { return Ok(()) };
    match build::reason(&facts(&path, &image), &path, Compiler::of_file(&path, &image.needed)) {
        None => Ok(()),
        Some(reason) => Err(Failure {
            code: OWN_FAILURE,
            message: format!("no race can be found in {}: {reason}", Path::new(program).shown()),
        }),
    }
}

/// True for a program that is instrumented, or that has an instrumented library.
fn is_instrumented_program(program: &OsStr) -> bool {
    program::file(Path::new(program))
        .is_some_and(|path| Image::read(&path).is_ok_and(|image| facts(&path, &image).instrumented))
}

/// True for a program that contains ThreadSanitizer, as clang links it.
fn has_sanitizer_inside(program: &OsStr) -> bool {
    let image = program::file(Path::new(program)).and_then(|path| Image::read(&path).ok());
    image.is_some_and(|image| image.interpreter.is_some() && image.defined.contains(INITIALIZER))
}

fn facts(path: &Path, image: &Image) -> Facts {
    let variables: Vec<(&str, OsString)> =
        ["LD_LIBRARY_PATH", "LD_PRELOAD"].into_iter().filter_map(|name| Some((name, env::var_os(name)?))).collect();
    let is_static = image.interpreter.is_none() && image.needed.is_empty();
    let objects = if is_static { Vec::new() } else { scope::of(path, image, &variables).objects };
    let libraries: Vec<(PathBuf, Image)> =
        objects.into_iter().filter_map(|library| Image::read(&library).ok().map(|image| (library, image))).collect();
    let calls = |image: &Image| ["GOMP_", "__kmpc_"].iter().any(|prefix| image.calls(prefix));
    let inside = |image: &Image| [LIBGOMP, LIBOMP].iter().any(|name| image.defined.contains(*name));
    let all = || std::iter::once(image).chain(libraries.iter().map(|(_, image)| image));
    let runtime = |(path, image): &(PathBuf, Image)| {
        (image.offers(LIBOMP) && !image.defined.contains("ompt_start_tool")).then(|| path.clone())
    };
    Facts {
        instrumented: all().any(is_instrumented),
        openmp: inside(image) || all().any(calls),
        libgomp_inside: image.defined.contains(LIBGOMP),
        without_ompt: libraries.iter().find_map(runtime).filter(|_| image.calls("__kmpc_")),
        is_static,
    }
}

/// True for code that calls ThreadSanitizer, and for a program that contains it. The sanitizer's own library, which may be preloaded, is
/// not evidence.
pub(crate) fn is_instrumented(image: &Image) -> bool {
    image.imports.contains(INITIALIZER) || (image.interpreter.is_some() && image.defined.contains(INITIALIZER))
}
