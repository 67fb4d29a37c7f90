//! Chunks of loops that take less time than assigning them.

use terminal::quantity::{percent, time};

use super::schedule::has_long_chunk;
use crate::directive::Directive;
use crate::facts::{Facts, Region};
use crate::finding::Finding;

/// A chunk that takes less time per thread of the team, including its assignment, is too small: threads that take chunks at the same
/// time wait for each other.
const SMALL_NS: f64 = 500.0;
/// A longer chunk is large enough for any team.
const MAX_SMALL_NS: f64 = 4_000.0;
/// A chunk that takes this long is large enough.
const GOOD_NS: f64 = 10_000.0;
/// A chunk that is longer than the others matters if even shares would save this fraction of the running time: larger chunks are worse then.
const UNEVEN: f64 = 0.005;
/// Minimum number of chunks that remain for each thread.
const OF_A_THREAD: f64 = 8.0;

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    for region in facts.shared() {
        // This includes the time to assign a chunk.
        let each_ns = region.ran_ns() / region.chunks as f64;
        let small_ns = (SMALL_NS * region.threads as f64).min(MAX_SMALL_NS);
        if region.chunks == 0
            || each_ns >= small_ns
            || has_other_work(region)
            || is_ordered(region)
            || is_held_up(region)
        {
            continue;
        }
        let Some(larger) = larger(region, each_ns) else { continue };
        let costs_ns = (region.work_ns + region.barrier_ns) as f64;
        let what = format!(
            "{} % of the threads' time goes into {}, whose loops are handed out in {} chunks of {} each, including \
             the cost of handing them out",
            percent(costs_ns, facts.all_ns),
            region.name(),
            region.chunks,
            time(each_ns)
        );
        found.push(Finding::new("small_chunks", costs_ns, what, fix(region, larger)).at(region.place.as_ref()));
    }
}

/// True if other constructs of the region may take the time.
pub(super) fn has_other_work(region: &Region) -> bool {
    let is_beside = |it: &Directive| it.has_loops && !it.is_loop && it.has_static_loop;
    region.chunks > 0 && region.directive.as_ref().is_some_and(is_beside)
}

/// True if a thread is held up by a chunk that is much longer than the others.
fn is_held_up(region: &Region) -> bool {
    has_long_chunk(region) && region.gain_ns as f64 > UNEVEN * region.shares_ns as f64
}

/// True if the chunks of its loop take turns: larger ones wait for longer.
fn is_ordered(region: &Region) -> bool {
    region.directive.as_ref().is_some_and(|directive| directive.is_ordered)
}

/// The clause that makes the chunks larger.
fn fix(region: &Region, larger: f64) -> String {
    let written = region.directive.as_ref().filter(|directive| directive.is_dynamic());
    match written.map(|directive| (&directive.schedule, directive.kind_and_chunk())) {
        Some((Some(schedule), Some((kind, chunk)))) => {
            let chunk = chunk as f64 * larger;
            format!(
                "make them some {larger} times as large: schedule({kind}, {chunk}) in place of schedule({schedule})"
            )
        }
        Some((Some(schedule), None)) if schedule.eq_ignore_ascii_case("dynamic") => {
            format!("make them some {larger} times as large: schedule(dynamic, {larger}) in place of schedule(dynamic)")
        }
        _ => format!(
            "make them some {larger} times as large (where it is schedule(dynamic) now: schedule(dynamic, {larger}) or \
             schedule(guided))"
        ),
    }
}

/// The factor, a power of two, by which chunks that take this long should be enlarged. `None` if each thread would get too few, so that
/// the loop would be distributed unevenly.
fn larger(region: &Region, each_ns: f64) -> Option<f64> {
    let most = region.chunks as f64 / (region.ended.max(1) as f64 * region.threads.max(1) as f64 * OF_A_THREAD);
    let larger = (GOOD_NS / each_ns).min(most);
    (larger >= 2.0).then(|| larger.log2().floor().exp2())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads that take two million chunks of this time each.
    fn found(each_ns: u64, directive: Option<Directive>) -> Option<Finding> {
        let shares_ns = each_ns * 2_000_000;
        let region = Region {
            ended: 1,
            threads: 2,
            chunks: 2_000_000,
            shares_ns,
            work_ns: shares_ns,
            directive,
            ..Region::default()
        };
        let mut found = Vec::new();
        look(&Facts { regions: vec![region], ..Facts::default() }, &mut found);
        found.pop()
    }

    #[test]
    fn handing_out_that_threads_contend_for_does_not_hide_small_chunks() {
        assert!(found(900, None).is_some_and(|finding| finding.fix.contains("schedule(dynamic, 8)")));
        assert_eq!(found(1100, None), None);
    }

    #[test]
    fn what_is_written_is_made_larger() {
        let written =
            |clause: &str| Directive { is_loop: true, schedule: Some(clause.to_owned()), ..Directive::default() };
        let fix = |clause| found(400, Some(written(clause))).unwrap().fix;
        assert!(
            fix("dynamic, 4").ends_with("schedule(dynamic, 64) in place of schedule(dynamic, 4)"),
            "{}",
            fix("dynamic, 4")
        );
        assert!(fix("dynamic").ends_with("schedule(dynamic, 16) in place of schedule(dynamic)"));
        assert!(fix("runtime").contains("where it is schedule(dynamic) now"));
    }

    #[test]
    fn the_time_of_other_constructs_is_not_that_of_chunks() {
        let beside = Directive { has_loops: true, has_static_loop: true, ..Directive::default() };
        assert_eq!(found(400, Some(beside.clone())), None);
        assert!(found(400, Some(Directive { has_static_loop: false, ..beside.clone() })).is_some());
        assert!(found(400, Some(Directive { is_loop: true, ..beside })).is_some());
        let ordered = Directive { is_loop: true, is_ordered: true, ..Directive::default() };
        assert_eq!(found(400, Some(ordered)), None);
    }

    #[test]
    fn chunks_are_to_be_as_much_larger_as_leaves_each_thread_enough_of_them() {
        let larger = |chunks, each_ns| larger(&Region { chunks, ended: 10, threads: 4, ..Region::default() }, each_ns);
        assert_eq!(larger(1_000_000, 100.0), Some(64.0));
        assert_eq!(larger(1_000_000, 400.0), Some(16.0));
        // Fewer than 16 for each thread and region don't result in a finding.
        assert_eq!(larger(10 * 4 * 16, 100.0), Some(2.0));
        assert_eq!(larger(10 * 4 * 31, 100.0), Some(2.0));
        assert_eq!(larger(10 * 4 * 16 - 1, 100.0), None);
        assert_eq!(larger(10 * 4 * 3, 100.0), None);
    }
}
