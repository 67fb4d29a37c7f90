//! What was measured, for people.

use super::Report;
use super::bootstrap::{self, Interval};
use super::growth::row;
use super::levels::{COUNTED, WATCHED, goal};
use crate::rows::Mode;
use crate::samples::Samples;
use crate::tables::{line, number, title};

pub(super) fn tables(report: &Report) -> String {
    let mut text = String::new();
    let out = &mut text;
    line(out, &format!("library: {}", report.library.display()));
    let (rounds, processors) = (report.rounds, report.processors);
    line(out, &format!("{rounds} rounds over all, two threads; {processors} processors"));
    line(
        out,
        "More than the bare program takes, in percent: the middle of the rounds, and where 95 % of the bootstrap's",
    );
    line(out, "draws lie. What \"bare again\" has is noise.");
    for (host, samples) in &report.programs {
        title(out, &format!("Whole programs on {}: CPU time", host.title()));
        ratios(out, samples, "ms", 1e6);
    }
    goals(out, report);
    for (host, samples) in &report.constructs {
        title(out, &format!("Constructs with a tenth of a microsecond of work, on {}: time", host.title()));
        ratios(out, samples, "ns", 1.0);
    }
    for (host, samples) in &report.instructions {
        title(out, &format!("The same on one thread, on {}: instructions", host.title()));
        plain(out, samples);
    }
    growth(out, report);
    if let Some(requests) = &report.requests {
        requests.print(out);
    }
    for (name, why) in &report.missing {
        line(out, &format!("\n{name}: not to be had: {why}"));
    }
    text
}

fn ratios(out: &mut String, samples: &Samples, unit: &str, scale: f64) {
    let head = WATCHED.iter().fold(format!("{:14}{:>10}", "", format!("bare, {unit}")), |head, level| {
        format!("{head}{:>24}", level.to_string())
    });
    line(out, &head);
    for name in samples.rows() {
        let bare = samples.median(name, Mode::Bare).map_or(f64::NAN, |bare| bare / scale);
        let cells = WATCHED.iter().fold(format!("{name:14}{:>10}", number(bare)), |cells, level| {
            let cell = more(samples, name, *level).map_or("-".to_owned(), |found| {
                format!("{} [{}, {}]", percent(found.middle), percent(found.low), percent(found.high))
            });
            format!("{cells} {cell:>23}")
        });
        line(out, &cells);
    }
}

fn percent(value: f64) -> String {
    if value.abs() < 100.0 { format!("{value:+.1}") } else { format!("{value:+.0}") }
}

/// Percent over bare, of each round.
fn more(samples: &Samples, row: &str, level: Mode) -> Option<Interval> {
    let ratios = samples.pairs(row, level, Mode::Bare)?.map(|(its, bare)| (its / bare - 1.0) * 100.0);
    bootstrap::median(&ratios.collect::<Vec<_>>())
}

fn goals(out: &mut String, report: &Report) {
    title(out, "Goals for whole programs");
    for level in WATCHED {
        let Some(goal) = goal(level) else { continue };
        let (mut met, mut open, mut missed) = (0, 0, Vec::new());
        for (host, samples) in &report.programs {
            for name in samples.rows() {
                match more(samples, name, level) {
                    Some(found) if found.high <= goal => met += 1,
                    Some(found) if found.low > goal => missed.push(format!("{name} on {}", host.title())),
                    _ => open += 1,
                }
            }
        }
        let missed = if missed.is_empty() { "none".to_owned() } else { missed.join(", ") };
        line(out, &format!("{level:12}at most {goal:.0} %: met {met}, not told from noise {open}, missed: {missed}"));
    }
}

fn plain(out: &mut String, samples: &Samples) {
    let levels = COUNTED;
    let head = levels.iter().fold(format!("{:26}", ""), |head, level| format!("{head}{:>14}", level.to_string()));
    line(out, &head);
    for name in samples.rows() {
        let cells = levels.iter().fold(format!("{name:26}"), |cells, level| {
            format!("{cells}{:>14}", samples.best(name, *level).map_or("-".to_owned(), number))
        });
        line(out, &cells);
    }
}

fn growth(out: &mut String, report: &Report) {
    let rounds = report.growth.rounds;
    for (host, samples) in &report.growth.threads {
        title(out, &format!("Growing teams on {}: ns of a construct, best of {rounds} rounds", host.title()));
        line(out, &row("construct", 0).replace("         0", "   threads"));
        plain(out, samples);
    }
    for (host, samples) in &report.growth.live {
        title(out, &format!("Tasks alive at once on {}: ns of a task, best of {rounds} rounds", host.title()));
        plain(out, samples);
    }
}
