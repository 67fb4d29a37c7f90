//! Tables of the kernels.

use super::{MODES, Report, Row};
use crate::mode::Mode;
use crate::programs::processors;
use crate::samples::Samples;
use crate::table::{Page, Table, number, percent};

/// Allowed overhead of tracking, in percent of a kernel: on average, and at most.
const GOAL: (f64, f64) = (0.5, 2.0);
/// Modes other than bare.
const WATCHED: [Mode; 3] = {
    let [_, rest @ ..] = MODES;
    rest
};

pub(super) fn page(report: &Report) -> Page {
    let mut page = Page::default();
    page.line(&format!("{} rounds over all modes", report.rounds));
    page.table(&rates(report));
    page.table(&times(report, "Time that passes", &report.wall));
    page.table(&times(report, "Processor time", &report.processor));
    page.table(&instructions(report));
    page.table(&summary(report));
    page.line("The OpenUH paper has 0 to 6 % for its runtime, below 1 % on average, with no tool attached.");
    page
}

fn name(row: &Row) -> String {
    format!("{:10} {:6} {:>2}", row.kernel, if row.untied { "untied" } else { "tied" }, row.threads)
}

/// Table of the tasks' times without watching. A task's time is CPU time: if there are more threads than processors, they share the
/// processors.
fn rates(report: &Report) -> Table {
    let head = ["tasks", "tasks/s", "mean task, us"];
    let mut table = Table::new("Tasks, bare: best of all rounds", "kernel, threads", head);
    for row in &report.rows {
        let best = report.wall.best(&row.key, Mode::Bare).zip(report.tasks.last(&row.key, MODES));
        let Some((seconds, tasks)) = best else { continue };
        #[expect(clippy::cast_precision_loss, reason = "a few")]
        let busy = f64::from(row.threads).min(processors() as f64);
        let cells = [format!("{tasks:.0}"), format!("{:.0}", 1.0 / seconds), format!("{:.2}", seconds * busy * 1e6)];
        table.row(&name(row), cells);
    }
    table
}

/// Overhead over bare in percent: by the best rounds, and by the median of all rounds.
fn more(samples: &Samples, key: &str, mode: Mode) -> Option<(f64, f64)> {
    let best = percent(samples.best(key, mode)?, samples.best(key, Mode::Bare)?);
    Some((best, samples.paired(key, mode, Mode::Bare, percent)?))
}

/// Two columns for each mode other than bare.
fn head(second: &str) -> impl Iterator<Item = String> {
    WATCHED.into_iter().flat_map(move |mode| [mode.to_string(), second.to_owned()])
}

fn pair(values: Option<(f64, f64)>) -> [String; 2] {
    let cell = |value: f64| format!("{value:+.2}");
    values.map_or(["-".to_owned(), "-".to_owned()], |(a, b)| [cell(a), cell(b)])
}

fn times(report: &Report, what: &str, samples: &Samples) -> Table {
    let title = format!("{what} over bare, in percent: best rounds, median of rounds");
    let mut table = Table::new(&title, "kernel, threads", head("median"));
    for row in &report.rows {
        table.row(&name(row), WATCHED.into_iter().flat_map(|mode| pair(more(samples, &row.key, mode))));
    }
    table
}

fn instructions(report: &Report) -> Table {
    let title = "Instructions per task, 1 thread, a small run: more than bare, and in percent of bare";
    let mut table = Table::new(title, "kernel", head("%").chain(["bare".to_owned()]));
    let samples = &report.instructions;
    for variant in samples.rows() {
        let Some(bare) = samples.best(variant, Mode::Bare) else { continue };
        let cells = WATCHED.into_iter().flat_map(|mode| {
            let Some(all) = samples.best(variant, mode) else { return pair(None) };
            [number(all - bare), format!("{:+.2}", percent(all, bare))]
        });
        table.row(variant, cells.chain([format!("{bare:.0}")]));
    }
    table
}

fn summary(report: &Report) -> Table {
    let mut table = Table::new("All kernels together, in percent over bare: mean, most", "", head("most"));
    let keys: Vec<&str> = report.rows.iter().map(|row| row.key.as_str()).collect();
    let variants: Vec<&str> = report.instructions.rows().collect();
    for (what, samples, keys, median) in [
        ("time, best", &report.wall, &keys, false),
        ("time, median", &report.wall, &keys, true),
        ("processor, best", &report.processor, &keys, false),
        ("processor, median", &report.processor, &keys, true),
        ("instructions", &report.instructions, &variants, false),
    ] {
        let cells = WATCHED.into_iter().flat_map(|mode| {
            let values = keys.iter().filter_map(|key| more(samples, key, mode));
            let values: Vec<f64> = values.map(|(best, middle)| if median { middle } else { best }).collect();
            #[expect(clippy::cast_precision_loss, reason = "a few")]
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            pair(values.iter().copied().max_by(f64::total_cmp).map(|most| (mean, most)))
        });
        table.row(what, cells);
    }
    let goal = |mode: Mode| if mode == Mode::Tracking { pair(Some(GOAL)) } else { [String::new(), String::new()] };
    table.row("goal", WATCHED.into_iter().flat_map(goal));
    table
}
