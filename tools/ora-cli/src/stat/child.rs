//! A process that the program started, in three lines.

use std::fmt::Write;

use super::hints;
use super::processors;
use super::report::Shown;
use super::table::{ORDER, label};
use crate::quantity::{count, percent, time};

/// Appends the lines.
pub(super) fn render(out: &mut String, Shown { process, figures }: &Shown<'_>) {
    let _ = writeln!(out, "   '{}' (pid {}, {}):", process.who.command, process.who.pid, process.who.story());
    let _ = write!(
        out,
        "      wall time {}, CPU time {}, {}, {}",
        time(process.who.wall_ns as f64),
        time(figures.cpu_ns.mean),
        count(process.threads.len() as u64, "thread", "threads"),
        count(process.sum(|thread| thread.forks), "parallel region", "parallel regions"),
    );
    if figures.region_range_ns.is_some() {
        let _ = write!(out, ", mean {}", time(figures.region_ns.mean));
    }
    let _ = writeln!(out);
    let elapsed = figures.elapsed_ns.mean;
    let shares: Vec<String> = ORDER
        .into_iter()
        .filter(|activity| figures.spent(*activity).mean > 0.0)
        .map(|activity| format!("{} {}%", label(activity), percent(figures.spent(activity).mean, elapsed)))
        .collect();
    let _ = writeln!(out, "      {}", shares.join(", "));
    let _ = write!(
        out,
        "      OpenMP Work {}%, OpenMP Wait {}%",
        percent(figures.work_ns.mean, elapsed),
        percent(figures.wait_ns.mean, elapsed)
    );
    if let Some(imbalance) = figures.imbalance {
        let _ = write!(out, ", load imbalance {}%", percent(imbalance.share.mean, 1.0));
    }
    let _ = writeln!(out);
    for finding in processors::findings(process, figures) {
        let _ = writeln!(out, "      Finding: {finding}");
    }
    for line in hints::about(process, false, None) {
        let _ = writeln!(out, "      Note: {line}.");
    }
}
