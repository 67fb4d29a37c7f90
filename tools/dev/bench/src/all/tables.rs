//! Tables of `bench all`.

use super::Report;
use super::bootstrap::{self, Interval};
use super::levels::{COUNTED, WATCHED, goal};
use crate::mode::Mode;
use crate::samples::Samples;
use crate::table::{Page, Table, cell, number};

pub(super) fn page(report: &Report) -> Page {
    let mut page = Page::default();
    page.line(&format!("{} rounds over all, two threads", report.rounds));
    page.line(
        "More than the bare program takes, in percent: the middle of the rounds, and where 95 % of the bootstrap's",
    );
    page.line("draws lie. What \"bare again\" has is noise.");
    for (runtime, samples) in &report.programs {
        page.table(&ratios(&format!("Whole programs on {}: CPU time", runtime.title()), samples, "ms", 1e6));
    }
    goals(&mut page, report);
    for (runtime, samples) in &report.constructs {
        let title = format!("Constructs with a tenth of a microsecond of work, on {}: time", runtime.title());
        page.table(&ratios(&title, samples, "ns", 1.0));
    }
    for (runtime, samples) in &report.instructions {
        page.table(&plain(&format!("The same on one thread, on {}: instructions", runtime.title()), "", samples));
    }
    let rounds = report.growth.rounds;
    for (runtime, samples) in &report.growth.threads {
        let title = format!("Growing teams on {}: ns of a construct, best of {rounds} rounds", runtime.title());
        page.table(&plain(&title, "threads, construct", samples));
    }
    for (runtime, samples) in &report.growth.live {
        let title = format!("Tasks alive at once on {}: ns of a task, best of {rounds} rounds", runtime.title());
        page.table(&plain(&title, "tasks", samples));
    }
    if let Some(requests) = &report.requests {
        requests.show(&mut page);
    }
    for (name, why) in &report.missing {
        page.line(&format!("\n{name}: not to be had: {why}"));
    }
    page
}

fn ratios(title: &str, samples: &Samples, unit: &str, scale: f64) -> Table {
    let head = std::iter::once(format!("bare, {unit}")).chain(WATCHED.map(|level| level.to_string()));
    let mut table = Table::new(title, "", head);
    for name in samples.rows() {
        let bare = samples.median(name, Mode::Bare).map_or(f64::NAN, |bare| bare / scale);
        let cells = WATCHED.map(|level| {
            more(samples, name, level).map_or("-".to_owned(), |found| {
                format!("{} [{}, {}]", percent(found.middle), percent(found.low), percent(found.high))
            })
        });
        table.row(name, std::iter::once(number(bare)).chain(cells));
    }
    table
}

fn percent(value: f64) -> String {
    if value.abs() < 100.0 { format!("{value:+.1}") } else { format!("{value:+.0}") }
}

/// Overhead over the bare program in percent, from each round.
fn more(samples: &Samples, row: &str, level: Mode) -> Option<Interval> {
    let ratios = samples.pairs(row, level, Mode::Bare)?.map(|(its, bare)| crate::table::percent(its, bare));
    bootstrap::median(&ratios.collect::<Vec<_>>())
}

fn goals(page: &mut Page, report: &Report) {
    let head = ["at most", "met", "not told from noise", "missed"];
    let mut table = Table::new("Goals for whole programs", "", head);
    for level in WATCHED {
        let Some(goal) = goal(level) else { continue };
        let (mut met, mut open, mut missed) = (0, 0, Vec::new());
        for (runtime, samples) in &report.programs {
            for name in samples.rows() {
                match more(samples, name, level) {
                    Some(found) if found.high <= goal => met += 1,
                    Some(found) if found.low > goal => missed.push(format!("{name} on {}", runtime.title())),
                    _ => open += 1,
                }
            }
        }
        let missed = if missed.is_empty() { "none".to_owned() } else { missed.join(", ") };
        table.row(&level.to_string(), [format!("{goal:.0} %"), met.to_string(), open.to_string(), missed]);
    }
    page.table(&table);
}

fn plain(title: &str, first: &str, samples: &Samples) -> Table {
    let mut table = Table::new(title, first, COUNTED);
    for name in samples.rows() {
        table.row(name.trim(), COUNTED.map(|level| cell(samples.best(name, level))));
    }
    table
}
