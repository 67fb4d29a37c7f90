//! Threads that are created and ended again and again.

use terminal::quantity::{count, percent};

use crate::facts::{Facts, Region};
use crate::finding::Finding;
use crate::runtime_kind::RuntimeKind;

/// A number of ended threads per thread of the largest team that isn't due to chance.
const MIN_PER_THREAD: u64 = 4;

/// libgomp creates the threads of a nested team only for that team, ends those that a smaller team doesn't need, and ends the pool of a
/// thread that the program has created itself together with that thread.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    if facts.ended_workers < MIN_PER_THREAD.saturating_mul(facts.team()) {
        return;
    }
    // A nested region of one thread creates none.
    let is_nested_team = |region: &Region| region.nested > 0 && region.threads > 1;
    let is_nested = facts.regions.iter().any(is_nested_team);
    let concerned = |region: &&Region| is_nested_team(region) == is_nested;
    // Number of workers that end with the program's own threads, if each of those had the largest team.
    let of_owners = facts.pool_owners.saturating_mul(facts.team().saturating_sub(1));
    // The time that the largest share doesn't explain is spent starting and ending the team.
    let beyond = |region: &Region| region.total_ns.saturating_sub(region.max_ns) as f64 * region.threads as f64;
    let costs_ns = facts.regions.iter().filter(concerned).map(beyond).sum::<f64>();
    // Threads that were ready without a processor are another finding.
    let costs_ns = costs_ns.min(facts.all_ns - facts.ready_ns).max(0.0);
    let threads = count(facts.ended_workers, "thread was", "threads were");
    let share = percent(costs_ns, facts.all_ns);
    let owners = count(facts.pool_owners, "thread", "threads");
    let (id, what, fix) = if facts.runtime_kind == RuntimeKind::Own {
        (
            "short_pools",
            format!(
                "{threads} made by the program's own runtime, and ended before the last region did, which takes up to {share} % of \
                 the threads' time"
            ),
            "let its threads stay for later regions (a pool of threads)",
        )
    } else if !is_nested && of_owners * 2 > facts.ended_workers {
        (
            "short_pools",
            format!(
                "{threads} created for the teams of {owners} of the program's own that started regions, and destroyed with these, which \
                 takes up to {share} % of the threads' time"
            ),
            "begin the regions in threads that stay (a pool of threads), or give them one thread each (num_threads(1))",
        )
    } else if is_nested {
        (
            "nested_teams",
            format!(
                "{threads} created for nested regions, and destroyed with them, which takes up to {share} % of the \
                 threads' time"
            ),
            if facts.runtime_kind.reads_settings() && nests_by_setting(facts) {
                "share out the outer loop's work more finely (collapse, tasks), or try OMP_MAX_ACTIVE_LEVELS=1, which `ora tune` measures"
            } else {
                "share out the outer loop's work more finely (collapse, tasks), or let fewer levels be active \
                 (omp_set_max_active_levels, omp_set_nested)"
            },
        )
    } else {
        (
            "team_sizes",
            format!(
                "{threads} created and destroyed between regions, since teams change their size, which takes up to \
                 {share} % of the threads' time"
            ),
            if facts.runtime_kind.reads_settings() {
                "let all regions have teams of one size (num_threads, OMP_DYNAMIC=false)"
            } else {
                "let all regions have teams of one size (num_threads)"
            },
        )
    };
    found.push(Finding::new(id, costs_ns, what, fix));
}

/// True if the environment allows nested teams: a call in the program would prevail over another value.
fn nests_by_setting(facts: &Facts) -> bool {
    let levels = facts.setting("OMP_MAX_ACTIVE_LEVELS").map(|value| value.trim().parse::<u64>().is_ok_and(|it| it > 1));
    let is_nested = || facts.setting("OMP_NESTED").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"));
    // A list of numbers of threads has one for each level.
    let is_list = || facts.setting("OMP_NUM_THREADS").is_some_and(|value| value.contains(','));
    levels.unwrap_or_else(|| is_nested() || is_list())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_region_of_one_thread_creates_none_and_a_variable_is_named_only_if_it_decides() {
        let outer = Region { threads: 2, ended: 640, total_ns: 1_000_000, ..Region::default() };
        let inner = |threads| Region { threads, nested: 9, ended: 9, total_ns: 1_000_000, ..Region::default() };
        let first = |facts: &Facts| {
            let mut found = Vec::new();
            look(facts, &mut found);
            found.pop().unwrap()
        };
        let facts = |threads, settings: &[(&str, &str)]| Facts {
            all_ns: 1e9,
            ended_workers: 99,
            pool_owners: 99,
            regions: vec![outer.clone(), inner(threads)],
            settings: settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            ..Facts::default()
        };
        assert_eq!(first(&facts(1, &[])).id, "short_pools");
        assert_eq!(first(&Facts { ended_workers: 6000, pool_owners: 1, ..facts(1, &[]) }).id, "team_sizes");
        let called = first(&facts(2, &[]));
        assert!(called.id == "nested_teams" && !called.fix.contains("OMP_MAX"), "{called:?}");
        for name in ["OMP_NESTED", "OMP_MAX_ACTIVE_LEVELS"] {
            let value = if name == "OMP_NESTED" { "true" } else { "2" };
            assert!(first(&facts(2, &[(name, value)])).fix.contains("try OMP_MAX_ACTIVE_LEVELS=1"), "{name}");
        }
        assert!(!first(&facts(2, &[("OMP_MAX_ACTIVE_LEVELS", "1")])).fix.contains("try OMP_MAX"), "a call prevails");
    }

    #[test]
    fn pools_that_end_with_their_threads_are_no_change_of_sizes() {
        let region = Region { threads: 2, ended: 640, total_ns: 1_000_000, ..Region::default() };
        let facts =
            Facts { all_ns: 1e9, ended_workers: 36, pool_owners: 36, regions: vec![region], ..Facts::default() };
        let first = |facts: &Facts| {
            let mut found = Vec::new();
            look(facts, &mut found);
            found.pop().unwrap()
        };
        let found = first(&facts);
        assert!(
            found.id == "short_pools" && found.what.contains("teams of 36 threads of the program's own"),
            "{found:?}"
        );
        let sizes = Facts { pool_owners: 0, ..facts };
        assert_eq!(first(&sizes).id, "team_sizes");
        let own = first(&Facts { runtime_kind: RuntimeKind::Own, ..sizes.clone() });
        assert!(own.id == "short_pools" && !own.fix.contains("OMP_") && !own.fix.contains("num_threads"), "{own:?}");
        assert!(!first(&Facts { runtime_kind: RuntimeKind::Unseen, ..sizes }).fix.contains("OMP_"));
    }
}
