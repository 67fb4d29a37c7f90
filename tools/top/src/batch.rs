//! Observations as text or JSON, one after the other, for logs and scripts.

use std::time::{Duration, Instant};

use anyhow::Result;
use stat_analysis::Exit;
use stat_analysis::stat::activities::label;
use stat_analysis::stat::snapshot::{Process, Run, Thread};
use stat_layout::stat::layout::Activity;
use terminal::page::{Column, Page, Table};
use terminal::quantity::{count, percent, time};

use super::candidates::{Candidate, Candidates};
use super::json;
use super::load::{Load, lives, waits};
use super::sample::{Sample, Sampler};
use super::source::Source;
use crate::Options;

/// Maximum number of regions with their own row.
const REGIONS: usize = 10;

/// Observation, in the form that its reader needs.
#[derive(Debug)]
pub enum Look {
    /// One object on a line.
    Json(String),
    /// Text.
    Page(Page),
}

/// Signals and the output, which the command controls.
pub trait BatchHost {
    /// True once the user has interrupted the command.
    fn is_interrupted(&self) -> bool;

    /// Writes an observation.
    ///
    /// # Errors
    /// If it can't be written.
    fn write(&mut self, look: Look) -> Result<()>;
}

/// Observes one program until its end, or as often as the user wants. Returns the final figures, and the exit status.
///
/// # Errors
/// If the output can't be written, or the final figures don't arrive.
pub fn watch(options: &Options, source: Box<dyn Source>, host: &mut impl BatchHost) -> Result<(Run, Exit)> {
    let is_own_program = source.is_own_program();
    let mut sampler = Sampler::new(&*source);
    let mut is_complete = false;
    for look in 1.. {
        let is_over = || source.is_over() || host.is_interrupted() && !is_own_program;
        wait(options.interval, is_over);
        if source.is_over() {
            break;
        }
        // A process that goes on is observed before it is left: the final figures don't say what its threads do.
        let is_last = is_over() || options.count.is_some_and(|count| look >= count);
        host.write(shown(options, &sampler.look(&*source), is_last)?)?;
        if is_last {
            is_complete = true;
            break;
        }
    }
    let (run, exit) = source.end()?;
    if !is_complete {
        host.write(shown(options, &sampler.finish(&run), true)?)?;
    }
    Ok((run, exit))
}

/// Waits for this time, or until there is a reason to continue earlier.
fn wait(time: Duration, is_over: impl Fn() -> bool) {
    const SLICE: Duration = Duration::from_millis(20);
    let begun = Instant::now();
    while !is_over() {
        let left = time.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(SLICE));
    }
}

fn shown(options: &Options, sample: &Sample, is_last: bool) -> Result<Look> {
    Ok(if options.json { Look::Json(json::line(sample, is_last)?) } else { Look::Page(page(options, sample)) })
}

/// Observes all processes of the user.
///
/// # Errors
/// If the output can't be written.
pub fn list(options: &Options, host: &mut impl BatchHost) -> Result<()> {
    let mut candidates = Candidates::default();
    candidates.look();
    let (begun, mut before) = (Instant::now(), Instant::now());
    for look in 1.. {
        wait(options.interval, || host.is_interrupted());
        let is_last = host.is_interrupted() || options.count.is_some_and(|count| look >= count);
        let found = candidates.look();
        let interval = before.elapsed();
        before = Instant::now();
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        host.write(if options.json {
            Look::Json(json::list(&found, ns(begun.elapsed()), ns(interval), is_last)?)
        } else {
            Look::Page(list_page(&found, interval))
        })?;
        if is_last {
            break;
        }
    }
    Ok(())
}

fn list_page(found: &[Candidate], interval: Duration) -> Page {
    let mut out = Page::default();
    let used = |cpu_ns: u64| format!("{:.2}", cpu_ns as f64 / (interval.as_nanos().max(1)) as f64);
    let (threads, cpu_ns) = found
        .iter()
        .fold((0, 0), |(threads, cpu_ns), candidate| (threads + candidate.threads, cpu_ns + candidate.cpu_ns));
    let processes = count(found.len() as u64, "process uses", "processes use");
    out.blank();
    out.heading(&format!("{processes} OpenMP: {threads} threads, {} processors used", used(cpu_ns)));
    let columns = vec![
        Column::figure("PID", 10),
        Column::figure("threads", 9),
        Column::figure("processors", 12),
        Column::label("   libora.so", 14),
        Column::name("command"),
    ];
    let mut table = Table::new(3, columns);
    for candidate in found {
        let (pid, threads) = (candidate.pid.to_string(), candidate.threads.to_string());
        let library = format!("   {}", candidate.library());
        table.row([pid, threads, used(candidate.cpu_ns), library, candidate.command.to_string()]);
    }
    out.table(table);
    out
}

fn page(options: &Options, sample: &Sample) -> Page {
    let mut out = Page::default();
    for pair in &sample.processes {
        let process = &pair.interval;
        out.blank();
        let who = &process.who;
        let (at, interval) = (time(sample.at_ns as f64), time(sample.interval_ns as f64));
        out.heading(&format!("'{}' (process {}), at {at}, in {interval}:", who.command, who.pid));
        out.blank();
        head(&mut out, process);
        if process.elapsed_ns() > 0 {
            causes(&mut out, process);
            threads(&mut out, options, process);
            regions(&mut out, process);
        }
    }
    out
}

fn head(out: &mut Page, process: &Process) {
    let load = Load::of(process);
    let efficiency = load.efficiency.map_or_else(|| "-".to_owned(), |part| format!("{} %", percent(part, 1.0)));
    out.text(
        3,
        &format!(
            "{} alive, {:.2} processors used, {:.2} threads without a processor, efficiency {efficiency}",
            count(load.threads as u64, "OpenMP thread", "OpenMP threads"),
            load.used,
            load.waiting,
        ),
    );
    let regions = count(load.regions, "parallel region", "parallel regions");
    out.text(3, &format!("{regions}, mean {}, {}", time(load.region_ns), count(load.tasks, "task", "tasks")));
}

fn causes(out: &mut Page, process: &Process) {
    let columns = vec![
        Column::label("all threads", 18),
        Column::figure("time", 12),
        Column::figure("%", 9),
        Column::figure("waits", 12),
        Column::figure("mean wait", 14),
    ];
    let mut table = Table::new(3, columns);
    for activity in [Activity::Work, Activity::Serial].into_iter().chain(waits(process)) {
        let (spent_ns, begun) = (process.spent_ns(activity), process.begun(activity));
        let mut row = vec![label(activity).to_owned(), time(spent_ns as f64)];
        row.push(percent(spent_ns as f64, process.elapsed_ns() as f64));
        if begun > 0 {
            row.extend([begun.to_string(), time(spent_ns as f64 / begun as f64)]);
        }
        table.row(row);
    }
    out.blank();
    out.table(table);
}

fn threads(out: &mut Page, options: &Options, process: &Process) {
    let columns = vec![
        Column::figure("thread", 10),
        Column::figure("work %", 9),
        Column::figure("wait %", 9),
        Column::figure("processor %", 13),
        Column::figure("without %", 11),
        Column::label("   doing", 20),
    ];
    let mut table = Table::new(3, columns);
    let all: Vec<&Thread> = process.threads.iter().filter(|thread| lives(thread)).collect();
    for thread in all.iter().take(options.threads) {
        let elapsed_ns = thread.elapsed_ns() as f64;
        let work_ns = (thread.spent(Activity::Work) + thread.spent(Activity::Serial)) as f64;
        let doing = thread.doing.map_or("ended", label);
        table.row([
            thread.tid.to_string(),
            percent(work_ns, elapsed_ns),
            percent(elapsed_ns - work_ns, elapsed_ns),
            percent(thread.passed.running_ns as f64, elapsed_ns),
            percent(thread.passed.ready_ns as f64, elapsed_ns),
            format!("   {doing}"),
        ]);
    }
    out.blank();
    out.table(table);
    if all.len() > options.threads {
        out.text(3, &format!("{} more (`--rows all` shows each of them)", all.len() - options.threads));
    }
}

fn regions(out: &mut Page, process: &Process) {
    let mut active: Vec<_> =
        process.regions.iter().filter(|region| region.sums.count + region.sums.ended > 0).collect();
    if active.is_empty() {
        return;
    }
    active.sort_by_key(|region| std::cmp::Reverse(region.sums.total_ns));
    let columns = vec![
        Column::figure("time", 12),
        Column::figure("count", 9),
        Column::figure("mean", 12),
        Column::figure("threads", 9),
        Column::figure("imbalance %", 13),
        Column::name("parallel region"),
    ];
    let mut table = Table::new(3, columns);
    for region in active.iter().take(REGIONS) {
        let sums = &region.sums;
        table.row([
            time(sums.total_ns as f64),
            sums.count.to_string(),
            time(sums.mean_ns()),
            sums.threads.to_string(),
            sums.imbalance().map_or_else(|| "-".to_owned(), |imbalance| percent(imbalance, 1.0)),
            region.place.name(),
        ]);
    }
    out.blank();
    out.table(table);
    if active.len() > REGIONS {
        out.text(3, &format!("{} more", active.len() - REGIONS));
    }
}
