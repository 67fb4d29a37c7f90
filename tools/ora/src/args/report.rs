//! Options of `ora report` and `ora diff`.

use std::path::PathBuf;

use clap::{Args as Group, ValueEnum};
use terminal::screen::Screen;

use super::{help, rows};

#[derive(Debug, Group)]
#[command(after_help = help::REPORT)]
pub(crate) struct Report {
    /// Stacks: user (as in the source code), expert (workers joined to their primary threads, with the
    /// runtime's functions), machine (as they were on the machine)
    #[arg(long, value_name = "VIEW", default_value = "user", hide_possible_values = true, verbatim_doc_comment)]
    pub(crate) view: View,
    /// Write one JSON object in place of the text (keys: share/doc/ora/report-json.md, trace-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE in place of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a flame graph for browsers to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) flame: Option<PathBuf>,
    /// Write folded stacks to FILE: on each line a stack and its microseconds
    #[arg(long, value_name = "FILE")]
    pub(crate) folded: Option<PathBuf>,
    /// Write a profile or a trace for the Firefox Profiler (profiler.firefox.com) to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) firefox: Option<PathBuf>,
    /// Write a profile or a trace as a self-contained page for browsers to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write a profile or a trace for Perfetto (ui.perfetto.dev) to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) perfetto: Option<PathBuf>,
    /// Write a trace in the Open Trace Format 2 (Vampir, Scalasca, ViTE) to DIR
    #[arg(long, value_name = "DIR")]
    pub(crate) otf2: Option<PathBuf>,
    /// Write a trace for Paraver to FILE (.prv), and its names to files beside it (.pcf, .row)
    #[arg(long, value_name = "FILE")]
    pub(crate) paraver: Option<PathBuf>,
    /// Write a profile as Parquet files to DIR (columns: share/doc/ora/parquet.md)
    #[arg(long, value_name = "DIR")]
    pub(crate) parquet: Option<PathBuf>,
    /// Rows of each table, the most expensive ones: a number, or `all`
    #[arg(long, value_name = "N", default_value = "20", value_parser = rows)]
    pub(crate) rows: usize,
    /// Do not use a pager for a report that is longer than the terminal
    #[arg(long)]
    pub(crate) no_pager: bool,
    /// The lines that `ora profile` ends with, for the process of this number, which is the parent
    #[arg(long, value_name = "PID", hide = true, conflicts_with = "json")]
    pub(crate) summary: Option<i32>,
    #[command(flatten)]
    pub(crate) screen: Screen,
    /// Folder of a profile or trace, or folders of processes in it [default: the newest in the current folder]
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
}

#[derive(Debug, Group)]
#[command(after_help = help::DIFF)]
pub(crate) struct Diff {
    /// Write one JSON object in place of the text (keys: share/doc/ora/diff-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE in place of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Exit with 1 if the wall time grew by more than PERCENT (of several runs: significantly)
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) fail_above: Option<f64>,
    /// Rows of each table, those with the largest change: a number, or `all`
    #[arg(long, value_name = "N", default_value = "10", value_parser = rows)]
    pub(crate) rows: usize,
    #[command(flatten)]
    pub(crate) screen: Screen,
    /// Measurement before the change: a file of `ora stat --json`, or the folder of a profile or trace
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// Measurement after the change
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
}

/// Form of the stacks in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum View {
    /// The program's, as its author thinks of it
    User,
    /// Workers joined to their primary threads, with the OpenMP runtime's functions
    Expert,
    /// As they were on the machine
    Machine,
}

/// Parses a percentage: `5%` or `5`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>();
    let percent = number.ok().filter(|percent| percent.is_finite() && (0.0..=1e6).contains(percent));
    percent.map(|percent| percent / 100.0).ok_or_else(|| "a percentage such as 5%".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_percentages() {
        assert_eq!((percent("5%"), percent("2.5"), percent("0%")), (Ok(0.05), Ok(0.025), Ok(0.0)));
        assert!(["", "%", "-1%", "x", "NaN", "inf"].iter().all(|text| percent(text).is_err()));
    }
}
