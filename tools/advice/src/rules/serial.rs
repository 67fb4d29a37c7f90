//! Code outside of parallel regions.

use terminal::quantity::{percent, time};

use crate::facts::Facts;
use crate::finding::{Finding, HowKnown};

/// Minimum fraction of the threads' time for which workers are idle while the program sleeps that is a finding.
const ASLEEP: f64 = 0.05;

/// Minimum fraction of the wall time in serial code without idle workers that is a finding: reading the input is part of each program.
const WITHOUT_WORKERS: f64 = 0.1;

/// During serial code the other threads are idle, but not more of them than exist: before the first region there are none.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let others = (facts.possible_team() - 1) as f64;
    let idle_ns = facts.idle_ns.min(facts.serial_ns * others);
    let unused_ns = facts.serial_ns * (facts.at_the_same_time() - 1.0);
    // Serial code of several threads with a team each may run beside the others' regions.
    let is_alone = facts.pool_owners <= 1 && facts.serial_ns <= facts.wall_ns;
    // With processors that are in use, idle workers are no loss.
    let idle_ns = if is_alone { idle_ns } else { idle_ns.min(facts.unused_ns() * facts.at_the_same_time()) };
    let is_long = facts.serial_ns >= WITHOUT_WORKERS * facts.wall_ns;
    let place = facts.serial_in.as_ref().map(|function| format!(", most of them in or below {function}"));
    let (costs_ns, what) = if is_alone && is_long && idle_ns * 2.0 < unused_ns {
        let what =
            format!("{} %, {}, of the wall time", percent(facts.serial_ns, facts.wall_ns), time(facts.serial_ns));
        (unused_ns, what + " are spent in code outside of parallel regions")
    } else {
        let what = format!(
            "{} % of the threads' time is idle time while {}",
            percent(idle_ns, facts.all_ns),
            time(facts.serial_ns)
        );
        (idle_ns, what + " are spent in code outside of parallel regions")
    };
    let what = what + &place.unwrap_or_default();
    let fix = match (facts.serial_asleep_ns, facts.period_ns) {
        (None, _) => "make that parallel as well, if it computes (`ora stat` shows whether it sleeps)",
        (_, None) => "make that parallel as well (`ora profile` shows it)",
        (_, Some(_)) => "make that parallel as well",
    };
    // If all threads with a processor share the work, it takes a fraction of its time.
    let saves_ns = (facts.serial_ns * (1.0 - 1.0 / facts.at_the_same_time())).min(facts.unused_ns());
    let finding = Finding::new("serial", costs_ns, what, fix);
    found.push(finding.may_save(is_alone.then_some(saves_ns), HowKnown::Estimated));
    // Of several such threads, one may sleep while others work.
    if is_alone {
        asleep(facts, others, found);
    }
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
    fn serial_code_before_the_first_region_is_found_without_idle_workers() {
        let early = Facts { serial_ns: 8e8, idle_ns: 1e7, processors: Some(2.0), ..facts() };
        let [(id, text)] = &texts(&early)[..] else { panic!("{:?}", texts(&early)) };
        assert_eq!(*id, "serial");
        assert!(text.starts_with("80.00 %, 800.000 ms, of the wall time are spent in code outside of"), "{text}");
        assert!(text.contains("up to 400.000 ms, 40.00 % of the wall time"), "{text}");
        assert_eq!(texts(&Facts { serial_ns: 5e7, ..early.clone() }), [], "input has to be read");
        assert_eq!(texts(&Facts { pool_owners: 2, ..early.clone() }).len(), 0, "other threads may be in regions");
        let regions = vec![Region { threads: 1, ..Region::default() }];
        assert_eq!(texts(&Facts { regions, ..early }), [], "no region has several threads");
    }

    #[test]
    fn serial_code_of_several_threads_runs_at_the_same_time() {
        let several = Facts { pool_owners: 3, serial_ns: 1.6e9, idle_ns: 1.4e9, processors: Some(2.0), ..facts() };
        let busy = Facts { knows_spinning: true, running_ns: 2e9, ..several.clone() };
        assert_eq!(texts(&busy), [], "both processors were in use");
        let found = texts(&Facts { knows_spinning: true, running_ns: 1.6e9, ..several });
        assert!(found[0].0 == "serial" && !found[0].1.contains("would save"), "{found:?}");
    }

    #[test]
    fn sleep_between_regions_is_no_code_to_make_parallel() {
        let sleeping = || Facts { serial_ns: 1e6, serial_asleep_ns: Some(2e8), ..facts() };
        let asleep = sleeping();
        let found = texts(&asleep);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "serial_asleep");
        assert!(found[0].1.starts_with("Between the regions the program sleeps for 200.000 ms"), "{found:?}");
        assert_eq!(texts(&Facts { serial_asleep_ns: Some(5e7), ..asleep.clone() }), [], "that is little");
        assert_eq!(texts(&Facts { idle_ns: 0.0, ..asleep }), [], "workers are needed for that");
        let unknown = texts(&Facts { serial_asleep_ns: None, ..facts() });
        assert!(unknown[0].1.contains("if it computes (`ora stat` shows"), "{unknown:?}");
        assert_eq!(texts(&Facts { pool_owners: 2, ..sleeping() }), [], "others may work meanwhile");
    }
}
