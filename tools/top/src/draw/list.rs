//! Processes to choose from.

use std::time::Duration;

use ratatui::text::Line;
use terminal::page::elide;
use terminal::quantity::count;

use super::{Style, text, window};
use crate::candidates::Candidate;

/// State of the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    /// Index of the chosen process.
    pub(crate) place: usize,
    /// Time since the last observation.
    pub(crate) interval: Duration,
    /// Reason why the last chosen process couldn't be shown.
    pub(crate) message: &'a str,
}

/// One line for each process, preceded by a sum.
pub(super) fn lines(style: Style, found: &[Candidate], rows: &Rows<'_>, size: (usize, usize)) -> Vec<Line<'static>> {
    let (columns, room) = size;
    let used = |cpu_ns: u64| match rows.interval.as_nanos() {
        0 => "-".to_owned(),
        interval => format!("{:.2}", cpu_ns as f64 / interval as f64),
    };
    let threads = found.iter().map(|candidate| candidate.threads).sum::<usize>();
    let cpu_ns = found.iter().map(|candidate| candidate.cpu_ns).sum();
    let all = count(found.len() as u64, "process", "processes");
    let mut lines = vec![
        Line::raw(format!(" {all}, {threads} threads, {} processors used", used(cpu_ns))),
        Line::raw(elide(&format!(" {}", rows.message), columns)),
        Line::styled("       PID  threads  processors  libora.so  command", style.heading()),
    ];
    for place in window(found.len(), rows.place, room.saturating_sub(lines.len())) {
        let Some(candidate) = found.get(place) else { continue };
        let Candidate { pid, threads, cpu_ns, .. } = candidate;
        let row = format!("{pid:>10} {threads:>8} {:>11}  {:<9}  ", used(*cpu_ns), candidate.library());
        let command = elide(&candidate.command.to_string(), columns.saturating_sub(row.len()));
        lines.push(Line::from(text(row + &command, style.chosen(place == rows.place))));
    }
    lines
}
