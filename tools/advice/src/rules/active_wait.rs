//! Idle threads that spin while the program waits for something else.

use terminal::quantity::{percent, time};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::runtime_kind::RuntimeKind;

/// Minimum fraction of the time on processors that is a finding.
const MIN_SHARE: f64 = 0.25;

/// Reports threads that spin although nothing of the program needs them, which costs processors, but no time. Other rules report threads
/// that spin while others execute serial code.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let others = facts.team().saturating_sub(1) as f64;
    let spun_ns = facts.spun_idle_ns - facts.serial_ns * others;
    if spun_ns < facts.running_ns * MIN_SHARE {
        return;
    }
    // What a pause costs the regions after it depends on its length: only a measurement shows which setting is faster.
    let measure = facts.runtime_kind.measure();
    let fix = match (facts.wait_setting(), facts.runtime_kind) {
        (Some(("OMP_WAIT_POLICY", value)), _) if value.eq_ignore_ascii_case("active") => {
            format!("OMP_WAIT_POLICY=active lets them: unset it, or take passive{measure}")
        }
        (Some((name, value)), _) if name != "OMP_WAIT_POLICY" && value.trim() != "0" => {
            format!("{name}={value} lets them: try a smaller value{measure}")
        }
        (None, RuntimeKind::Llvm) => {
            format!(
                "they spin for 200 ms after each region, unless KMP_BLOCKTIME is smaller: try KMP_BLOCKTIME=0{measure}"
            )
        }
        // libgomp's threads spin for some milliseconds at most, so pauses are short.
        _ => return,
    };
    let what = format!(
        "{} % of the threads' CPU time, {}, is spent by idle threads that spin while the program waits outside of regions",
        percent(spun_ns, facts.running_ns),
        time(spun_ns)
    );
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
        let with = |name: &str, value: &str, runtime_kind| {
            let settings =
                vec![("OMP_WAIT_POLICY".to_owned(), "passive".to_owned()), (name.to_owned(), value.to_owned())];
            is_found(&Facts { settings, runtime_kind, ..waits.clone() })
        };
        assert!(with("GOMP_SPINCOUNT", "infinity", RuntimeKind::Gnu), "it prevails over the policy");
        assert!(with("KMP_BLOCKTIME", "infinite", RuntimeKind::Llvm));
        assert!(!with("KMP_BLOCKTIME", "infinite", RuntimeKind::Gnu), "libgomp does not read it");
        let by_default = Facts { settings: Vec::new(), runtime_kind: RuntimeKind::Llvm, ..waits.clone() };
        assert!(is_found(&by_default));
        assert!(!is_found(&Facts { settings: Vec::new(), ..waits.clone() }));
        assert!(!is_found(&Facts { serial_ns: 8e8, running_ns: 1.7e9, ..waits.clone() }));
        assert!(!is_found(&Facts { spun_idle_ns: 2e8, ..waits }));
    }
}
