//! Efficiencies of a process as in the model of the POP project, from its trace: the same as those of `ora stat`, if
//! each thread had a processor.

use rustc_hash::FxHashMap;
use serde::Serialize;
use untrusted::figure::{self, Total};

use crate::cause::slices;
use crate::roles::Roles;
use crate::shares::{self, Share};
use crate::{Timeline, What, outermost};

/// Maximum fraction of the threads' time in regions that had begun before the recording.
const BEFORE: f64 = 0.01;

/// Efficiencies.
///
/// As in `stat-json.md`: parts of 1 whose product the first one is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Efficiency {
    /// Useful time / (threads x wall time).
    pub parallel: f64,
    /// The threads' mean useful time / the longest one.
    pub load_balance: f64,
    /// The longest useful time / the critical path.
    pub serialisation: f64,
    /// The critical path / wall time.
    pub transfer: f64,
}

impl Timeline {
    /// The efficiencies. `None` if nothing ran in regions, for a flight recorder's trace, which has only parts of the run, if waits were not
    /// recorded, if much of the time is of regions begun before the recording, and if there are more threads than processors: a trace
    /// doesn't show which of them had one.
    pub fn efficiency(&self) -> Option<Efficiency> {
        let is_whole = self.header.last_ns == 0 && self.header.slow_ns == 0;
        let roles = Roles::of(self);
        let threads = roles.count as f64;
        let has_processors = self.facts.processors.is_none_or(|processors| roles.count <= processors as usize);
        let has_all = is_whole && has_processors && self.unrecorded_waits().is_none();
        let shares = has_all.then(|| shares::of(self)).filter(|shares| !shares.is_empty())?;
        let wall_ns = self.end_ns.saturating_sub(self.begin_ns) as f64;
        if before_ns(self) as f64 > BEFORE * threads * wall_ns {
            return None;
        }
        let useful_ns = useful_ns(self, &shares, &roles);
        let longest_ns = useful_ns.iter().copied().max().filter(|longest| *longest > 0)? as f64;
        let path_ns = (path_ns(self, &shares, &roles) as f64).min(wall_ns).max(longest_ns);
        let all_ns = useful_ns.iter().copied().total() as f64;
        Some(Efficiency {
            parallel: (all_ns / (threads * wall_ns)).min(1.0),
            load_balance: (all_ns / (threads * longest_ns)).min(1.0),
            serialisation: longest_ns / path_ns,
            transfer: (path_ns / wall_ns).min(1.0),
        })
    }
}

impl Efficiency {
    /// A line for people.
    pub(crate) fn text(&self) -> String {
        let [parallel, load_balance, serialisation, transfer] =
            [self.parallel, self.load_balance, self.serialisation, self.transfer].map(|part| part * 100.0);
        format!(
            "{parallel:.2} % = load balance {load_balance:.2} % x serialisation {serialisation:.2} % x transfer {transfer:.2} %"
        )
    }
}

/// Time in regions that had begun before the recording, of which not all barriers are known.
fn before_ns(timeline: &Timeline) -> u64 {
    let before = slices(timeline).filter(|(_, _, slice)| slice.what == What::Before);
    before.map(|(_, _, slice)| slice.length_ns()).total()
}

/// Useful time by role.
fn useful_ns(timeline: &Timeline, shares: &[Share], roles: &Roles) -> Vec<u64> {
    let mut found = vec![0; roles.count];
    let mut add = |thread: usize, ns| {
        let role = roles.of_thread.get(thread).copied().flatten();
        role.and_then(|role| found.get_mut(role)).into_iter().for_each(|sum| *sum = figure::sum(*sum, ns));
    };
    for share in shares {
        add(share.thread as usize, share.busy_ns.saturating_sub(share.nested_ns));
    }
    for (thread, index) in timeline.threads.iter().zip(0..).filter(|(thread, _)| thread.is_initial()) {
        add(index, thread.serial_ns());
    }
    found
}

/// The longest chain of work: of each role the serial code and the phases of the regions that it starts, waits for other threads' work
/// included. Roles that start regions do so independently of each other.
fn path_ns(timeline: &Timeline, shares: &[Share], roles: &Roles) -> u64 {
    let mut of_region: FxHashMap<u64, u64> = FxHashMap::default();
    for phase in shares.chunk_by(|one, other| one.region == other.region && one.phase == other.phase) {
        let longest_ns = phase.iter().map(|share| figure::sum(share.busy_ns, share.waits_ns)).max().unwrap_or(0);
        let ns = of_region.entry(phase.first().map_or(0, |share| share.region)).or_default();
        *ns = figure::sum(*ns, longest_ns);
    }
    let mut found = vec![0; roles.count];
    for (thread, role) in timeline.threads.iter().zip(&roles.of_thread) {
        let Some(sum) = role.and_then(|role| found.get_mut(role)) else { continue };
        // A league has no shares: its threads' regions count.
        let in_none = outermost::of(thread, |slice| match slice.what {
            What::Region => of_region.contains_key(&slice.id),
            what => what == What::Implicit,
        });
        let regions = in_none.filter(|slice| slice.what == What::Region);
        let in_regions_ns = regions.filter_map(|slice| of_region.get(&slice.id).copied()).total();
        let serial_ns = if thread.is_initial() { thread.serial_ns() } else { 0 };
        *sum = figure::sum(*sum, figure::sum(in_regions_ns, serial_ns));
    }
    found.into_iter().max().unwrap_or(0)
}
