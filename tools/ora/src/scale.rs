//! `ora scale`: runs a program with several numbers of threads, and shows how much faster more threads make it, and what limits the gain.
//! The crate `scale` contains the figures and their output formats.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

use std::fs;
use std::path::Path;

use ::scale::{Cause, Grown, Part, Scaling, Subject};
use anyhow::{Context, Result, bail};
use profile_analysis::own_time::{LeafKind, OwnTime, own_times};
use stat_analysis::advised;
use stat_analysis::stat::{Region, Report, Run, facts};
use stat_layout::stat::layout::Activity;
use symbols::Place;
use terminal::printable::{Shown, command_line};
use terminal::progress::Progress;

use crate::args::{Counts, Scale};
use crate::counted_run::measure_with;
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::page_file::PageFile;
use crate::quantity::count;
use crate::{sampled_run, signals};

/// Variable that sets the size of teams.
const THREADS: &str = "OMP_NUM_THREADS";

/// # Errors
/// If a library is missing, a file can't be written, or the program can't be started.
pub(crate) fn scale(args: &Scale) -> Result<Exit> {
    let counts = args.threads.clone().unwrap_or_else(Counts::usual);
    let mut output = Output::open(args.output.as_deref())?;
    let mut page = args.html.as_deref().map(PageFile::open).transpose()?;
    let mut runs: Vec<(u32, Vec<::scale::Run>)> = counts.iter().map(|threads| (threads, Vec::new())).collect();
    let all = runs.len() * args.repeat as usize;
    let mut progress = Progress::of_runs();
    let mut done = 0;
    // In turn, so that a machine that becomes slower affects all numbers of threads.
    for _ in 0..args.repeat {
        for (threads, runs) in &mut runs {
            done += 1;
            progress.show(&format!("run {done} of {all}, with {}", count(u64::from(*threads), "thread", "threads")));
            let run = measure_with(&args.program, !args.no_follow, &[(THREADS, threads.to_string().into())])?;
            let exit = run.exit;
            if exit != Exit::Code(0) || signals::interrupted() {
                drop(progress);
                eprintln!("ora: stopped at run {done} of {all}, with {THREADS}={threads}: the program failed");
                return Ok(exit);
            }
            runs.push(figures(&run));
        }
    }
    let mut scaling = Scaling::of(&runs);
    if let Some(numbers) = scaling.to_sample() {
        progress.show("two more runs, with samples");
        // Without samples the page lists possible causes.
        scaling.grown = grown(args, numbers).unwrap_or_default();
    }
    drop(progress);
    let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
    let name = command_line(&words);
    if let Some(path) = &args.svg {
        write(path, &::scale::svg(&scaling))?;
    }
    if let Some(page) = &mut page {
        page.write(|_| ::scale::html(&name, args.repeat, &scaling))?;
    }
    let answer = if args.json {
        Answer::Json(::scale::json(&args.program, &scaling)?)
    } else {
        Answer::Page(::scale::page(&name, args.repeat, &scaling), args.screen)
    };
    output.write(&answer)?;
    if !scaling.has_regions() {
        bail!("no parallel region was seen, so the times say nothing about OpenMP: `ora doctor -- PROGRAM` says why");
    }
    Ok(Exit::Code(0))
}

/// Code whose time differs between runs with these two numbers of threads.
///
/// # Errors
/// If the program can't be started, or there is no space for samples.
fn grown(args: &Scale, (first, worst): (u32, u32)) -> Result<Vec<Grown>> {
    let times = |threads: u32| -> Result<_> {
        let profile = sampled_run::sample(&args.program, !args.no_follow, &[(THREADS, threads.to_string().into())])?;
        Ok(profile.map(|profile| own_times(&profile)))
    };
    let (Some(before), Some(after)) = (times(first)?, times(worst)?) else { return Ok(Vec::new()) };
    let one = |((name, kind), time): ((String, LeafKind), OwnTime)| Grown {
        place: time.place,
        cause: match kind {
            LeafKind::Work => Cause::Work,
            LeafKind::Atomic => Cause::Atomic,
            LeafKind::Locks => Cause::Locks,
            LeafKind::Allocator => Cause::Allocator,
            LeafKind::Runtime => Cause::Runtime,
        },
        before_ns: before.get(&(name, kind)).map_or(0.0, |time| time.cpu_ns as f64),
        after_ns: time.cpu_ns as f64,
    };
    Ok(after.into_iter().map(one).collect())
}

/// Figures of a run.
fn figures(run: &Run) -> ::scale::Run {
    let report = Report::of(std::slice::from_ref(run));
    let subject = report.subject.filter(|subject| subject.process.used_openmp()).map(|subject| {
        let by_place = &subject.figures.by_place;
        let outer = by_place.iter().filter(|region| region.sums.nested == 0);
        let ran = |activity| subject.process.sum(|thread| thread.ran(activity));
        let mut teams: Vec<u64> = by_place.iter().map(|region| region.sums.threads).collect();
        teams.sort_unstable();
        let facts = facts::of(subject.process, &subject.figures);
        // What watching adds is mostly at the starts and ends of regions, and the kernel frees the memory at the end.
        let added_ns = subject.process.sum(|thread| {
            if thread.forks > 0 { thread.watching_ns.saturating_add(thread.passed.after_exit_ns()) } else { 0 }
        }) as f64;
        Subject {
            wall_ns: (subject.figures.wall_ns.mean - added_ns).max(0.0),
            running_ns: (ran(Activity::Work) + ran(Activity::Serial)) as f64,
            without_processor: facts.ready_ns / facts.all_ns.max(1.0),
            teams,
            regions: outer.map(part).collect(),
            findings: advice::findings(&facts),
        }
    });
    ::scale::Run { wall_ns: run.wall_ns as f64, subject }
}

fn part(region: &Region) -> Part {
    Part { place: Some(place(&region.place)), wall_ns: region.sums.total_ns as f64 }
}

fn place(place: &Place) -> advice::Place {
    advised::place(place).unwrap_or_else(|| advice::Place { name: place.name(), ..advice::Place::default() })
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.shown()))
}
