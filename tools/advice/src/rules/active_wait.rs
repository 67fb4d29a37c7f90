//! Idle threads that spin while the program waits for something else.

use terminal::quantity::{percent, time};

use crate::facts::Facts;
use crate::finding::Finding;

/// Minimum fraction of the time on processors that is a finding.
const MIN_SHARE: f64 = 0.25;

/// Reports threads that spin although nothing of the program needs them, which costs processors, but no time. Other rules report threads
/// that spin while others execute serial code.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let is_set = facts.setting("OMP_WAIT_POLICY").is_some_and(|value| value.eq_ignore_ascii_case("active"));
    let others = facts.team().saturating_sub(1) as f64;
    let spun_ns = facts.spun_idle_ns - facts.serial_ns * others;
    if !is_set || spun_ns < facts.running_ns * MIN_SHARE {
        return;
    }
    let what = format!(
        "{} % of the threads' CPU time, {}, is spent by idle threads that spin while the program waits outside of regions",
        percent(spun_ns, facts.running_ns),
        time(spun_ns)
    );
    let fix = format!("OMP_WAIT_POLICY=active lets them: unset it, or take passive{}", facts.runtime_kind.measure());
    found.push(Finding::new("active_wait", spun_ns, what, fix));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Region;

    #[test]
    fn a_pool_that_spins_beside_a_program_that_sleeps_is_a_finding() {
        let settings = vec![("OMP_WAIT_POLICY".to_owned(), "active".to_owned())];
        let regions = vec![Region { threads: 2, ..Region::default() }];
        let waits = Facts { running_ns: 1e9, spun_idle_ns: 9e8, serial_ns: 1e6, settings, regions, ..Facts::default() };
        let is_found = |facts: &Facts| {
            let mut found = Vec::new();
            look(facts, &mut found);
            !found.is_empty()
        };
        assert!(is_found(&waits));
        assert!(!is_found(&Facts { settings: Vec::new(), ..waits.clone() }));
        assert!(!is_found(&Facts { serial_ns: 8e8, running_ns: 1.7e9, ..waits.clone() }));
        assert!(!is_found(&Facts { spun_idle_ns: 2e8, ..waits }));
    }
}
