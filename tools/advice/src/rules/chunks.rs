//! Chunks of loops that take less time than it takes to hand them out.

use terminal::quantity::{percent, time};

use crate::facts::{Facts, Region};
use crate::finding::Finding;

/// A share of a loop that takes less time, with its handing out, is too small.
const SMALL_NS: f64 = 500.0;
/// One that takes so long is large enough.
const GOOD_NS: f64 = 10_000.0;
/// So many of them are left for each thread.
const OF_A_THREAD: f64 = 8.0;

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    for region in facts.shared() {
        // What it takes to hand out a share is in it.
        let each_ns = region.ran_ns() / region.chunks as f64;
        if region.chunks == 0 || each_ns >= SMALL_NS {
            continue;
        }
        let Some(larger) = larger(region, each_ns) else { continue };
        let costs_ns = (region.work_ns + region.barrier_ns) as f64;
        let what = format!(
            "{} % of the threads' time goes into {}, whose loops are handed out in {} chunks of {} each, with all that it takes to \
             hand them out",
            percent(costs_ns, facts.all_ns),
            region.name(),
            region.chunks,
            time(each_ns)
        );
        let fix = format!(
            "make them some {larger} times as large (where it is schedule(dynamic) now: schedule(dynamic, {larger}) or \
             schedule(guided))"
        );
        found.push(Finding::new("small_chunks", costs_ns, what, fix).at(region.place.as_ref()));
    }
}

/// The factor, a power of two, by which shares that take so long each had better be larger. `None`: each thread would get too few, and the
/// loop would be shared out unevenly.
fn larger(region: &Region, each_ns: f64) -> Option<f64> {
    let most = region.chunks as f64 / (region.ended.max(1) as f64 * region.threads.max(1) as f64 * OF_A_THREAD);
    let larger = (GOOD_NS / each_ns).min(most);
    (larger >= 2.0).then(|| larger.log2().floor().exp2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_to_be_as_much_larger_as_leaves_each_thread_enough_of_them() {
        let larger = |chunks, each_ns| larger(&Region { chunks, ended: 10, threads: 4, ..Region::default() }, each_ns);
        assert_eq!(larger(1_000_000, 100.0), Some(64.0));
        assert_eq!(larger(1_000_000, 400.0), Some(16.0));
        // Fewer than 16 for each thread and region are no finding.
        assert_eq!(larger(10 * 4 * 16, 100.0), Some(2.0));
        assert_eq!(larger(10 * 4 * 31, 100.0), Some(2.0));
        assert_eq!(larger(10 * 4 * 16 - 1, 100.0), None);
        assert_eq!(larger(10 * 4 * 3, 100.0), None);
    }
}
