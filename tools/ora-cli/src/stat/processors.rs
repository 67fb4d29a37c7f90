//! Lines and findings about the time for which threads had processors.

use std::fmt::Write;

use super::figures::{Figures, Value};
use super::regions::whole;
use super::snapshot::Process;
use super::time_split::Source;
use crate::quantity::{count, percent, time};

/// A share of the threads' time from which on time without a processor is shown.
const WORTH: f64 = 0.01;
/// A share of the threads' time from which on time without a processor is a finding by itself.
const MUCH: f64 = 0.05;
/// Less CPU time of threads without OpenMP is not shown.
const SOME_NS: f64 = 1e6;
/// Shorter turns without a processor are those of threads that wake up.
const WAKE_UP_NS: f64 = 50e3;

/// True if threads were ready without a processor for long enough to be shown.
pub(super) fn matter(figures: &Figures) -> bool {
    figures.ready_ns.mean >= figures.elapsed_ns.mean * WORTH
}

/// Findings about processors, which stand before all others.
pub(super) fn findings(process: &Process, figures: &Figures) -> Vec<String> {
    let Some(allowed) = processors(process) else { return Vec::new() };
    let threads = process.team_threads;
    let ready = format!(
        "ready without a processor for {}, {} % of their time",
        time(figures.ready_ns.mean),
        percent(figures.ready_ns.mean, figures.elapsed_ns.mean)
    );
    if threads as f64 > allowed.ceil() {
        let processors = if allowed == 1.0 { "1 processor".to_owned() } else { format!("{allowed} processors") };
        let what = if matter(figures) {
            format!("threads were {ready}. {}, or allow it as many processors", remedy(process, allowed))
        } else {
            "they seldom wanted one at the same time".to_owned()
        };
        return vec![format!("{threads} OpenMP threads for {processors}: {what}.")];
    }
    let turns = process.sum(|thread| thread.passed.turns) as f64;
    let each_ns = process.sum(|thread| thread.passed.ready_ns) as f64 / turns.max(1.0);
    if figures.ready_ns.mean >= figures.elapsed_ns.mean * MUCH && turns > 0.0 && each_ns >= WAKE_UP_NS {
        return vec![format!(
            "The processors were busy with something else, other programs or threads outside of OpenMP: threads were {ready}."
        )];
    }
    Vec::new()
}

/// Advice for fewer threads. `OMP_NUM_THREADS` is in vain where the program sets the number itself.
fn remedy(process: &Process, allowed: f64) -> String {
    let enough = allowed.floor().max(1.0);
    let regions = whole(&process.regions);
    if regions.threads as f64 <= allowed.ceil() {
        return if regions.nested > 0 {
            format!("Regions inside of regions make them: try OMP_THREAD_LIMIT={enough}")
        } else {
            "Several threads have a team each: try a smaller OMP_NUM_THREADS for each of these".to_owned()
        };
    }
    let setting = |name: &str| process.settings.iter().find(|(key, _)| key.raw() == name).map(|(_, value)| value.raw());
    let asked = setting("OMP_NUM_THREADS").and_then(|list| list.split(',').next()?.trim().parse::<u64>().ok());
    match asked {
        Some(asked) if asked >= regions.threads => format!("Try OMP_NUM_THREADS={enough}"),
        // Without a setting a runtime takes all processors of the machine, or those that it was allowed at first.
        None if regions.threads <= online() => {
            format!(
                "Try OMP_NUM_THREADS={enough}, or OMP_THREAD_LIMIT={enough} where the program sets the number itself"
            )
        }
        _ => format!(
            "The program sets their number itself, not OMP_NUM_THREADS: change it there, or try OMP_THREAD_LIMIT={enough}"
        ),
    }
}

/// Number of the machine's processors that are online.
fn online() -> u64 {
    let listed = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    // As in `0-3,8`.
    let range = |range: &str| {
        let (first, last) = range.trim().split_once('-').unwrap_or((range.trim(), range.trim()));
        Some(last.parse::<u64>().ok()?.checked_sub(first.parse().ok()?)? + 1)
    };
    listed.split(',').filter_map(range).sum()
}

/// Number of processors that the threads may use at the same time.
fn processors(process: &Process) -> Option<f64> {
    let allowed = process.processors_allowed.map(f64::from);
    allowed.into_iter().chain(process.quota).reduce(f64::min)
}

/// Lines of the head, each with its name.
pub(super) fn head(process: &Process, figures: &Figures, wall_ns: Value) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let cpu_ns = figures.cpu_ns.mean;
    let used = if wall_ns.mean > 0.0 { cpu_ns / wall_ns.mean } else { 0.0 };
    let mut text = format!("{}   ({used:.2} processors on average", time(cpu_ns));
    let outside_ns = process.outside_ns as f64;
    if outside_ns >= (cpu_ns * WORTH).max(SOME_NS) {
        let _ = write!(text, ", {} of it in threads without OpenMP", time(outside_ns));
    }
    text.push(')');
    let added = figures.watching_ns.mean / figures.elapsed_ns.mean.max(1.0);
    if added >= WORTH {
        let _ = write!(text, ", about {} without watching", time(cpu_ns * (1.0 - added.min(1.0))));
    }
    lines.push(("CPU time", text));
    if matter(figures) {
        let share = percent(figures.ready_ns.mean, figures.elapsed_ns.mean);
        let estimate = if process.source() == Source::CpuClock { ", by estimate" } else { "" };
        let text = format!("{}   ({share} % of the threads' time{estimate})", time(figures.ready_ns.mean));
        lines.push(("no processor", text));
    }
    let mut around = Vec::new();
    if let Some(allowed) = process.processors_allowed {
        around.push(count(u64::from(allowed), "processor allowed", "processors allowed"));
    }
    if let Some(quota) = process.quota {
        around.push(format!("a quota of {quota:.2}"));
    }
    around.extend(process.settings.iter().map(|(name, value)| format!("{name}={value}")));
    if !around.is_empty() {
        lines.push(("surroundings", around.join(", ")));
    }
    let share = percent(figures.watching_ns.mean, figures.elapsed_ns.mean);
    let text = format!("added about {} to the threads' time ({share} %)", time(figures.watching_ns.mean));
    lines.push(("watching", text));
    lines
}
