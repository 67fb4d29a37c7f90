//! Summary of a process that the program started, in three lines.

use std::fmt::Write;

use terminal::page::{Page, Tone};
use terminal::quantity::{count, percent, time};

use super::activities::{ORDER, label};
use super::facts;
use super::report::Shown;
use crate::hints;

/// Appends the lines. `rank`: its number in the job. `own`: whether a note is this process's alone.
pub(super) fn render(
    out: &mut Page,
    Shown { process, figures }: &Shown<'_>,
    rank: Option<u32>,
    own: impl Fn(&str) -> bool,
) {
    let rank = rank.map_or_else(String::new, |rank| format!("rank {rank}: "));
    let who = &process.who;
    out.text(3, &format!("{rank}'{}' (pid {}, {}):", who.command, who.pid, who.description()));
    let mut line = format!(
        "wall time {}, CPU time {}, {}, {}",
        time(process.who.wall_ns as f64),
        time(figures.cpu_ns.mean),
        count(process.count(|_| true), "thread", "threads"),
        count(process.sum(|thread| thread.forks), "parallel region", "parallel regions"),
    );
    if figures.region_range_ns.is_some() {
        let _ = write!(line, ", mean {}", time(figures.region_ns.mean));
    }
    out.text(6, &line);
    let elapsed = figures.elapsed_ns.mean;
    let shares: Vec<String> = ORDER
        .into_iter()
        .filter(|activity| figures.spent(*activity).mean > 0.0)
        .map(|activity| format!("{} {} %", label(activity), percent(figures.spent(activity).mean, elapsed)))
        .collect();
    out.text(6, &shares.join(", "));
    let mut line = format!(
        "OpenMP Work {} %, OpenMP Wait {} %",
        percent(figures.work_ns.mean, elapsed),
        percent(figures.wait_ns.mean, elapsed)
    );
    if let Some(imbalance) = figures.imbalance {
        let _ = write!(line, ", load imbalance {} %", percent(imbalance.share.mean, 1.0));
    }
    out.text(6, &line);
    let facts = facts::of(process, figures);
    // The finding about all processes together is reported only once, elsewhere.
    for finding in advice::findings(&facts).iter().filter(|it| it.is_first && it.id != advice::PROCESSES) {
        out.paragraph(6, "Finding: ", &finding.text(facts.wall_ns), Tone::Finding);
    }
    for line in hints::about(process, false, None).iter().filter(|line| own(line)) {
        out.paragraph(6, "Note: ", &format!("{line}."), Tone::Note);
    }
}
