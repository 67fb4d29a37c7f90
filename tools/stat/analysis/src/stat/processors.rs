//! Lines about the time for which threads had processors.

use std::fmt::Write;

use terminal::quantity::{count, percent, time};

use super::figures::{Figures, Value};
use super::snapshot::Process;
use super::time_split::Source;

/// Time without a processor is shown from this share of the threads' time.
const MIN_SHARE: f64 = 0.01;
/// Below this, CPU time of threads without OpenMP is not shown.
const SOME_NS: f64 = 1e6;

/// True if threads were ready without a processor for long enough to be shown.
pub(super) fn matter(figures: &Figures) -> bool {
    figures.ready_ns.mean >= figures.elapsed_ns.mean * MIN_SHARE
}

/// Lines of the header, each with its name.
pub(super) fn head(process: &Process, figures: &Figures, wall_ns: Value) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let cpu_ns = figures.cpu_ns.mean;
    let used = if wall_ns.mean > 0.0 { cpu_ns / wall_ns.mean } else { 0.0 };
    let mut text = format!("{}   ({used:.2} processors on average", time(cpu_ns));
    let outside_ns = process.outside_ns as f64;
    if outside_ns >= (cpu_ns * MIN_SHARE).max(SOME_NS) {
        let _ = write!(text, ", {} of it in threads without OpenMP", time(outside_ns));
    }
    text.push(')');
    let added = figures.watching_ns.mean / figures.elapsed_ns.mean.max(1.0);
    if added >= MIN_SHARE {
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
