//! Rows of regions, with the time of their threads by activity.

use page::{Activity, Kind, Line, Row, Wait};
use profile_analysis::html::Scope;
use rustc_hash::FxHashMap;
use symbols::source::Sources;
use untrusted::figure::{self, Total};

use crate::cause::slices;
use crate::{Site, Timeline, What, facts, serial, shares, text};

/// Maximum length of a line of text, in characters.
const LONGEST: usize = 160;
/// Maximum number of kinds and places of waits of a row.
const MAX_WAITS: usize = 20;

/// Time of all threads that take part in OpenMP.
pub(super) fn total_ns(timeline: &Timeline) -> u64 {
    timeline.threads.iter().map(|thread| thread.end_ns.saturating_sub(thread.begin_ns)).total()
}

/// The regions by place, the most expensive one first.
pub(super) fn regions(timeline: &Timeline) -> Vec<Row> {
    let figures = facts::regions_by_code(timeline);
    let other_waits = other_waits(timeline);
    let mut waits = waits(timeline);
    let is_comparable = facts::is_comparable(timeline);
    let mut rows: Vec<Row> = text::sums(timeline)
        .into_iter()
        .map(|(code, sum)| {
            let mut row = row(timeline.sites.get(code));
            (row.count, row.wall_ns) = (Some(sum.count), Some(sum.total_ns));
            row.team = Some(u64::from(sum.team));
            if let Some(region) = figures.get(&code) {
                row.add(Activity::Work, region.work_ns);
                row.add(Activity::Imbalance, region.imbalance_ns);
                row.add(Activity::Waits, region.barrier_ns.saturating_sub(region.imbalance_ns));
                let whole = region.imbalance_ns.saturating_add(region.shares_ns);
                row.imbalance = (whole > 0 && region.threads > 1 && is_comparable)
                    .then(|| region.imbalance_ns as f64 / whole as f64);
                row.gain_ns = (region.threads > 1 && is_comparable).then_some(region.gain_ns);
            }
            row.add(Activity::Waits, other_waits.get(&code).copied().unwrap_or(0));
            row.waits = waits.remove(&code).unwrap_or_default();
            row
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.ns));
    rows
}

fn row(site: Option<&Site>) -> Row {
    let Some(site) = site.filter(|site| !site.whole().is_empty()) else {
        return Row { name: "(unknown)".to_owned(), ..Row::default() };
    };
    Row {
        name: if site.function.is_empty() { site.place() } else { site.function.clone() },
        place: site.detail().filter(|detail| *detail != site.function).unwrap_or_default(),
        file: site.file.clone().unwrap_or_else(|| site.object.clone()),
        key: site.whole(),
        ..Row::default()
    }
}

/// The code outside regions: serial code, and idle workers.
pub(super) fn outside(timeline: &Timeline) -> Option<Row> {
    let mut row = Row { kind: Kind::Outside, name: "code outside of regions".to_owned(), ..Row::default() };
    row.add(Activity::Work, serial::of_threads(timeline));
    row.add(Activity::Idle, facts::idle_ns(timeline));
    (row.ns > 0).then_some(row)
}

/// By region: waits for anything other than its barriers.
fn other_waits(timeline: &Timeline) -> FxHashMap<u64, u64> {
    let mut found: FxHashMap<u64, u64> = FxHashMap::default();
    for share in shares::of(timeline) {
        let Some(region) = timeline.region(share.region) else { continue };
        let ns = found.entry(region.code).or_default();
        *ns = figure::sum(*ns, share.waits_ns);
    }
    found
}

/// Waits in regions of each place, by kind and place, the longest first.
fn waits(timeline: &Timeline) -> FxHashMap<u64, Vec<Wait>> {
    type Sum = (u64, u64);
    let mut sums: FxHashMap<(u64, &'static str, u64), Sum> = FxHashMap::default();
    let mut samples = FxHashMap::default();
    // End and place of the implicit tasks around a slice.
    let mut around: Vec<(u64, u64)> = Vec::new();
    let mut last = None;
    for (thread, _, slice) in slices(timeline) {
        if last != Some(thread) {
            around.clear();
            last = Some(thread);
        }
        while around.last().is_some_and(|(end_ns, _)| slice.begin_ns >= *end_ns) {
            around.pop();
        }
        if slice.what == What::Implicit {
            around.push((slice.end_ns, timeline.region(slice.id).map_or(0, |region| region.code)));
        } else if let Some((_, code)) = around.last().filter(|_| slice.is_wait() && timeline.is_shown(slice)) {
            let key = (*code, slice.name(), timeline.code(slice));
            let (ns, count) = sums.entry(key).or_default();
            (*ns, *count) = (figure::sum(*ns, slice.idle_ns()), *count + 1);
            samples.entry(key).or_insert(slice);
        }
    }
    let mut found: FxHashMap<u64, Vec<Wait>> = FxHashMap::default();
    for (key, (ns, count)) in sums {
        let name = samples.get(&key).map_or_else(|| key.1.to_owned(), |slice| timeline.describe(slice));
        found.entry(key.0).or_default().push(Wait { name, ns, count });
    }
    for waits in found.values_mut() {
        waits.sort_by(|one, other| (other.ns, &one.name).cmp(&(one.ns, &other.name)));
        waits.truncate(MAX_WAITS);
    }
    found
}

/// The row of each sampled construct: the one with the same line.
pub(super) fn constructs(rows: &[Row], scope: &Scope<'_>) -> FxHashMap<u32, usize> {
    let by_place: FxHashMap<&str, usize> = rows.iter().zip(0..).map(|(row, at)| (row.place.as_str(), at)).collect();
    let places = scope.construct_places();
    places.into_iter().filter_map(|(construct, place)| Some((construct, *by_place.get(place.as_str())?))).collect()
}

/// The lines of the regions' directives, with their text.
pub(super) fn directives(rows: &mut [Row], sources: &mut Sources) -> Vec<Line> {
    let mut lines = Vec::new();
    for row in rows {
        let Some(line) = row.place.rsplit_once(':').and_then(|(_, line)| line.parse().ok()) else { continue };
        let text = sources.at(&row.file, line).map(|text| text.trim_end().chars().take(LONGEST).collect());
        if text.is_some() {
            row.lines.push((lines.len(), row.ns));
            lines.push(Line { file: row.file.clone(), line, text, all_ns: row.ns, strip: String::new() });
        }
    }
    lines
}
