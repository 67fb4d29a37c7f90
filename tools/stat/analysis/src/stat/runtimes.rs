//! The OpenMP runtimes of a process that has several: each has its own pool and its own regions.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use stat_layout::stat::layout::Activity;
use terminal::page::{Column, Page, Table};
use terminal::printable::Foreign;
use terminal::quantity::time;
use untrusted::figure::sum;

use super::snapshot::{Kind, Process};

/// The regions and workers of one runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Use<'a> {
    /// File of the runtime; `None`: not seen.
    pub(super) path: Option<&'a Foreign>,
    /// Regions that it began.
    pub(super) regions: u64,
    /// Time in those that have ended.
    pub(super) region_ns: u64,
    /// Workers of its pool.
    pub(super) workers: u64,
    /// Time for which these were idle.
    pub(super) idle_ns: u64,
}

impl<'a> Use<'a> {
    fn of(path: &'a Option<Foreign>) -> Self {
        Self { path: path.as_ref(), ..Self::default() }
    }
}

/// All runtimes that did something, those with the most time in regions first.
pub(super) fn of(process: &Process) -> Vec<Use<'_>> {
    let mut found: BTreeMap<Option<&str>, Use<'_>> = BTreeMap::new();
    for region in &process.regions {
        let one = found.entry(key(&region.runtime)).or_insert_with(|| Use::of(&region.runtime));
        one.regions = sum(one.regions, region.sums.count);
        one.region_ns = sum(one.region_ns, region.sums.total_ns);
    }
    for thread in process.threads.iter().filter(|thread| thread.kind == Kind::Worker) {
        let one = found.entry(key(&thread.runtime)).or_insert_with(|| Use::of(&thread.runtime));
        one.workers += u64::from(thread.turns);
        one.idle_ns = sum(one.idle_ns, thread.spent(Activity::Idle));
    }
    let mut found: Vec<Use<'_>> = found.into_values().collect();
    found.sort_by_key(|one| (Reverse(one.region_ns), Reverse(one.workers)));
    found
}

fn key(path: &Option<Foreign>) -> Option<&str> {
    path.as_ref().map(Foreign::raw)
}

/// True if the process used several runtimes.
pub(super) fn several(process: &Process) -> bool {
    of(process).iter().filter(|one| one.path.is_some()).count() > 1
}

/// Appends the table, if there are several runtimes.
pub(super) fn render(out: &mut Page, process: &Process) {
    if !several(process) {
        return;
    }
    let mut table = Table::new(
        3,
        vec![
            Column::figure("regions", 9),
            Column::figure("total", 12),
            Column::figure("workers", 9).spare(2),
            Column::figure("idle", 12).spare(1),
            Column::name("OpenMP runtime"),
        ],
    );
    for one in of(process) {
        let name = one.path.map_or_else(|| "(not seen)".to_owned(), Foreign::to_string);
        let (total, idle) = (time(one.region_ns as f64), time(one.idle_ns as f64));
        table.row([one.regions.to_string(), total, one.workers.to_string(), idle, name]);
    }
    out.blank();
    out.table(table);
}
