//! Content of the screen: lines of text for a view of a sample.

mod detail;
mod help;
mod list;
mod overview;

use ratatui::Frame;
use ratatui::style::{Color, Modifier, Style as Look};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use stat_layout::stat::layout::Activity;
use terminal::page::{elide, width};

pub(super) use self::list::Rows;
use super::candidates::Candidate;
use super::sample::Sample;
use super::view::{Subject, View};
use terminal::quantity::time;

/// Use of colours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) colour: bool,
}

/// Minimum number of columns and lines of the screen.
const MIN_SIZE: (usize, usize) = (40, 10);

impl Style {
    fn heading(self) -> Look {
        Look::new().add_modifier(Modifier::BOLD)
    }

    fn chosen(self, is_chosen: bool) -> Look {
        if is_chosen { Look::new().add_modifier(Modifier::REVERSED) } else { Look::new() }
    }

    /// Style of an activity's part of a bar.
    fn activity(self, activity: Activity) -> Look {
        let colour = match activity {
            Activity::Work => Color::Green,
            Activity::Serial => Color::Cyan,
            Activity::ImplicitBarrier | Activity::ExplicitBarrier => Color::Yellow,
            Activity::TaskWait => Color::Magenta,
            Activity::RegionStart => Color::Blue,
            Activity::Lock | Activity::Critical | Activity::Ordered | Activity::Atomic => Color::Red,
            Activity::Idle => Color::DarkGray,
        };
        if self.colour { Look::new().fg(colour) } else { Look::new() }
    }
}

/// Draws the process, or the part of it that is chosen.
pub(super) fn process(frame: &mut Frame<'_>, style: Style, view: &View, sample: &Sample) {
    let (columns, lines) = size(frame);
    let keys = match view.subject {
        Subject::Process => "q quit  ? help  Tab threads/regions  Enter open  s sort  t total  space pause",
        Subject::Region(_) | Subject::Thread(_) => "q quit  ? help  Esc back  space pause",
        Subject::Help => "q quit  Esc back",
    };
    let room = lines.saturating_sub(2);
    let content = match (&view.subject, view.pair(sample)) {
        (Subject::Help, _) => help::lines(),
        (_, None) => vec![Line::raw(""), Line::raw(" waiting for the first event of OpenMP")],
        (Subject::Region(key), Some(pair)) => detail::region(pair, key, columns),
        (Subject::Thread(slot), Some(pair)) => detail::thread(pair, *slot),
        (Subject::Process, Some(pair)) => overview::lines(style, view, pair, (columns, room)),
    };
    picture(frame, &title(view, sample, columns), content, keys);
}

/// Draws the processes to choose from.
pub(super) fn list(frame: &mut Frame<'_>, style: Style, found: &[Candidate], rows: &Rows<'_>) {
    let (columns, lines) = size(frame);
    let content = list::lines(style, found, rows, (columns, lines.saturating_sub(2)));
    picture(frame, " ora top: processes with OpenMP", content, "q quit  Enter show the process");
}

fn title(view: &View, sample: &Sample, columns: usize) -> String {
    let name = view.pair(sample).map(|pair| format!("{} (process {})", pair.total.who.command, pair.total.who.pid));
    let several = match sample.processes.len() {
        0 | 1 => String::new(),
        all => format!("process {} of {all} (p)  ", view.process.min(all - 1) + 1),
    };
    let times = if view.total { "total" } else { "interval" };
    let paused = if view.paused { "  PAUSED" } else { "" };
    let span = time(if view.total { sample.at_ns } else { sample.interval_ns } as f64);
    let right = format!("{several}{times} {span}{paused} ");
    let room = columns.saturating_sub(width(&right) + 11);
    let name = elide(&name.unwrap_or_default(), room);
    let gap = " ".repeat(room.saturating_sub(width(&name)));
    format!(" ora top  {name}{gap}  {right}")
}

/// Draws the title, the content, and the keys on the last line.
fn picture(frame: &mut Frame<'_>, title: &str, mut content: Vec<Line<'static>>, keys: &'static str) {
    let area = frame.area();
    let (columns, lines) = size(frame);
    if columns < MIN_SIZE.0 || lines < MIN_SIZE.1 {
        frame.render_widget(Paragraph::new("too small: 80x24 is enough"), area);
        return;
    }
    content.resize(lines.saturating_sub(2), Line::raw(""));
    let title = format!("{title}{}", " ".repeat(columns.saturating_sub(width(title))));
    content.insert(0, Line::styled(title, Look::new().add_modifier(Modifier::REVERSED)));
    content.push(Line::styled(format!(" {keys}"), Look::new().add_modifier(Modifier::DIM)));
    frame.render_widget(Paragraph::new(content), area);
}

fn size(frame: &Frame<'_>) -> (usize, usize) {
    (usize::from(frame.area().width), usize::from(frame.area().height))
}

/// Rows of a list that fit, chosen so that the selected one is among them.
fn window(rows: usize, chosen: usize, room: usize) -> std::ops::Range<usize> {
    let first = (chosen + 1).saturating_sub(room).min(rows.saturating_sub(room));
    first..(first + room).min(rows)
}

fn text(content: String, look: Look) -> Span<'static> {
    Span::styled(content, look)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_row_is_in_the_window() {
        for (rows, chosen, room) in [(3, 0, 5), (20, 0, 5), (20, 7, 5), (20, 19, 5), (0, 0, 5), (4, 3, 1)] {
            let window = window(rows, chosen, room);
            assert!(window.len() <= room && window.end <= rows);
            assert!(rows == 0 || window.contains(&chosen), "{rows} {chosen} {room}: {window:?}");
        }
    }
}
