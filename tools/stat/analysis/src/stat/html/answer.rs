//! Tiles of a process.

use page::{Quantity, Tile};
use stat_layout::stat::layout::Activity;
use terminal::quantity::count;

use super::rows::whole;
use crate::stat::activities::{ORDER, label};
use crate::stat::figures::{Figures, Value};
use crate::stat::snapshot::Process;

/// The most important figures.
pub(super) fn tiles(process: &Process, figures: &Figures, wall: Value) -> Vec<Tile> {
    let threads = count(whole(figures.threads.mean), "OpenMP thread", "OpenMP threads");
    let mut tiles = vec![Tile::new("wall time", Quantity::Time(wall.mean), threads)];
    let used = if wall.mean > 0.0 { figures.cpu_ns.mean / wall.mean } else { 0.0 };
    let allowed = process.processors_allowed.map(f64::from).into_iter().chain(process.quota).reduce(f64::min);
    let tile = Tile::new("processors used", Quantity::Number(used), "on average");
    tiles.push(match allowed {
        Some(allowed) => {
            Tile { note: format!("of {allowed} allowed, on average"), ..tile.of(used / allowed.max(1e-9)) }
        }
        None => tile,
    });
    if !process.used_openmp() {
        return tiles;
    }
    if let Some(found) = figures.efficiency.filter(|_| figures.threads.mean > 1.0) {
        let factors = [
            ("load balance", found.load_balance),
            ("serialisation", found.serialisation),
            ("transfer", found.transfer),
        ];
        let factors = factors.map(|(name, part)| (name, Quantity::Part(part))).to_vec();
        let tile =
            Tile::new("parallel efficiency", Quantity::Part(found.parallel), "useful time / threads / wall time");
        tiles.push(Tile { factors, ..tile.of(found.parallel) });
    }
    let elapsed = figures.elapsed_ns.mean.max(1.0);
    let ready = figures.ready_ns.mean / elapsed;
    tiles.push(Tile::new("time without a processor", Quantity::Part(ready), "of the threads' time").of(ready));
    let waits = ORDER.into_iter().filter(|activity| !matches!(activity, Activity::Work | Activity::Serial));
    let longest = waits.max_by(|one, other| figures.spent(*one).mean.total_cmp(&figures.spent(*other).mean));
    if let Some(activity) = longest.filter(|activity| figures.spent(*activity).mean > 0.0) {
        let part = figures.spent(activity).mean / elapsed;
        let begun = whole(figures.begun(activity).mean);
        let note = format!("{}, {}", label(activity), count(begun, "wait", "waits"));
        tiles.push(Tile::new("largest wait", Quantity::Part(part), note).of(part));
    }
    tiles
}

/// The line in place of findings.
pub(super) fn silence(process: &Process) -> String {
    if process.used_openmp() {
        "No rule found a fault that costs at least 1 % of the wall time. The table below shows where the time went."
    } else {
        "No OpenMP was seen in it."
    }
    .to_owned()
}
