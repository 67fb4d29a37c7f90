//! `ora scale`: runs a program with several numbers of threads, and shows how much faster more threads make it, and why not more.

mod counts;
mod html;
mod json;
mod scaling;
mod svg;
mod table;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use terminal::printable::{Shown, command_line};

use crate::args::Scale;
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::quantity::count;
use crate::signals;
use crate::stat::{Run, measure_with};
pub(crate) use counts::Counts;
use scaling::Scaling;
use terminal::progress::Progress;

/// Variable that sets the size of teams.
const THREADS: &str = "OMP_NUM_THREADS";

/// # Errors
/// If a library is missing, a file can't be written, or the program can't be started.
pub(crate) fn scale(args: &Scale) -> Result<Exit> {
    let counts = args.threads.clone().unwrap_or_else(Counts::usual);
    let mut output = Output::open(args.output.as_deref())?;
    let mut runs: Vec<(u32, Vec<Run>)> = counts.iter().map(|threads| (threads, Vec::new())).collect();
    let all = runs.len() * args.repeat as usize;
    let mut progress = Progress::of_runs();
    let mut done = 0;
    // In turns, so that a machine that gets slower does so for all numbers of threads.
    for _ in 0..args.repeat {
        for (threads, runs) in &mut runs {
            done += 1;
            progress.show(&format!("run {done} of {all}, with {}", count(u64::from(*threads), "thread", "threads")));
            let run = measure_with(&args.program, !args.no_follow, &[(THREADS, threads.to_string().into())])?;
            let exit = run.exit;
            if exit != Exit::Code(0) || signals::interrupted() {
                drop(progress);
                eprintln!(
                    "ora: stopped at run {done} of {all}, with {THREADS}={threads}: the program did not end well"
                );
                return Ok(exit);
            }
            runs.push(run);
        }
    }
    drop(progress);
    let scaling = Scaling::of(&runs);
    let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
    let name = command_line(&words);
    if let Some(path) = &args.svg {
        write(path, &svg::picture(&scaling))?;
    }
    if let Some(path) = &args.html {
        write(path, &html::page(&name, &scaling))?;
    }
    let answer = if args.json {
        Answer::Json(json::document(&args.program, &scaling)?)
    } else {
        Answer::Page(table::page(&name, args.repeat, &scaling), args.screen)
    };
    output.write(&answer)?;
    if scaling.points.iter().all(|point| point.team == 0) {
        bail!("no parallel region was seen, so the times say nothing about OpenMP: `ora doctor -- PROGRAM` says why");
    }
    Ok(Exit::Code(0))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.shown()))
}
