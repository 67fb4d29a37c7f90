//! Regions that are shorter than the time needed to start and end them.

use terminal::quantity::{percent, time};

use super::without_processor;
use crate::facts::{Facts, Region};
use crate::finding::Finding;

/// Regions whose threads run for less, in total, are not worth their fork and join.
const SMALL_NS: f64 = 50_000.0;
/// If a region's threads run for less, in total, one thread needs hardly more time for the region than several do: 24,000 regions of 1.2
/// us take two threads 0.022 s, and one thread 0.030 s.
const TINY_NS: f64 = 10_000.0;
/// Least time of each thread for a region, besides its work: ten million empty regions of two threads took 8.4 s of processor time.
const LEAST_NS: f64 = 400.0;
/// Fewer regions may be short by chance.
const MIN_REGIONS: f64 = 100.0;
/// Small regions matter if the regions of the program take this fraction of the wall time, from fork to join.
const PART: f64 = 0.1;

/// Checks for small regions. Returns true if the regions are small as a whole, so that it is due to chance how even
/// their shares are. Regions without work don't have anything to share.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) -> bool {
    if !found.iter().any(|finding| finding.id == ID) {
        found.extend(finding(facts));
    }
    Sizes::of(facts).are_small()
}

const ID: &str = "small_regions";

/// The finding about small regions. `None` if they are large enough, or few.
pub(super) fn finding(facts: &Facts) -> Option<Finding> {
    let sizes = Sizes::of(facts);
    let Sizes { ended, ran_ns, total_ns, overhead_ns, is_least } = sizes;
    // Of time that samples seldom meet it is not known how short it is.
    let is_known = facts.period_ns.is_none_or(|period_ns| ran_ns >= crate::SAMPLES * period_ns);
    let matters = total_ns >= facts.wall_ns * PART;
    if !sizes.are_small() || !is_known || ended < MIN_REGIONS || !matters {
        return None;
    }
    let place = facts.shared().max_by_key(|region| region.total_ns).and_then(|region| region.place.as_ref());
    let most = if facts.shared().count() > 1 { "most of it in " } else { "" };
    // The number is that of the last region with a sample.
    let [at_least, at_most] = if facts.period_ns.is_some() { ["at least ", "at most "] } else { [""; 2] };
    let least = if is_least { "At least " } else { "" };
    let what = format!(
        "{least}{} % of the threads' time goes into starting and ending {at_least}{ended:.0} regions{} whose threads run for {at_most}{} each, \
         all together",
        percent(overhead_ns, facts.all_ns),
        place.map(|place| format!(" ({most}{})", place.name)).unwrap_or_default(),
        time(ran_ns / ended)
    );
    // One thread would need the sum of all threads' time. Regions also take longer if threads lack processors.
    let fix = if are_tiny(facts) || total_ns > ran_ns && !without_processor::is_much(facts) {
        let clause = facts.runtime_kind.directives(" (an if clause, or num_threads(1))");
        format!("join them, or let one thread execute them{clause}{}", facts.runtime_kind.measure())
    } else if facts.runtime_kind.reads_settings() {
        "join them; whether fewer threads are faster, `ora tune` measures".to_owned()
    } else {
        "join them, or try fewer threads".to_owned()
    };
    // The savings of a fix are not known: much of a region's cost lies before its start and after its end.
    Some(Finding::new(ID, overhead_ns, what, fix).at(place))
}

/// True if one thread executes the regions about as fast as several threads do, regardless of what else runs on the
/// machine.
pub(super) fn are_tiny(facts: &Facts) -> bool {
    let sizes = Sizes::of(facts);
    sizes.ended > 0.0 && sizes.total_ns > sizes.ran_ns && sizes.ran_ns / sizes.ended < TINY_NS
}

/// Sums over the regions with teams of several threads.
struct Sizes {
    ended: f64,
    /// The threads' running time.
    ran_ns: f64,
    /// From fork to join.
    total_ns: f64,
    /// The least that the threads spend starting and ending regions: the rest of their time in these, without what they lack a
    /// processor and wait for peers that do, which other rules report.
    overhead_ns: f64,
    /// True if threads lacked processors for so long that it may be much more.
    is_least: bool,
}

impl Sizes {
    fn of(facts: &Facts) -> Self {
        let sum = |of: fn(&Region) -> f64| facts.shared().map(of).sum::<f64>();
        let ran_ns = sum(|region| region.shares_ns as f64);
        let (total_ns, no_processor_ns) = (sum(|region| region.total_ns as f64), sum(|it| it.no_processor_ns as f64));
        let all_ns = sum(|region| (region.total_ns * region.threads) as f64).min(facts.all_ns);
        // A thread that has just been woken up is also ready for a moment: that is part of starting a region.
        let ready_ns = if without_processor::is_much(facts) { facts.ready_ns } else { 0.0 };
        let known_ns = (all_ns - ran_ns - no_processor_ns - ready_ns).max(0.0);
        let least_ns = LEAST_NS * sum(|region| (region.ended * region.threads) as f64).min(all_ns);
        let is_least = known_ns < least_ns;
        Self {
            ended: sum(|region| region.ended as f64),
            ran_ns,
            total_ns,
            overhead_ns: known_ns.max(least_ns),
            is_least,
        }
    }

    fn are_small(&self) -> bool {
        self.ended > 0.0 && self.ran_ns / self.ended < SMALL_NS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_that_samples_have_hardly_met_are_not_said_to_be_small() {
        let region =
            Region { threads: 2, ended: 200, total_ns: 900_000_000, shares_ns: 2_000_000, ..Region::default() };
        let counted = Facts { wall_ns: 1e9, all_ns: 2e9, regions: vec![region], ..Facts::default() };
        let sampled = |period_ns| Facts { period_ns: Some(period_ns), ..counted.clone() };
        assert!(finding(&counted).is_some_and(|it| it.what.contains("ending 200 regions whose threads run for 10")));
        let at_least = "ending at least 200 regions whose threads run for at most 10";
        assert!(finding(&sampled(1e3)).is_some_and(|it| it.what.contains(at_least)));
        assert!(finding(&sampled(10e6)).is_none());
    }

    #[test]
    fn what_threads_lack_a_processor_is_no_cost_of_small_regions() {
        // One thread of two gets its processor late, and the other one waits for it.
        let region = Region {
            threads: 2,
            ended: 1_200,
            total_ns: 783_000_000,
            shares_ns: 24_000_000,
            no_processor_ns: 732_000_000,
            ..Region::default()
        };
        let idle = Facts { wall_ns: 1e9, all_ns: 2e9, regions: vec![region], ..Facts::default() };
        assert!(
            finding(&idle).is_some_and(|it| it.what.starts_with("40.50 % of the threads' time goes into starting"))
        );
        let busy = Facts { ready_ns: 885e6, turns: Some(900.0), ..idle.clone() };
        let at_least = finding(&busy).unwrap();
        assert!(at_least.what.starts_with("At least 0.05 % of the threads' time"), "{at_least:?}");
        assert!(!crate::findings(&busy).iter().any(|it| it.id == ID), "that is little");
        // Threads that are only waking up.
        assert!(finding(&Facts { ready_ns: 40e6, turns: Some(2_400.0), ..idle }).is_some());
    }
}
