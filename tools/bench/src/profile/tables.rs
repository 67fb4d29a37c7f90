//! What was measured, for people.

use super::measure::Run;
use super::ways::Way;
use super::{Report, Subject};
use crate::samples;
use crate::tables::{line, title};

pub(super) fn tables(report: &Report) -> String {
    let mut text = String::new();
    let out = &mut text;
    line(out, &format!("library: {}", report.library.display()));
    let (rounds, processors) = (report.rounds, report.processors);
    line(out, &format!("{rounds} rounds over all; {processors} processors"));
    line(
        out,
        "More than the bare program takes: by the best of all rounds, and the middle of the rounds. CPU: of all threads.",
    );
    line(out, "\"around\": what the command takes beside the program's work, more than the bare program does.");
    for subject in report.runs.keys() {
        one(out, report, *subject);
    }
    for (name, why) in &report.missing {
        line(out, &format!("\n{name}: not to be had: {why}"));
    }
    text
}

fn one(out: &mut String, report: &Report, subject: Subject) {
    let Some((ways, bare)) = report.runs.get(&subject).and_then(|ways| Some((ways, ways.get(&Way::Bare)?))) else {
        return;
    };
    let work = middle(bare.iter().map(|run| run.wall_ns / 1e6).collect());
    title(out, &format!("{} ({}): {work:.0} ms", subject.title(), subject.name()));
    line(
        out,
        &format!(
            "{:18}{:>12}{:>9}{:>12}{:>9}{:>8}{:>12}{:>12}",
            "", "wall, best", "middle", "CPU, best", "middle", "goal", "around, ms", "on disk, kB"
        ),
    );
    for (way, runs) in ways.iter().filter(|(way, _)| **way != Way::Bare) {
        let more = |of: fn(&Run) -> f64| {
            let ratios = runs.iter().zip(bare).map(|(run, bare)| of(run) / of(bare)).collect();
            let best = least(runs.iter().map(of)) / least(bare.iter().map(of));
            [best, middle(ratios)].map(|ratio| format!("{:+.1} %", (ratio - 1.0) * 100.0))
        };
        let ([wall_best, wall], [cpu_best, cpu]) = (more(|run| run.wall_ns), more(|run| run.cpu_ns));
        let around: Vec<f64> = runs
            .iter()
            .zip(bare)
            .map(|(run, bare)| (run.whole_ns - run.wall_ns - (bare.whole_ns - bare.wall_ns)) / 1e6)
            .collect();
        let goal = way.goal().map_or(String::new(), |goal| format!("{goal:.0} %"));
        let bytes = runs.last().map_or(0, |run| run.bytes);
        let size = if bytes == 0 { String::new() } else { format!("{}", bytes / 1000) };
        let (way, around) = (way.title(), middle(around));
        line(out, &format!("{way:18}{wall_best:>12}{wall:>9}{cpu_best:>12}{cpu:>9}{goal:>8}{around:>12.0}{size:>12}"));
    }
}

fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}

fn middle(values: Vec<f64>) -> f64 {
    samples::middle(values).unwrap_or(f64::NAN)
}
