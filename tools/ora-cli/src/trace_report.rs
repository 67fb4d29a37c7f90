//! `ora report` on a trace.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use ::report::names::Files;
use ::report::page::Page;
use anyhow::{Context, Result, bail};
use timeline::{Timeline, chrome, firefox, html, is_trace, json, open, otf2, paraver, perfetto, text};

use crate::args::Report;
use crate::exit::{Exit, Failure};
use crate::output::{Answer, Output};
use crate::progress::Progress;
use crate::quantity::{count, time};
use crate::report::{NO_PROFILE, file, unwritten};

/// Bytes of events that it takes a while to read.
const LARGE: u64 = 20_000_000;

/// # Errors
/// If a trace can't be read, FILE can't be written, or an option is for profiles.
pub(crate) fn report(args: &Report, folders: &[PathBuf]) -> Result<Exit> {
    if args.flame.is_some() || args.folded.is_some() {
        bail!("--flame and --folded show call stacks, which a trace doesn't have: use `ora profile`");
    }
    if args.parquet.is_some() {
        bail!("--parquet has the samples of a profile, which a trace doesn't have: use `ora profile`");
    }
    let timelines = read(folders)?;
    if for_others(args, &timelines)? && args.output.is_none() && !args.json {
        return Ok(Exit::Code(0));
    }
    let mut output = Output::file_or(args.output.as_deref(), Output::Stdout)?;
    let answer = if args.json {
        Answer::Json(json::document(&timelines, args.max)?)
    } else {
        Answer::Page(page(args, &timelines), args.screen)
    };
    if args.no_pager {
        output.write(&answer)?
    } else {
        output.write_paged(&answer)?
    }
    Ok(Exit::Code(0))
}

/// The reports of all processes, one below the other; of several ranks, the job above them.
fn page(args: &Report, timelines: &[Timeline]) -> Page {
    let mut page = Page::default();
    for (number, timeline) in timelines.iter().enumerate() {
        match (number, job(timelines)) {
            (0, None) => {}
            (0, Some(job)) => {
                page.heading(&job);
                page.blank();
            }
            _ => page.blank(),
        }
        page.append(text::page(timeline, args.max));
    }
    page
}

/// A line about the ranks of a job. `None`: there are less than two.
fn job(timelines: &[Timeline]) -> Option<String> {
    let ranks: Vec<&Timeline> = timelines.iter().filter(|timeline| timeline.facts.rank.is_some()).collect();
    let numbers: BTreeSet<Option<u32>> = ranks.iter().map(|rank| rank.facts.rank).collect();
    let hosts: BTreeSet<Option<&str>> = ranks.iter().map(|rank| rank.facts.host.as_deref()).collect();
    let threads = ranks.iter().map(|rank| rank.threads.len() as u64).sum();
    let longest_ns = ranks.iter().map(|rank| rank.end_ns.saturating_sub(rank.begin_ns)).max()?;
    (numbers.len() > 1).then(|| {
        let (ranks, machines) = (numbers.len() as u64, hosts.len() as u64);
        format!(
            "Job of {} on {}: {}, {}",
            count(ranks, "rank", "ranks"),
            count(machines, "machine", "machines"),
            count(threads, "thread", "threads"),
            time(longest_ns as f64)
        )
    })
}

/// Reads the traces among some folders of processes.
///
/// # Errors
/// If one can't be read.
pub(crate) fn read(folders: &[PathBuf]) -> Result<Vec<Timeline>> {
    let files = Files::default();
    let bytes = |folder: &Path| folder.join(trace_data::FILE).metadata().map_or(0, |file| file.len());
    let large = folders.iter().map(|folder| bytes(folder)).sum::<u64>() > LARGE;
    let mut progress = Progress::alone();
    let traces = folders.iter().filter(|folder| is_trace(folder));
    let timelines = (1..).zip(traces).map(|(number, folder)| {
        if large {
            let size = bytes(folder) / 1_000_000;
            progress.show(&format!("reading process {number} of {} ({size} MB)", folders.len()));
        }
        open(folder, &files).map_err(|error| Failure { code: NO_PROFILE, message: error.to_string() }.into())
    });
    timelines.collect()
}

/// Writes what other programs show. Whether anything of it was asked for.
fn for_others(args: &Report, timelines: &[Timeline]) -> Result<bool> {
    type Writer = fn(&mut dyn Write, &[Timeline]) -> std::io::Result<()>;
    let chosen: [(&Option<PathBuf>, Writer); 4] = [
        (&args.html, html::write),
        (&args.perfetto, perfetto::write),
        (&args.firefox, firefox::write),
        (&args.chrome, chrome::write),
    ];
    let mut any = false;
    if let Some(folder) = &args.otf2 {
        otf2::write(folder, timelines).with_context(|| unwritten(folder))?;
        any = true;
    }
    if let Some(path) = &args.paraver {
        paraver::write(path, timelines).with_context(|| unwritten(path))?;
        any = true;
    }
    for (path, write) in chosen {
        let Some(path) = path else { continue };
        let mut to = file(path)?;
        write(&mut to, timelines).and_then(|()| to.flush()).with_context(|| unwritten(path))?;
        any = true;
    }
    Ok(any)
}
