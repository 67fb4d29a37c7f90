//! The runs of a program: how many, with which number of threads and seed, and what each has left behind.

use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use outside::regular;
use race_format::sanitizer_log::{self, Report};
use race_format::{EXTENSION, Lines, variable};
use terminal::printable::{self, Shown as _};

use super::{address_layout, check, sanitizer_options};
use crate::args::{Chunks, Race};
use crate::exit::Exit;
use crate::output::say;
use crate::{libraries, program, scratch, signals};
use terminal::progress::Progress;

/// Numbers of threads of `--vary`, in turn: the user's own first. More threads than processors bring other orders; primes leave
/// uneven shares of loops. A static loop of no more iterations than threads has each on a thread of its own.
const VARIED: [Option<u32>; 7] = [None, Some(2), Some(3), Some(7), Some(16), Some(61), Some(181)];
/// Teams of more threads than this are not multiplied by nested regions: ThreadSanitizer dies of some 8,000 threads.
const MANY: u32 = 60;
/// Value of OMP_THREAD_LIMIT for them.
const LIMIT: &str = "512";
/// Most teams of a league in a varied run: each executes a whole target region.
const MOST_TEAMS: u32 = 4;
/// Most files of a run, and most bytes of them, that are read.
const MAX_FILES: usize = 100_000;
const MAX_BYTES: u64 = 4 << 30;
/// Begin of the names of ThreadSanitizer's logs.
const LOG: &str = "sanitizer";

/// Parameters of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Value of OMP_NUM_THREADS; `None`: the user's environment.
    pub(super) threads: Option<u32>,
    /// From 1.
    pub(super) seed: u32,
}

/// A run that has ended.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) plan: Plan,
    pub(super) exit: Exit,
    /// Lines of each file that a process has written, by name.
    pub(super) files: Vec<Lines>,
    /// True if a ThreadSanitizer that is linked into the program has the option to write its log here.
    pub(super) logged: bool,
    /// Races in the log of a ThreadSanitizer that is linked into the program, by process.
    pub(super) logs: HashMap<u32, Vec<Report>>,
}

/// The runs that the options ask for.
pub(super) fn plans(args: &Race) -> Vec<Plan> {
    let plan = |threads, number: usize| Plan { threads, seed: u32::try_from(number + 1).unwrap_or(u32::MAX) };
    if args.vary {
        let runs = args.runs.map_or(VARIED.len(), |runs| runs as usize);
        return VARIED
            .into_iter()
            .cycle()
            .take(runs)
            .enumerate()
            .map(|(number, threads)| plan(threads, number))
            .collect();
    }
    let runs = args.runs.unwrap_or(1) as usize;
    let threads: Vec<Option<u32>> =
        if args.threads.is_empty() { vec![None] } else { args.threads.iter().copied().map(Some).collect() };
    let each = threads.into_iter().flat_map(|threads| std::iter::repeat_n(threads, runs));
    each.enumerate().map(|(number, threads)| plan(threads, number)).collect()
}

/// Runs the program by all plans, until a signal ends it or the user interrupts.
///
/// # Errors
/// If a library is missing, or the program can't be started.
pub(super) fn run_all(args: &Race, plans: &[Plan]) -> Result<Vec<Run>> {
    let mut progress = Progress::of_runs();
    let mut runs: Vec<Run> = Vec::new();
    let fixed = address_layout::is_too_random();
    for (number, plan) in plans.iter().enumerate() {
        if plans.len() > 1 {
            let threads = plan.threads.map_or_else(String::new, |threads| format!(", {threads} threads"));
            progress.show(&format!("run {} of {}{threads}", number + 1, plans.len()));
        }
        let run = run_once(args, *plan, fixed)?;
        let last = matches!(run.exit, Exit::Signal(_)) || signals::interrupted();
        runs.push(run);
        if last {
            break;
        }
    }
    Ok(runs)
}

fn run_once(args: &Race, plan: Plan, fixed: bool) -> Result<Run> {
    let folder =
        scratch::folder().context("cannot make a folder for the races: set TMPDIR to one that can be written")?;
    // The detector observes calls of the runtime before the library gets them.
    let preloaded = [libraries::find(libraries::RACE)?, libraries::find(libraries::LIBRARY)?];
    let mut command = program::command(&args.program, &preloaded)?;
    command.env(variable::FOLDER, folder.path());
    command.env(variable::SEED, plan.seed.to_string());
    command.env(
        variable::CHUNKS,
        match args.chunks {
            Chunks::Auto => "auto",
            Chunks::Yes => "1",
            Chunks::No => "0",
        },
    );
    let users = env::var("TSAN_OPTIONS").unwrap_or_default();
    // A user who names a file for its text wants it.
    let raw = args.raw || sanitizer_options::sets(&users, "log_path");
    command.env(variable::RAW, if raw { "1" } else { "0" });
    // Others in the program may look at a process's exit code.
    command.env(variable::EXIT_CODE, "0");
    let mut options = sanitizer_options::with_users(&users).value;
    let program = args.program.first().map(AsRef::as_ref).unwrap_or_default();
    let logged = check::has_sanitizer_inside(program) && !sanitizer_options::sets(&users, "log_path");
    if logged {
        // Its reports are in its log only, and its exit code would hide the program's.
        options = format!("exitcode=0 log_path={} {options}", folder.path().join(LOG).to_string_lossy());
    }
    if !raw && !sanitizer_options::sets(&users, "suppressions") {
        // Names are looked up here, from addresses. It would take long for them, or start another program.
        options = format!("symbolize=0 {options}");
    }
    command.env("TSAN_OPTIONS", options);
    // Otherwise no runtime looks for its tool.
    command.env("OMP_TOOL", "enabled");
    if let Some(threads) = plan.threads.filter(|_| args.vary) {
        command.env(variable::TEAMS, threads.min(MOST_TEAMS).to_string());
    }
    if let Some(threads) = plan.threads {
        command.env("OMP_NUM_THREADS", threads.to_string());
    }
    if plan.threads.is_some_and(|threads| args.vary && threads > MANY) && env::var_os("OMP_THREAD_LIMIT").is_none() {
        command.env("OMP_THREAD_LIMIT", LIMIT);
    }
    if fixed {
        address_layout::fix(&mut command);
    }
    let status = signals::run(&mut command).map_err(|error| program::cannot_start(program, &error))?;
    let logs = logs(folder.path(), args.raw)?;
    Ok(Run { plan, exit: Exit::of(status), files: files(folder.path())?, logged, logs })
}

/// The files in a folder, by name: the lines of each process.
fn files(folder: &Path) -> Result<Vec<Lines>> {
    let mut paths = names(folder)?;
    paths.retain(|path| path.extension() == Some(OsStr::new(EXTENSION)));
    paths.sort_by_key(|path| {
        let number = path.file_stem().and_then(OsStr::to_str).and_then(|stem| stem.parse::<u64>().ok());
        (number, path.clone())
    });
    let mut left = MAX_BYTES;
    Ok(paths.iter().filter_map(|path| read(path, &mut left)).map(|bytes| race_format::read(&bytes)).collect())
}

/// Paths of what a folder holds.
fn names(folder: &Path) -> Result<Vec<PathBuf>> {
    let unread = || format!("cannot read what the program has left in {}", folder.shown());
    let entries = fs::read_dir(folder).with_context(unread)?.take(MAX_FILES);
    entries.map(|entry| Ok(entry.with_context(unread)?.path())).collect()
}

/// Content of a file that the program has left. Another one is named and skipped: the program may have put anything there.
fn read(path: &Path, left: &mut u64) -> Option<Vec<u8>> {
    match regular::read(path, *left) {
        Ok(bytes) => {
            *left -= bytes.len() as u64;
            Some(bytes)
        }
        Err(error) => {
            say(format_args!("{} is left out of the races: {error}", path.shown()));
            None
        }
    }
}

/// ThreadSanitizer's logs in a folder, by process. What is not about races, or all of it, goes to stderr.
fn logs(folder: &Path, all: bool) -> Result<HashMap<u32, Vec<Report>>> {
    let mut logs = HashMap::new();
    let mut left = MAX_BYTES;
    for path in names(folder)? {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let number = name.strip_prefix(LOG).and_then(|rest| rest.strip_prefix('.')?.parse().ok());
        let Some(number) = number else { continue };
        let Some(bytes) = read(&path, &mut left) else { continue };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let log = sanitizer_log::read(&text);
        let shown = if all { &text } else { &log.rest };
        // A closed stderr is no reason to lose the races.
        let _ = io::stderr().write_all(printable::text(shown).as_bytes());
        logs.insert(number, log.reports);
    }
    Ok(logs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Task};
    use clap::Parser;

    fn planned(words: &[&str]) -> Vec<(Option<u32>, u32)> {
        let args = Args::try_parse_from([&["ora", "race"], words, &["./a"]].concat()).unwrap();
        let Task::Race(args) = args.command else { panic!("{args:?}") };
        plans(&args).iter().map(|plan| (plan.threads, plan.seed)).collect()
    }

    #[test]
    fn each_run_has_a_seed_of_its_own() {
        assert_eq!(planned(&[]), [(None, 1)]);
        assert_eq!(planned(&["--runs", "2"]), [(None, 1), (None, 2)]);
        let two_each = [(Some(2), 1), (Some(2), 2), (Some(8), 3), (Some(8), 4)];
        assert_eq!(planned(&["--threads", "2,8", "--runs", "2"]), two_each);
        let varied = planned(&["--vary"]);
        assert_eq!(varied.len(), VARIED.len());
        assert_eq!(varied[..2], [(None, 1), (Some(2), 2)]);
        assert_eq!(planned(&["--vary", "-r", "9"])[7..], [(None, 8), (Some(2), 9)]);
    }

    #[test]
    fn files_are_read_by_the_number_of_the_process_and_pipes_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        assert!(std::process::Command::new("mkfifo").arg(folder.path().join("8.jsonl")).status().unwrap().success());
        for (name, reason) in [("10.jsonl", "b"), ("9.jsonl", "a"), ("x.tmp", "c")] {
            let line = format!("{{\"type\":\"suppressed\",\"count\":1,\"reason\":\"{reason}\"}}\n");
            fs::write(folder.path().join(name), line).unwrap();
        }
        let files = files(folder.path()).unwrap();
        let reasons: Vec<String> = files.iter().map(|file| format!("{:?}", file.lines)).collect();
        assert_eq!(reasons.len(), 2, "{reasons:?}");
        assert!(reasons[0].contains("\"a\"") && reasons[1].contains("\"b\""), "{reasons:?}");
    }
}
