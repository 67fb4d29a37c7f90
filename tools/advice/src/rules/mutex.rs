//! Waits for mutexes of the C library: `std::mutex`, `pthread_mutex_lock`, and those inside `rand` and similar functions. OpenMP doesn't
//! define an event for them, so they count as work.

use terminal::quantity::percent;

use crate::facts::Facts;
use crate::finding::{Finding, HowKnown};

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let wait = &facts.mutex;
    if wait.ns <= 0.0 {
        return;
    }
    let dearest = wait.dearest.as_ref();
    let place = dearest.map(|(part, name)| format!(", {} % of that called by {name}", percent(*part, 1.0)));
    let what = format!(
        "{} % of the threads' time is spent in locks of the C library{}",
        percent(wait.ns, facts.all_ns),
        place.unwrap_or_default()
    );
    let fix = "hold them for less time, use more of them, or give each thread its own data (also for functions with a lock inside, such as rand)";
    let saves_ns = wait.ns / facts.team() as f64;
    found.push(Finding::new("mutex", wait.ns, what, fix).saves(saves_ns, HowKnown::Estimated));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Wait;

    #[test]
    fn the_caller_of_a_lock_is_named() {
        let mutex = Wait { ns: 5e8, dearest: Some((0.75, "main at mpm.cc:14".to_owned())) };
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
}
