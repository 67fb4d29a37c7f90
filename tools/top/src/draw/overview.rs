//! The process: a few sums, its threads as bars, and its regions.

use ratatui::text::{Line, Span};
use stat_analysis::stat::activities::{ORDER, label};
use stat_analysis::stat::regions::Region;
use stat_analysis::stat::snapshot::{Kind, Process, Thread};
use stat_layout::stat::layout::Activity;
use terminal::page::elide;
use terminal::quantity::{percent, time};
use untrusted::figure;

use super::{Style, text, window};
use crate::load::{Load, waits};
use crate::sample::Pair;
use crate::view::{Focus, View};

/// Columns before a thread's bar.
const BEFORE_BAR: usize = 45;

/// Lines for this number of columns and lines.
pub(super) fn lines(style: Style, view: &View, pair: &Pair, size: (usize, usize)) -> Vec<Line<'static>> {
    let (columns, room) = size;
    let process = pair.of(view.total);
    let (threads, regions) = (view.threads(pair), view.regions(pair));
    let mut lines = head(process, columns);
    // Two headings, and a line between them.
    let free = room.saturating_sub(lines.len() + 3);
    let share = if view.focus == Focus::Threads { free * 2 / 3 } else { free / 3 };
    let of_threads = threads.len().min(share.max(free.saturating_sub(regions.len())).max(1));
    lines.push(heading(style, "     thread  kind      work %   wait %   proc.%  ", view.focus == Focus::Threads, ""));
    for place in window(threads.len(), view.thread, of_threads) {
        let Some(thread) = threads.get(place) else { continue };
        let chosen = view.focus == Focus::Threads && place == view.thread;
        lines.push(thread_line(style, thread, columns, chosen));
    }
    lines.push(Line::raw(""));
    let sorted = format!("by {}", view.sort.name());
    let head = "       time    count        mean  threads  imbal.%  region";
    lines.push(heading(style, head, view.focus == Focus::Regions, &sorted));
    for place in window(regions.len(), view.region, free.saturating_sub(of_threads)) {
        let Some(region) = regions.get(place) else { continue };
        let chosen = view.focus == Focus::Regions && place == view.region;
        lines.push(region_line(style, region, columns, chosen));
    }
    lines
}

fn heading(style: Style, head: &str, has_focus: bool, more: &str) -> Line<'static> {
    let mark = if has_focus { ">" } else { " " };
    Line::styled(format!("{mark}{head}  {more}"), style.heading())
}

fn head(process: &Process, columns: usize) -> Vec<Line<'static>> {
    let load = Load::of(process);
    let efficiency = load.efficiency.map_or_else(|| "-".to_owned(), |part| format!("{} %", percent(part, 1.0)));
    let seconds = process.who.wall_ns.max(1) as f64 / 1e9;
    let elapsed_ns = process.elapsed_ns() as f64;
    let causes: Vec<String> = waits(process)
        .into_iter()
        .filter(|activity| process.spent_ns(*activity) > 0)
        .map(|activity| format!("{} {} %", label(activity), percent(process.spent_ns(activity) as f64, elapsed_ns)))
        .collect();
    let causes = if causes.is_empty() { "none".to_owned() } else { causes.join(", ") };
    let lines = [
        format!(
            " threads {}   processors used {:.2}   without one {:.2}   efficiency {efficiency}",
            load.threads, load.used, load.waiting
        ),
        format!(
            " regions {} ({:.0}/s), mean {}   tasks {} ({:.0}/s)",
            load.regions,
            load.regions as f64 / seconds,
            time(load.region_ns),
            load.tasks,
            load.tasks as f64 / seconds
        ),
        format!(" waits: {causes}"),
        String::new(),
    ];
    lines.into_iter().map(|line| Line::raw(elide(&line, columns))).collect()
}

fn thread_line(style: Style, thread: &Thread, columns: usize, chosen: bool) -> Line<'static> {
    let elapsed_ns = thread.elapsed_ns() as f64;
    let work_ns = (thread.spent(Activity::Work) + thread.spent(Activity::Serial)) as f64;
    let kind = match thread.kind {
        Kind::Initial => "initial",
        Kind::Worker => "worker",
        Kind::Own => "own",
    };
    let row = format!(
        " {:>11}  {kind:<7} {:>8} {:>8} {:>8}  ",
        thread.tid,
        percent(work_ns, elapsed_ns),
        percent(elapsed_ns - work_ns, elapsed_ns),
        percent(thread.passed.running_ns as f64, elapsed_ns),
    );
    let mut spans = vec![text(row, style.chosen(chosen))];
    spans.extend(bar(style, thread, columns.saturating_sub(BEFORE_BAR + 1)));
    Line::from(spans)
}

/// Time of a thread in letters. The remainder of one activity's letter is added to the next activity.
fn bar(style: Style, thread: &Thread, columns: usize) -> Vec<Span<'static>> {
    let all_ns = thread.elapsed_ns().max(1) as f64;
    let (mut spans, mut until_ns, mut drawn) = (Vec::new(), 0_u64, 0);
    for activity in ORDER {
        until_ns = figure::sum(until_ns, thread.spent(activity));
        let end = rounded(until_ns as f64 / all_ns * columns as f64).min(columns);
        let letters = end.saturating_sub(drawn);
        if letters > 0 {
            spans.push(text(letter(activity).to_string().repeat(letters), style.activity(activity)));
            drawn = end;
        }
    }
    spans
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of columns")]
fn rounded(columns: f64) -> usize {
    columns.round() as usize
}

fn letter(activity: Activity) -> char {
    match activity {
        Activity::Work => '#',
        Activity::Serial => '=',
        Activity::ImplicitBarrier => 'b',
        Activity::ExplicitBarrier => 'B',
        Activity::TaskWait => 't',
        Activity::RegionStart => 's',
        Activity::Lock => 'l',
        Activity::Critical => 'c',
        Activity::Ordered => 'o',
        Activity::Atomic => 'a',
        Activity::Idle => '.',
    }
}

fn region_line(style: Style, region: &Region, columns: usize, chosen: bool) -> Line<'static> {
    let sums = &region.sums;
    let row = format!(
        " {:>11} {:>8} {:>11} {:>8} {:>8}  ",
        time(sums.total_ns as f64),
        sums.count,
        time(sums.mean_ns()),
        sums.threads,
        sums.imbalance().map_or_else(|| "-".to_owned(), |imbalance| percent(imbalance, 1.0)),
    );
    let name = elide(&region.place.name(), columns.saturating_sub(row.len()));
    Line::from(text(row + &name, style.chosen(chosen)))
}
