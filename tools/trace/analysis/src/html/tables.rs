//! Tables of a process: waits, instances of regions, counts.

use page::{Cell, Part, Quantity, Table};

use super::rows;
use crate::cause::{Cause, Causes, longest};
use crate::waits_by_place::WaitSum;
use crate::{Site, Timeline, text};

/// Maximum number of rows of a table.
const ROWS: usize = 200;

/// The tables of a process.
pub(super) fn of(timeline: &Timeline, causes: &Causes<'_>, waits_by_place: &[WaitSum]) -> Vec<Table> {
    let all =
        [waits_of_places(timeline, waits_by_place), waits(timeline, causes), instances(timeline), counts(timeline)];
    all.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn table(part: Part, title: &'static str, heads: &[&str], rows: Vec<Vec<Cell>>) -> Table {
    Table { part, title, note: "", heads: heads.iter().map(|head| (*head).to_owned()).collect(), rows }
}

fn moment(timeline: &Timeline, at_ns: u64, ns: u64, thread: u32) -> Cell {
    Cell::Moment { at: at_ns.saturating_sub(timeline.begin_ns), ns, thread }
}

fn time(ns: u64) -> Cell {
    Quantity::Time(ns as f64).into()
}

fn waits_of_places(timeline: &Timeline, waits: &[WaitSum]) -> Table {
    let (all_ns, threads) = (rows::total_ns(timeline).max(1) as f64, timeline.threads.len().max(1) as u64);
    let row = |wait: &WaitSum| {
        let part = Quantity::Part(wait.idle_ns as f64 / all_ns);
        vec![
            wait.name(timeline).into(),
            time(wait.idle_ns),
            part.into(),
            Quantity::Count(wait.count).into(),
            time(wait.idle_ns / threads),
        ]
    };
    let found = waits.iter().filter(|wait| wait.idle_ns > 0);
    let heads = ["wait", "threads' time", "part", "waits", "shorter without it by at most"];
    table(Part::Where, "Waits by place", &heads, found.take(ROWS).map(row).collect())
}

fn waits(timeline: &Timeline, causes: &Causes<'_>) -> Table {
    let row = |wait: crate::cause::Wait| {
        let slice = timeline.slice(wait.thread, wait.slice)?;
        let cause = wait.cause.map_or_else(String::new, |cause| text::describe(timeline, cause));
        let came = match wait.cause {
            Some(Cause::LastArrival { thread, at_ns }) => moment(timeline, at_ns, slice.length_ns(), thread),
            _ => "".into(),
        };
        Some(vec![
            time(wait.idle_ns),
            moment(timeline, slice.begin_ns, slice.length_ns(), wait.thread),
            timeline.thread_name(wait.thread as usize).into(),
            timeline.describe(slice).into(),
            cause.into(),
            came,
        ])
    };
    let rows = longest(timeline, causes, ROWS).into_iter().filter_map(row).collect();
    table(
        Part::When,
        "The longest waits, and for whom they were",
        &["waited", "at", "thread", "wait", "for", "came at"],
        rows,
    )
}

fn instances(timeline: &Timeline) -> Table {
    let over = timeline.regions.iter().filter(|region| region.is_over && !region.is_league);
    let mut longest: Vec<_> = over.collect();
    longest
        .sort_unstable_by_key(|region| (std::cmp::Reverse(region.end_ns.saturating_sub(region.begin_ns)), region.id));
    let row = |region: &crate::Region| {
        let ns = region.end_ns.saturating_sub(region.begin_ns);
        let place = timeline.sites.get(region.code).map_or_else(|| "(unknown)".to_owned(), Site::whole);
        vec![
            time(ns),
            moment(timeline, region.begin_ns, ns, region.thread),
            timeline.thread_name(region.thread as usize).into(),
            place.into(),
        ]
    };
    let rows = longest.into_iter().take(ROWS).map(row).collect();
    table(Part::When, "The longest regions", &["took", "at", "thread", "region"], rows)
}

fn counts(timeline: &Timeline) -> Table {
    let named = timeline.counts.named().into_iter().filter(|(_, count)| *count > 0);
    let rows = named.map(|(name, count)| vec![name.into(), Quantity::Count(count).into()]).collect();
    table(Part::Facts, "Counts", &["of", "count"], rows)
}
