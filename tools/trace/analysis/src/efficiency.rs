//! Efficiencies of a process as in the model of the POP project, from its trace: the same as those of `ora stat`, if
//! each thread had a processor.

use profile_analysis::job::most_at_once;
use serde::Serialize;
use untrusted::figure::{self, Total};

use crate::cause::slices;
use crate::shares::{self, Share};
use crate::{Timeline, What};

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
    /// recorded, and if there are more threads than processors: a trace doesn't show which of them had one.
    pub fn efficiency(&self) -> Option<Efficiency> {
        let is_whole = self.header.last_ns == 0 && self.header.slow_ns == 0;
        let members = self.threads.iter().filter(|thread| matches!(thread.kind, 1 | 2));
        let threads = most_at_once(members.map(|thread| (thread.begin_ns, thread.end_ns)));
        let has_processors = self.facts.processors.is_none_or(|processors| threads <= processors as usize);
        let has_all = is_whole && has_processors && self.unrecorded_waits().is_none();
        let shares = has_all.then(|| shares::of(self)).filter(|shares| !shares.is_empty())?;
        let serial_ns = serial_ns(self);
        let mut useful_ns = vec![0; self.threads.len()];
        for share in &shares {
            useful_ns
                .get_mut(share.thread as usize)
                .into_iter()
                .for_each(|useful| *useful = figure::sum(*useful, share.busy_ns));
        }
        let initial = self.threads.iter().position(|thread| thread.kind == 1);
        initial
            .and_then(|at| useful_ns.get_mut(at))
            .into_iter()
            .for_each(|useful| *useful = figure::sum(*useful, serial_ns));
        let longest_ns = useful_ns.iter().copied().max().filter(|longest| *longest > 0)? as f64;
        let wall_ns = self.end_ns.saturating_sub(self.begin_ns) as f64;
        let path_ns = ((serial_ns + path_ns(&shares)) as f64).min(wall_ns).max(longest_ns);
        let all_ns = useful_ns.iter().copied().total() as f64;
        Some(Efficiency {
            parallel: (all_ns / (threads as f64 * wall_ns)).min(1.0),
            load_balance: (all_ns / (threads as f64 * longest_ns)).min(1.0),
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

/// Time of the initial thread outside regions.
pub(crate) fn serial_ns(timeline: &Timeline) -> u64 {
    let is_initial = |thread: u32| timeline.threads.get(thread as usize).is_some_and(|thread| thread.kind == 1);
    let outermost = slices(timeline)
        .filter(|(thread, _, slice)| slice.what == What::Region && slice.depth == 0 && is_initial(*thread));
    let in_regions_ns: u64 = outermost.map(|(_, _, slice)| slice.length_ns()).total();
    let initial = timeline.threads.iter().filter(|thread| thread.kind == 1);
    let lived_ns: u64 = initial.map(|thread| thread.end_ns.saturating_sub(thread.begin_ns)).total();
    lived_ns.saturating_sub(in_regions_ns)
}

/// The longest chain of work through the phases of all regions, waits for other threads' work included.
fn path_ns(shares: &[Share]) -> u64 {
    let phases = shares.chunk_by(|one, other| one.region == other.region && one.phase == other.phase);
    phases.map(|phase| phase.iter().map(|share| figure::sum(share.busy_ns, share.waits_ns)).max().unwrap_or(0)).total()
}
