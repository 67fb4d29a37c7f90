//! The result as text.

use statistics::change;
use terminal::page::{Column, Page, Table, Tone};
use terminal::quantity::{count, percent, time};

use super::by_file::ByFile;
use super::choices::Choices;
use super::search::{Found, Trial};

/// Returns the whole page.
pub fn page(name: &str, found: &Found, choices: &Choices, by_file: Option<&ByFile>) -> Page {
    let mut out = Page::default();
    out.blank();
    let (runs, settings) = (
        count((found.runs - found.looks) as u64, "run", "runs"),
        count(found.trials.len() as u64, "setting", "settings"),
    );
    let looks = if found.looks > 0 {
        format!(", {} at its regions", count(found.looks as u64, "look", "looks"))
    } else {
        String::new()
    };
    out.heading(&format!("Settings for '{name}' ({runs} of {settings}{looks}):"));
    out.paragraph(3, "Finding: ", &sentence(found), Tone::Finding);
    if let Some(best) = found.trials.get(found.best).filter(|best| !best.setting.is_default()) {
        out.blank();
        for word in best.setting.words() {
            out.text(3, &format!("export {word}"));
        }
        if best.setting.is_by_region() {
            out.paragraph(
                3,
                "Note: ",
                "ORA_TUNE is for programs with libora.so: start it by `ora run --`.",
                Tone::Note,
            );
        }
    }
    out.blank();
    out.table(trials(found));
    if let Some(by_file) = by_file {
        out.blank();
        out.table(regions(by_file));
    }
    for line in &choices.left_out {
        out.text(3, &format!("Not tried: {line}."));
    }
    if found.is_cut {
        out.blank();
        out.paragraph(3, "Note: ", "the runs were not enough for all settings (--max-runs).", Tone::Note);
    }
    out.blank();
    out
}

/// Sentence about the gain of the best setting.
pub(crate) fn sentence(found: &Found) -> String {
    let Some(best) = found.trials.get(found.tried) else { return String::new() };
    let mean = |times: &[f64]| change::mean(times).unwrap_or_default();
    if found.trials.len() == 1 {
        let why = if found.is_cut { ": allow more runs (--max-runs)" } else { "" };
        return format!("No setting was tried{why}.");
    }
    if best.setting.is_default() {
        return "No setting that was tried is faster than the program as it is.".to_owned();
    }
    let interval = found.change.and_then(|change| change.interval).filter(|(_, high)| high.is_finite());
    let (Some(change), Some((low, high))) = (found.change, interval) else {
        let text = best.setting.text();
        return format!("No setting is significantly faster than the program as it is. {text} appeared to be.");
    };
    if found.best == 0 {
        return format!(
            "No setting is significantly faster than the program as it is. {} came closest, with {} to {} % less \
             time (95 %).",
            best.setting.text(),
            percent(-high, 1.0),
            percent(-low, 1.0)
        );
    }
    format!(
        "{} saves {} % of the wall time (95 %: {} to {} %): {} in place of {}, means of {} each.",
        best.setting.text(),
        percent(-change.part, 1.0),
        percent(-high, 1.0),
        percent(-low, 1.0),
        time(mean(&found.last.best_ns)),
        time(mean(&found.last.default_ns)),
        count(found.last.best_ns.len() as u64, "run", "runs"),
    )
}

fn trials(found: &Found) -> Table {
    let columns = vec![
        Column::figure("runs", 6).spare(1),
        Column::figure("median", 12),
        Column::figure("spread %", 10).spare(2),
        Column::figure("change %", 10),
        Column::label("  setting", 40),
    ];
    let mut table = Table::new(3, columns);
    let default_ns = found.trials.first().map_or(0.0, Trial::median_ns);
    for trial in &found.trials {
        let runs = trial.times_ns.len();
        let dash = || "-".to_owned();
        let is_known = runs > 0 && !trial.is_wrong;
        let change = trial.median_ns() / default_ns - 1.0;
        let sign = if change > 0.0 { "+" } else { "" };
        table.row(vec![
            runs.to_string(),
            if is_known { time(trial.median_ns()) } else { dash() },
            if is_known && runs > 1 { percent(trial.spread(), 1.0) } else { dash() },
            if is_known && !trial.setting.is_default() { format!("{sign}{}", percent(change, 1.0)) } else { dash() },
            format!(
                "  {}{}",
                trial.setting.text(),
                match (trial.is_too_long, trial.is_wrong) {
                    (true, _) => "   took too long, and was ended",
                    (false, true) => "   failed, or its results are wrong",
                    (false, false) => "",
                }
            ),
        ]);
    }
    table
}

fn regions(by_file: &ByFile) -> Table {
    let columns = vec![
        Column::figure("as it is", 12),
        Column::figure("so", 12),
        Column::label("  setting", 20),
        Column::label("  parallel region", 40),
    ];
    let mut table = Table::new(3, columns);
    for region in by_file.by_region.chosen() {
        table.row(vec![
            time(region.before_ns),
            time(region.after_ns),
            format!("  {}", region.said()),
            format!("  {}", region.place.name),
        ]);
    }
    table
}
