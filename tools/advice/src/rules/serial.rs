//! Code outside of parallel regions.

use terminal::quantity::{percent, time};

use crate::facts::Facts;
use crate::finding::{Finding, HowKnown};

/// Minimum fraction of the threads' time for which workers are idle while the program sleeps that is a finding.
const ASLEEP: f64 = 0.05;

/// During serial code the other threads are idle, but not more of them than exist.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let others = (facts.possible_team() - 1) as f64;
    let costs_ns = facts.idle_ns.min(facts.serial_ns * others);
    let place = facts.serial_in.as_ref().map(|function| format!(", most of them in or below {function}"));
    let what = format!(
        "{} % of the threads' time is idle time while {} are spent in code outside of parallel regions{}",
        percent(costs_ns, facts.all_ns),
        time(facts.serial_ns),
        place.unwrap_or_default()
    );
    let fix = match (facts.serial_asleep_ns, facts.period_ns) {
        (None, _) => "make that parallel as well, if it computes (`ora stat` shows whether it sleeps)",
        (_, None) => "make that parallel as well (`ora profile` shows it)",
        (_, Some(_)) => "make that parallel as well",
    };
    // If all threads with a processor share the work, it takes a fraction of its time. Before the first region there are
    // no workers that could be idle.
    let saves_ns = facts.serial_ns * (1.0 - 1.0 / facts.at_the_same_time());
    found.push(Finding::new("serial", costs_ns, what, fix).saves(saves_ns, HowKnown::Estimated));
    asleep(facts, others, found);
}

/// Sleep of the program while its workers are idle. Other threads can't do it faster.
fn asleep(facts: &Facts, others: f64, found: &mut Vec<Finding>) {
    let asleep_ns = facts.serial_asleep_ns.unwrap_or(0.0);
    let costs_ns = facts.idle_ns.min(asleep_ns * others);
    if costs_ns < ASLEEP * facts.all_ns {
        return;
    }
    let what = format!("Between the regions the program sleeps for {}, while its workers are idle", time(asleep_ns));
    let fix = "it reads, writes, sleeps or waits there (`strace -w -c` shows in which calls)";
    found.push(Finding::new("serial_asleep", costs_ns, what, fix));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Region;

    /// Eight threads, of which seven are idle for 20 % of the time.
    fn facts() -> Facts {
        let regions = vec![Region { threads: 8, ..Region::default() }];
        Facts {
            wall_ns: 1e9,
            all_ns: 8e9,
            serial_ns: 2e8,
            serial_asleep_ns: Some(0.0),
            idle_ns: 1.4e9,
            regions,
            ..Facts::default()
        }
    }

    fn texts(facts: &Facts) -> Vec<(&'static str, String)> {
        crate::findings(facts).iter().map(|finding| (finding.id, finding.text(facts.wall_ns))).collect()
    }

    #[test]
    fn no_more_threads_share_serial_code_than_there_are_processors() {
        for (processors, saving) in [(None, "175.000 ms"), (Some(16.0), "175.000 ms"), (Some(2.0), "100.000 ms")] {
            let found = texts(&Facts { processors, ..facts() });
            assert_eq!(found[0].0, "serial");
            assert!(found[0].1.contains(&format!("would save up to {saving}")), "{found:?}");
        }
        let alone = texts(&Facts { processors: Some(1.0), ..facts() });
        assert!(alone.iter().all(|(id, _)| *id != "serial"), "{alone:?}");
    }

    #[test]
    fn workers_whose_regions_no_sample_fell_into_are_idle_as_well() {
        let regions = vec![Region { threads: 1, ..Region::default() }];
        let unseen = Facts { regions, team_threads: 8, period_ns: Some(1e7), ..facts() };
        assert_eq!(texts(&unseen)[0].0, "serial");
        assert_eq!(texts(&Facts { team_threads: 1, ..unseen.clone() }), []);
        assert_eq!(texts(&Facts { period_ns: None, ..unseen }), [], "counts miss no region");
    }

    #[test]
    fn sleep_between_regions_is_no_code_to_make_parallel() {
        let asleep = Facts { serial_ns: 1e6, serial_asleep_ns: Some(2e8), ..facts() };
        let found = texts(&asleep);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "serial_asleep");
        assert!(found[0].1.starts_with("Between the regions the program sleeps for 200.000 ms"), "{found:?}");
        assert_eq!(texts(&Facts { serial_asleep_ns: Some(5e7), ..asleep.clone() }), [], "that is little");
        assert_eq!(texts(&Facts { idle_ns: 0.0, ..asleep }), [], "workers are needed for that");
        let unknown = texts(&Facts { serial_asleep_ns: None, ..facts() });
        assert!(unknown[0].1.contains("if it computes (`ora stat` shows"), "{unknown:?}");
    }
}
