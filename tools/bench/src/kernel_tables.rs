//! The tables of the kernels.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

use anyhow::Result;

use crate::kernels::{MODES, Report, Row};
use crate::rows::Mode;
use crate::samples::Samples;
use crate::tables::{line, number, title};

/// What tracking may cost, in percent of a kernel: on average, and at most.
const GOAL: (f64, f64) = (0.5, 2.0);

/// Prints tables, or JSON.
pub(crate) fn print(report: &Report, json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string_pretty(report)?);
        return Ok(());
    }
    let mut text = String::new();
    let out = &mut text;
    line(out, &format!("library: {}", report.library.display()));
    line(out, &format!("{} rounds over all modes; {} processors", report.rounds, report.processors));
    rates(out, report);
    times(out, report, "Time that passes", &report.wall);
    times(out, report, "Processor time", &report.processor);
    instructions(out, report);
    summary(out, report);
    print!("{text}");
    Ok(())
}

fn name(row: &Row) -> String {
    format!("{:10} {:6} {:>2}", row.kernel, if row.untied { "untied" } else { "tied" }, row.threads)
}

/// Tasks bare. A task's time is that of a processor: with more threads than processors these share them.
fn rates(out: &mut String, report: &Report) {
    title(out, "Tasks, bare: best of all rounds");
    line(out, &format!("{:20} {:>10} {:>12} {:>14}", "kernel, threads", "tasks", "tasks/s", "mean task, us"));
    for row in &report.rows {
        let Some(seconds) = report.wall.best(&row.key, Mode::Bare) else { continue };
        #[expect(clippy::cast_precision_loss, reason = "a few")]
        let busy = f64::from(row.threads).min(report.processors as f64);
        let rate = 1.0 / seconds;
        line(out, &format!("{:20} {:>10} {rate:>12.0} {:>14.2}", name(row), row.tasks, seconds * busy * 1e6));
    }
}

/// More than bare, in percent: by the best rounds, and by the middle of all rounds.
fn more(samples: &Samples, key: &str, mode: Mode) -> Option<(f64, f64)> {
    let percent = |a: f64, b: f64| (a / b - 1.0) * 100.0;
    let best = percent(samples.best(key, mode)?, samples.best(key, Mode::Bare)?);
    Some((best, samples.paired(key, mode, Mode::Bare, percent)?))
}

fn head(first: &str) -> String {
    MODES.iter().skip(1).fold(format!("{first:20}"), |head, mode| format!("{head} {:>18}", mode.to_string()))
}

fn times(out: &mut String, report: &Report, what: &str, samples: &Samples) {
    title(out, &format!("{what} over bare, in percent: best rounds, median of rounds"));
    line(out, &head("kernel, threads"));
    for row in &report.rows {
        let cells = MODES.iter().skip(1).map(|mode| match more(samples, &row.key, *mode) {
            Some((best, median)) => format!(" {best:>+9.2} {median:>+8.2}"),
            None => format!(" {:>18}", "-"),
        });
        line(out, &format!("{:20}{}", name(row), cells.collect::<String>()));
    }
}

fn instructions(out: &mut String, report: &Report) {
    title(out, "Instructions per task, 1 thread, a small run: more than bare, and in percent of bare");
    line(out, &format!("{} {:>12}", head("kernel"), "bare"));
    let mut last = "";
    for row in report.rows.iter().filter(|row| !std::mem::replace(&mut last, &row.variant).eq(&row.variant)) {
        let Some(bare) = report.instructions.best(&row.variant, Mode::Bare) else { continue };
        let cells = MODES.iter().skip(1).filter_map(|mode| {
            let all = report.instructions.best(&row.variant, *mode)?;
            Some(format!(" {:>9} {:>+8.2}", number(all - bare), (all / bare - 1.0) * 100.0))
        });
        line(out, &format!("{:20}{} {bare:>12.0}", row.variant, cells.collect::<String>()));
    }
}

fn summary(out: &mut String, report: &Report) {
    title(out, "All kernels together, in percent over bare: mean, most");
    line(out, &head(""));
    let keys: Vec<&str> = report.rows.iter().map(|row| row.key.as_str()).collect();
    let mut variants: Vec<&str> = report.rows.iter().map(|row| row.variant.as_str()).collect();
    variants.dedup();
    for (what, samples, keys, median) in [
        ("time, best", &report.wall, &keys, false),
        ("time, median", &report.wall, &keys, true),
        ("processor, best", &report.processor, &keys, false),
        ("processor, median", &report.processor, &keys, true),
        ("instructions", &report.instructions, &variants, false),
    ] {
        let cells = MODES.iter().skip(1).map(|mode| {
            let values = keys.iter().filter_map(|key| more(samples, key, *mode));
            let values: Vec<f64> = values.map(|(best, middle)| if median { middle } else { best }).collect();
            let Some(most) = values.iter().copied().max_by(f64::total_cmp) else { return format!(" {:>18}", "-") };
            #[expect(clippy::cast_precision_loss, reason = "a few")]
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            format!(" {mean:>+9.2} {most:>+8.2}")
        });
        line(out, &format!("{what:20}{}", cells.collect::<String>()));
    }
    let (mean, most) = GOAL;
    line(out, &format!("{:20} {:>18} {:>+9.2} {:>+8.2}", "goal", "", mean, most));
    line(out, "The OpenUH paper has 0 to 6 % for its runtime, below 1 % on average, with no tool attached.");
}
