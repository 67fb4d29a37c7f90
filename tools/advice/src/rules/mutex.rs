//! Waits for mutexes of the C library: `std::mutex`, `pthread_mutex_lock`, and those inside `rand` and similar functions. OpenMP doesn't
//! define an event for them, so they count as work.

use terminal::quantity::{percent, time};

use crate::facts::Facts;
use crate::finding::{Finding, HowKnown};

/// If the work spends this fraction of its running time in locks, its sleep is waiting for them.
const SLEEPS: f64 = 0.5;

/// True if samples show that threads which sleep in the work wait for locks.
pub(super) fn explains_sleep(facts: &Facts) -> bool {
    let work_ns = facts.regions.iter().map(|region| region.work_ns as f64).sum::<f64>();
    facts.mutex.ns > SLEEPS * work_ns.min(facts.running_ns)
}

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let wait = &facts.mutex;
    if wait.ns <= 0.0 {
        return;
    }
    let dearest = wait.dearest.as_ref();
    let place = dearest.map(|(part, name)| format!(", {} % of that called by {name}", percent(*part, 1.0)));
    let asleep_ns = if explains_sleep(facts) { facts.asleep_ns } else { 0.0 };
    let asleep = if asleep_ns > 0.0 { format!(" and asleep for {} in them", time(asleep_ns)) } else { String::new() };
    let costs_ns = wait.ns + asleep_ns;
    let what = format!(
        "{} % of the threads' time is spent in locks of the C library{asleep}{}",
        percent(costs_ns, facts.all_ns),
        place.unwrap_or_default()
    );
    let fix = "hold them for less time, use more of them, or give each thread its own data (also for functions with a lock inside, such as rand)";
    let finding = Finding::new("mutex", costs_ns, what, fix);
    found.push(finding.may_save(facts.without_turns(costs_ns), HowKnown::Estimated));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Region, Wait};

    #[test]
    fn the_caller_of_a_lock_is_named() {
        let mutex = Wait { ns: 5e8, dearest: Some((0.75, "main at mpm.cc:14".to_owned())), count: None };
        let mut found = Vec::new();
        look(&Facts { all_ns: 1e9, mutex, ..Facts::default() }, &mut found);
        let what = &found.pop().unwrap().what;
        assert!(
            what.starts_with("50.00 % of the threads' time")
                && what.ends_with("75.00 % of that called by main at mpm.cc:14")
        );
        look(&Facts::default(), &mut found);
        assert_eq!(found, []);
    }

    #[test]
    fn threads_that_sleep_in_work_which_is_mostly_locks_wait_for_these() {
        let region = Region { threads: 2, work_ns: 1_000_000_000, ..Region::default() };
        let mutex = Wait { ns: 3e8, dearest: Some((1.0, "main at rnd.c:5".to_owned())), count: None };
        let (running_ns, period_ns) = (4e8, Some(1e7));
        let sleeps = Facts {
            all_ns: 1e9,
            wall_ns: 5e8,
            running_ns,
            asleep_ns: 5e8,
            mutex,
            period_ns,
            regions: vec![region],
            ..Facts::default()
        };
        let ids = |facts: &Facts| crate::findings(facts).iter().map(|finding| finding.id).collect::<Vec<_>>();
        assert_eq!(ids(&sleeps), ["mutex"]);
        assert!(crate::findings(&sleeps)[0].what.starts_with("80.00 % of the threads' time"));
        let few = Wait { ns: 1.8e8, ..sleeps.mutex.clone() };
        assert_eq!(ids(&Facts { mutex: few, ..sleeps }), ["asleep", "mutex"]);
    }
}
