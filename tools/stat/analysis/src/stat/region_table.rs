//! The table of regions, as text.

use symbols::Place;
use symbols::brief;
use terminal::page::{Column, Page, Table};
use terminal::quantity::{percent, time};

use super::figures::mean_count;
use super::regions::{PerRun, Region, Sums, whole};

/// Maximum number of regions with rows of their own.
const ROWS: usize = 10;

/// Appends the table, if there were any regions.
pub(super) fn render(out: &mut Page, regions: &[Region]) {
    if regions.is_empty() {
        return;
    }
    out.blank();
    let mut table = Table::new(
        3,
        vec![
            Column::figure("count", 9),
            Column::figure("total", 12),
            Column::figure("mean", 12).spare(3),
            Column::figure("longest", 12).spare(6),
            Column::figure("threads", 9).spare(5),
            Column::figure("work", 12).spare(4),
            Column::figure("waits", 12).spare(2),
            Column::figure("imbalance %", 12).spare(1),
            Column::figure("gain", 12),
            Column::name("parallel region"),
        ],
    );
    let (shown, rest) = split(regions);
    let names = names(&shown);
    for (region, name) in shown.iter().zip(names) {
        table.row(row(&region.sums, region.per_run, name));
    }
    match rest.as_slice() {
        [] => {}
        [one] => table.row(row(&one.sums, one.per_run, name_of(one, &one.place.name()))),
        many => {
            let sums = many.iter().fold(Sums::default(), |sums, region| sums.and(region.sums));
            let per_run = many.iter().fold(PerRun::default(), |all, region| all.and(region.per_run));
            table.row(row(&sums, per_run, format!("{} more", many.len())));
        }
    }
    out.table(table);
    out.text(
        3,
        "imbalance: (max - mean) / max of the team's running time, by instance of the region; gain: what even shares would save",
    );
}

/// Split of the waits at barriers by cause, in one line.
pub(super) fn barrier_waits(regions: &[Region]) -> String {
    let all = whole(regions);
    let part = |ns: u64| percent(ns as f64, all.barrier_ns as f64);
    format!(
        "{}{}: {} % for peers that run, {} % for peers without a processor, {} % the barriers' own cost",
        time(all.barrier_ns as f64),
        if all.tasks > 0 { ", with taskwaits of tasks that run there" } else { "" },
        part(all.imbalance_ns),
        part(all.no_processor_ns),
        part(all.barrier_cost_ns()),
    )
}

/// Splits off the regions with the largest parts of the gain or of the time. Both lists keep the given order.
fn split(regions: &[Region]) -> (Vec<&Region>, Vec<&Region>) {
    let all = whole(regions);
    let part = |of: u64, all: u64| of as f64 / all.max(1) as f64;
    let weight = |region: &Region| part(region.sums.gain_ns, all.gain_ns).max(part(region.sums.total_ns, all.total_ns));
    let mut weights: Vec<f64> = regions.iter().map(weight).collect();
    weights.sort_by(|one, other| other.total_cmp(one));
    let least = weights.get(ROWS).copied();
    let (mut shown, mut rest) = (Vec::new(), Vec::new());
    for region in regions {
        let heavy = least.is_none_or(|least| weight(region) > least);
        if heavy { shown.push(region) } else { rest.push(region) }
    }
    (shown, rest)
}

fn row(sums: &Sums, per_run: PerRun, name: String) -> [String; 10] {
    [
        mean_count(per_run.count),
        time(sums.total_ns as f64),
        time(per_run.mean_ns()),
        time(sums.longest_ns as f64),
        sums.threads.to_string(),
        time(sums.work_ns as f64),
        time(sums.wait_ns as f64),
        sums.imbalance().map_or_else(|| "-".to_owned(), |imbalance| percent(imbalance, 1.0)),
        time(sums.gain_ns as f64),
        name,
    ]
}

/// Names of the regions. Functions have argument lists only where two of these differ only in those.
fn names(regions: &[&Region]) -> Vec<String> {
    let short = |region: &Region| -> Option<String> { Some(brief(region.place.function()?).to_owned()) };
    let same =
        |one: &Region, other: &Region| short(one) == short(other) && one.place.function() != other.place.function();
    let name = |region: &&Region| {
        let ambiguous = regions.iter().any(|other| same(region, other));
        match short(region).filter(|_| !ambiguous) {
            Some(function) => region.place.with_function(&function).name(),
            None => region.place.name(),
        }
    };
    regions.iter().map(|region| name_of(region, &name(region))).collect()
}

fn name_of(region: &Region, name: &str) -> String {
    match (&region.place, region.per_run.not_ended) {
        (Place::Unknown, _) => "(place unknown)".to_owned(),
        (_, open) if open > 0.0 => format!("{name} ({} had not ended)", mean_count(open)),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::page::Paper;

    fn region(function: &str, line: u32, gain_ns: u64, total_ns: u64) -> Region {
        let place = Place::Line { function: function.to_owned(), file: "/p/f.cc".to_owned(), line };
        Region::at(place, Sums { count: 1, ended: 1, gain_ns, total_ns, ..Sums::default() })
    }

    fn text(regions: &[Region]) -> String {
        let mut page = Page::default();
        render(&mut page, regions);
        page.render(Paper::default())
    }

    #[test]
    fn argument_lists_stand_only_where_they_tell_two_apart() {
        let functions = ["F::relax(int)", "F::relax(double)", "F::step(int)", "F::step(int)"];
        let regions: Vec<Region> = functions.iter().zip(1..).map(|(name, line)| region(name, line, 0, 1)).collect();
        let shown = names(&regions.iter().collect::<Vec<_>>());
        let wanted =
            ["F::relax(int) at f.cc:1", "F::relax(double) at f.cc:2", "F::step at f.cc:3", "F::step at f.cc:4"];
        assert_eq!(shown, wanted);
    }

    #[test]
    fn the_rows_with_little_gain_and_little_time_are_one() {
        let mut regions: Vec<Region> = (0..14).map(|line| region("f", line, 100 - u64::from(line), 10)).collect();
        regions.push(region("long", 99, 0, 1000));
        let out = text(&regions);
        assert!(out.contains("long at f.cc:99") && out.contains("5 more") && !out.contains("f.cc:9\n"), "{out}");
        assert_eq!(out.lines().count(), 1 + 1 + 10 + 1 + 1, "{out}");
        assert_eq!(text(&[]), "");
    }
}
