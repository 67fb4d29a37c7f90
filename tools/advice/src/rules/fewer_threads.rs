//! Ways to get smaller teams.

use crate::facts::{Facts, Region};

/// A way to get smaller teams.
pub(super) struct Fewer {
    pub(super) setting: String,
    /// A sentence without the full stop about settings that have no effect; empty if there are none.
    pub(super) why: String,
    /// The command that measures a setting; empty if there is none.
    pub(super) measure: &'static str,
}

/// The setting for no more threads than processors.
pub(super) fn fewer(facts: &Facts, processors: f64) -> Fewer {
    let enough = processors.floor().max(1.0);
    let only = |setting, measure| Fewer { setting, why: String::new(), measure };
    let measure = facts.runtime_kind.measure();
    if !facts.runtime_kind.reads_settings() {
        return only(format!("no more than {enough} threads {}", facts.runtime_kind.by("")), "");
    }
    if facts.team() as f64 > processors.ceil() {
        return teams_of(facts, whole(enough));
    }
    if facts.regions.iter().any(|region| region.nested > 0) {
        return only(format!("OMP_THREAD_LIMIT={enough}, since regions inside of regions make them"), measure);
    }
    let owners = facts.owners();
    if owners < 2 {
        return only("smaller teams, of all threads that start regions at the same time".to_owned(), measure);
    }
    // The limit holds for each thread that starts regions, with its team (libgomp 12, libomp 19).
    let each = (whole(enough) / owners).max(1);
    if facts.team() <= each {
        return only(format!("fewer of the {owners} threads that start regions at a time"), "");
    }
    let fewer = teams_of(facts, each);
    let setting =
        format!("fewer at a time of the {owners} threads with a team each, or smaller teams ({})", fewer.setting);
    Fewer { setting, ..fewer }
}

/// The setting for teams of at most this many threads. `OMP_NUM_THREADS` has no effect where the program sets the number itself.
pub(super) fn teams_of(facts: &Facts, most: u64) -> Fewer {
    if !facts.runtime_kind.reads_settings() {
        return Fewer { setting: most.to_string(), why: String::new(), measure: "" };
    }
    let measure = facts.runtime_kind.measure();
    let limit = format!("OMP_THREAD_LIMIT={most}");
    let large = facts.regions.iter().filter(|region| region.threads > most).max_by_key(|region| region.total_ns);
    if let Some(argument) = large.and_then(num_threads) {
        // An expression may depend on the variable.
        let is_number = argument.parse::<u64>().is_ok();
        let why = format!(". OMP_NUM_THREADS has no effect on num_threads({argument})");
        return Fewer {
            setting: format!("{limit}, or a smaller number in the clause num_threads({argument})"),
            why: if is_number { why } else { String::new() },
            measure,
        };
    }
    let list = facts.setting("OMP_NUM_THREADS");
    let asked = list.and_then(|list| list.split(',').next()?.trim().parse::<u64>().ok());
    let team = facts.team();
    // Without a setting, a runtime uses all processors of the machine, or those that it was allowed to use at its start.
    let may_be_read = asked.map_or_else(|| facts.online.is_none_or(|online| team <= online), |asked| asked == team);
    if may_be_read {
        let setting = format!("OMP_NUM_THREADS={most}, or {limit} where the program sets the number itself");
        return Fewer { setting, why: String::new(), measure };
    }
    let why = if asked.is_none_or(|asked| asked < team) {
        ". OMP_NUM_THREADS has no effect, since the program sets the number itself"
    } else {
        ""
    };
    Fewer { setting: format!("{limit}, or a smaller number in the program"), why: why.to_owned(), measure }
}

/// The argument of the region's `num_threads` clause.
fn num_threads(region: &Region) -> Option<&str> {
    region.directive.as_ref()?.num_threads.as_deref()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of processors")]
fn whole(processors: f64) -> u64 {
    processors as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;

    fn facts(threads: u64, num_threads: Option<&str>) -> Facts {
        let directive = Directive { num_threads: num_threads.map(str::to_owned), ..Directive::default() };
        let region = Region { threads, total_ns: 9, directive: Some(directive), ..Region::default() };
        Facts { team_threads: threads, online: Some(2), regions: vec![region], ..Facts::default() }
    }

    fn asking(number: &str, facts: Facts) -> Facts {
        Facts { settings: vec![("OMP_NUM_THREADS".to_owned(), number.to_owned())], ..facts }
    }

    #[test]
    fn a_number_in_a_clause_leaves_the_variable_without_effect() {
        let Fewer { setting, why, .. } = fewer(&asking("8", facts(8, Some("8"))), 2.0);
        assert_eq!(setting, "OMP_THREAD_LIMIT=2, or a smaller number in the clause num_threads(8)");
        assert_eq!(why, ". OMP_NUM_THREADS has no effect on num_threads(8)");
        assert_eq!(fewer(&facts(8, Some("omp_get_max_threads()")), 2.0).why, "", "that reads the variable");
        let small = Region {
            threads: 2,
            total_ns: 99,
            directive: facts(2, Some("2")).regions.pop().unwrap().directive,
            ..Region::default()
        };
        let mut large = asking("8", facts(8, None));
        large.regions.push(small);
        assert!(fewer(&large, 2.0).setting.starts_with("OMP_NUM_THREADS=2, or"), "the clause is of another region");
    }

    #[test]
    fn a_variable_that_asks_for_another_number_has_not_set_it() {
        let few = fewer(&asking("2", facts(8, None)), 2.0);
        assert!(few.setting.starts_with("OMP_THREAD_LIMIT=2, or") && few.why.contains("no effect"), "{}", few.setting);
        let many = fewer(&asking("32", facts(8, None)), 2.0);
        assert!(many.setting.starts_with("OMP_THREAD_LIMIT=2, or") && many.why.is_empty(), "{}", many.setting);
    }

    #[test]
    fn threads_with_a_team_each_get_smaller_teams_only_if_these_can_be_smaller() {
        let pools = Facts { pool_owners: 12, ..asking("2", facts(2, Some("2"))) };
        let Fewer { setting, why, .. } = fewer(&pools, 2.0);
        assert_eq!(
            setting,
            "fewer at a time of the 12 threads with a team each, or smaller teams (OMP_THREAD_LIMIT=1, or a smaller \
             number in the clause num_threads(2))"
        );
        assert!(why.contains("OMP_NUM_THREADS has no effect on num_threads(2)"));
        let alone = Facts { regions: facts(1, None).regions, ..pools };
        assert_eq!(fewer(&alone, 2.0).setting, "fewer of the 12 threads that start regions at a time");
    }
}
