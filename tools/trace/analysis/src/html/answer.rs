//! Tiles and findings of a process.

use page::{Change, Quantity, Tile, View, sums};
use profile_analysis::html::Scope;
use terminal::quantity::count;

use super::rows;
use crate::waits_by_place::WaitSum;
use crate::{Timeline, facts};

/// States in which a thread works, by their numbers.
const AT_WORK: [usize; 4] = [1, 2, 3, 7];

/// The most important figures.
pub(super) fn tiles(
    timeline: &Timeline,
    scope: Option<&Scope<'_>>,
    lanes: &[Vec<Change>],
    waits: &[WaitSum],
) -> Vec<Tile> {
    let wall_ns = facts::wall_ns(timeline);
    let threads = timeline.threads.len() as u64;
    let mut tiles =
        vec![Tile::new("wall time", Quantity::Time(wall_ns), count(threads, "OpenMP thread", "OpenMP threads"))];
    let spent = sums(lanes);
    let at_work: u64 = AT_WORK.iter().filter_map(|state| spent.get(*state)).sum();
    let at_work = at_work as f64 / wall_ns.max(1.0);
    let processors = timeline
        .facts
        .processors
        .map_or_else(String::new, |number| format!(", {} allowed", count(number.into(), "processor", "processors")));
    tiles.push(
        Tile::new("threads at work", Quantity::Number(at_work), format!("of {threads}, on average{processors}"))
            .of(at_work / threads.max(1) as f64),
    );
    if let Some(found) = timeline.efficiency() {
        let factors = [
            ("load balance", found.load_balance),
            ("serialisation", found.serialisation),
            ("transfer", found.transfer),
        ];
        let tile =
            Tile::new("parallel efficiency", Quantity::Part(found.parallel), "useful time / threads / wall time");
        let factors = factors.map(|(name, part)| (name, Quantity::Part(part))).to_vec();
        tiles.push(Tile { factors, ..tile.of(found.parallel) });
    }
    tiles.extend(scope.and_then(profile_analysis::html::without_processor));
    let total_ns = rows::total_ns(timeline).max(1) as f64;
    if let Some(wait) = waits.first() {
        let part = wait.idle_ns as f64 / total_ns;
        let note = format!("{}, {}", wait.name(timeline), count(wait.count, "wait", "waits"));
        tiles.push(Tile::new("largest wait", Quantity::Part(part), note).of(part));
    }
    tiles
}

/// Adds the findings, or says why there are none.
pub(super) fn add_findings(view: &mut View, timeline: &Timeline) {
    let (wall_ns, all_ns) = (facts::wall_ns(timeline), rows::total_ns(timeline) as f64);
    view.findings = facts::findings(timeline).iter().map(|finding| finding.on_page(wall_ns, all_ns)).collect();
    let is_whole = timeline.header.last_ns == 0 && timeline.header.slow_ns == 0;
    view.silence = if is_whole {
        "No rule found a fault that costs at least 1 % of the wall time. The table below shows where the time went."
    } else {
        "A flight recorder keeps parts of the run only, so there are no findings."
    }
    .to_owned();
}
