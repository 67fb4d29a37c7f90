//! Threads that are made and ended again and again.

use terminal::quantity::{count, percent};

use crate::facts::{Facts, Region};
use crate::finding::Finding;

/// So many for each thread of the largest team are no chance.
const MANY: u64 = 4;

/// libgomp makes the threads of a nested team for it alone, and ends those that a smaller team does not need.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    if facts.ended_workers < MANY.saturating_mul(facts.team()) {
        return;
    }
    let is_nested = facts.regions.iter().any(|region| region.nested > 0);
    let concerned = |region: &&Region| (region.nested > 0) == is_nested;
    // What the largest share does not explain is the team's begin and end.
    let beyond = |region: &Region| region.total_ns.saturating_sub(region.max_ns) as f64 * region.threads as f64;
    let costs_ns = facts.regions.iter().filter(concerned).map(beyond).sum::<f64>();
    let costs_ns = costs_ns.min(facts.all_ns);
    let threads = count(facts.ended_workers, "thread was", "threads were");
    let share = percent(costs_ns, facts.all_ns);
    let (id, what, fix) = if is_nested {
        (
            "nested_teams",
            format!(
                "{threads} made for regions inside of regions, and ended with them, which takes up to {share} % of the threads' time"
            ),
            "share out the outer loop's work more finely (collapse, tasks), or try OMP_MAX_ACTIVE_LEVELS=1",
        )
    } else {
        (
            "team_sizes",
            format!(
                "{threads} made and ended between regions, since teams change their size, which takes up to {share} % of the threads' time"
            ),
            "let all regions have teams of one size (num_threads, OMP_DYNAMIC=false)",
        )
    };
    found.push(Finding::new(id, costs_ns, what, fix));
}
