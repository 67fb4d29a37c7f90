//! Threads that the kernel moves from one processor to another.

use crate::facts::Facts;
use crate::finding::Finding;

/// Estimated cost of a move: the caches of the new processor (about 1 MB) are filled from shared memory, at about 20
/// GB/s.
const MOVE_NS: f64 = 50e3;
/// Variables that bind threads to processors.
const BINDING: [&str; 3] = ["OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"];

/// Not reported if threads are bound, if there are more threads than processors, or if others use the processors: then the kernel
/// has a reason to move threads.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let bound = |name: &&str| facts.setting(name).is_some_and(|value| !value.eq_ignore_ascii_case("false"));
    if BINDING.iter().any(bound) || found.iter().any(|finding| finding.is_first) {
        return;
    }
    let per_second = facts.moves as f64 / (facts.running_ns / 1e9).max(1e-3);
    let what = format!(
        "The kernel moved threads to another processor {} times, {per_second:.0} times per second of their CPU time",
        facts.moves
    );
    let bind = facts.runtime_kind.by("OMP_PROC_BIND=close OMP_PLACES=cores");
    let fix = format!("let each stay where its data are {bind}{}", facts.runtime_kind.measure());
    found.push(Finding::new("moves", facts.moves as f64 * MOVE_NS, what, fix));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unbound_threads_that_move_are_named_unless_the_kernel_has_a_reason() {
        let facts = Facts { running_ns: 2e9, moves: 3000, ..Facts::default() };
        let finding = |facts: &Facts, mut found: Vec<Finding>| {
            look(facts, &mut found);
            found.pop().filter(|finding| finding.id == "moves")
        };
        let found = finding(&facts, Vec::new()).unwrap();
        assert!(found.what.contains(" 3000 times, 1500 times per second of their CPU time"), "{}", found.what);
        assert!((found.costs_ns - 150e6).abs() < 1.0);
        let bound = |value: &str| Facts { settings: vec![("OMP_PROC_BIND".into(), value.into())], ..facts.clone() };
        assert!(finding(&bound("close"), Vec::new()).is_none());
        assert!(finding(&bound("FALSE"), Vec::new()).is_some());
        let busy = Finding::new("busy_machine", 1e9, String::new(), "").first();
        assert!(finding(&facts, vec![busy]).is_none());
    }
}
