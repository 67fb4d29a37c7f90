//! Tiles of the answer.

use page::{Quantity, Tile};
use rustc_hash::FxHashMap;
use terminal::quantity::count;

use super::{Sampled, Scope};
use crate::describe;
use crate::job::most_at_once;
use crate::metrics::without_processor_ns;
use crate::profile::ThreadFacts;
use crate::report::{MIN_SAMPLES, Report};
use crate::state::State;

/// The most important figures.
pub(super) fn tiles(scope: &Scope<'_>, sampled: &Sampled) -> Vec<Tile> {
    let threads = scope.threads();
    let wall_ns = scope.length_ns as f64;
    let outside = threads.iter().filter(|thread| thread.outside).count();
    let note = match outside {
        0 => count(threads.len() as u64, "thread", "threads"),
        _ => format!("{}, {outside} of them outside of OpenMP", count(threads.len() as u64, "thread", "threads")),
    };
    let mut tiles = vec![Tile::new("wall time", Quantity::Time(wall_ns), note)];
    tiles.push(processors(scope, wall_ns));
    tiles.extend(efficiency(scope, wall_ns));
    let total = (sampled.total_ns as f64).max(1.0);
    tiles.extend(without_processor(scope));
    tiles.extend(largest_wait(scope, total));
    tiles
}

/// Time for which threads were ready and lacked a processor. `None` if the kernel did not report it, or there are no
/// samples.
pub fn without_processor(scope: &Scope<'_>) -> Option<Tile> {
    let ready_ns = without_processor_ns(scope.threads().iter())?;
    let total_ns = scope.samples().map(|point| point.wall_ns).fold(0, u64::saturating_add);
    let part = (ready_ns as f64 / total_ns as f64).min(1.0);
    (total_ns > 0).then(|| Tile::new("time without a processor", Quantity::Part(part), "of the threads' time").of(part))
}

fn processors(scope: &Scope<'_>, wall_ns: f64) -> Tile {
    let profile = scope.basis.profile;
    let is_in = |point: &&crate::profile::Point| {
        let thread = profile.threads.get(point.thread as usize);
        scope.process.is_none() || thread.map(|thread| thread.process) == scope.process
    };
    let cpu_ns = profile.all_samples().filter(is_in).map(|point| point.cpu_ns).fold(0, u64::saturating_add);
    let used = cpu_ns as f64 / wall_ns.max(1.0);
    let process = profile.processes.get(scope.process.unwrap_or(0) as usize);
    let allowed = process.and_then(|process| {
        let processors = process.facts.processors.map(f64::from);
        processors.into_iter().chain(process.facts.quota).reduce(f64::min)
    });
    match allowed.filter(|_| scope.process.is_some()) {
        Some(allowed) => {
            Tile::new("processors used", Quantity::Number(used), format!("of {allowed} allowed, on average"))
                .of(used / allowed.max(1e-9))
        }
        None => Tile::new("processors used", Quantity::Number(used), "on average"),
    }
}

/// Useful time / (threads x wall time), with its factors.
fn efficiency(scope: &Scope<'_>, wall_ns: f64) -> Option<Tile> {
    scope.process?;
    let life = |thread: &ThreadFacts| (thread.begun_ns, thread.ended_ns.unwrap_or(u64::MAX));
    let threads = most_at_once(scope.threads().iter().filter(|thread| !thread.outside).map(life)) as f64;
    let mut useful: FxHashMap<u32, u64> = FxHashMap::default();
    for point in scope.samples().filter(|point| !point.state.waits()) {
        *useful.entry(point.thread).or_default() += point.cpu_ns;
    }
    let (all, longest) = (useful.values().sum::<u64>() as f64, useful.values().max().copied()? as f64);
    if threads < 2.0 || longest <= 0.0 || wall_ns <= 0.0 {
        return None;
    }
    let parallel = (all / (threads * wall_ns)).min(1.0);
    let balance = (all / (threads * longest)).min(1.0);
    let factors =
        vec![("load balance", Quantity::Part(balance)), ("all else", Quantity::Part((longest / wall_ns).min(1.0)))];
    let tile = Tile::new("parallel efficiency", Quantity::Part(parallel), "useful time / threads / wall time");
    Some(Tile { factors, ..tile.of(parallel) })
}

fn largest_wait(scope: &Scope<'_>, total: f64) -> Option<Tile> {
    let profile = scope.basis.profile;
    // By state, and by the region that it is in.
    let mut waits: FxHashMap<(State, Option<u32>), u64> = FxHashMap::default();
    for point in scope.samples().filter(|point| point.state.waits()) {
        *waits.entry((point.state, profile.constructs(point.nest).next())).or_default() += point.wall_ns;
    }
    let ((state, construct), ns) = waits.into_iter().max_by_key(|(key, ns)| (*ns, std::cmp::Reverse(*key)))?;
    let place = construct.map(|construct| format!(" in {}", describe::the_region(&profile.code, construct)));
    let note = state.label().to_owned() + &place.unwrap_or_default();
    Some(Tile::new("largest wait", Quantity::Part(ns as f64 / total), note).of(ns as f64 / total))
}

/// The line in place of findings.
pub(super) fn silence(report: &Report<'_>) -> String {
    let samples = report.sums.total.samples;
    match samples {
        0 => "There are no samples, so there is nothing to find.".to_owned(),
        1..MIN_SAMPLES => format!(
            "{} are too few to find or exclude a fault: profile for longer, or take more (-F).",
            count(samples, "sample", "samples")
        ),
        _ => {
            "No rule found a fault that costs at least 1 % of the wall time. The table below shows where the time went."
                .to_owned()
        }
    }
}
