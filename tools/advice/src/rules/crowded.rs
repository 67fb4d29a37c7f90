//! More OpenMP threads than processors.

use terminal::quantity::count;

use super::fewer_threads::{Fewer, fewer};
use super::without_processor::{PASSIVE, others, ready};
use crate::facts::Facts;
use crate::finding::Finding;

/// Without other programs, threads of a team that is too large are ready for at most this many times as long as the
/// team's size explains.
const ALONE: f64 = 1.3;

/// True if several runtimes have pools that fit the processors, each.
pub(super) fn are_pools(facts: &Facts, processors: f64) -> bool {
    facts.runtimes.len() > 1 && facts.team() as f64 <= processors.ceil()
}

/// Variables whose values can name processors.
const PLACES: [&str; 3] = ["OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"];

/// The variable that names fewer processors than the machine has; an empty text if it was the mask with which the process was started.
/// `None` if affinity allows all processors, or more than a quota.
fn binding(facts: &Facts, processors: f64) -> Option<(&'static str, &str)> {
    let allowed = facts.allowed.filter(|allowed| facts.online.is_some_and(|online| *allowed < online))?;
    if (allowed as f64) > processors {
        return None;
    }
    // Abstract names, such as `cores`, mean all that the process may use.
    let names_some =
        |name: &&str| facts.setting(name).is_some_and(|value| value.contains(|it: char| it.is_ascii_digit()));
    let name = PLACES.into_iter().find(names_some).unwrap_or_default();
    Some((name, facts.setting(name).unwrap_or_default()))
}

/// Several threads for each processor.
pub(super) fn crowded(facts: &Facts, processors: f64) -> Finding {
    let ready = ready(facts);
    let allowed = if processors == 1.0 { "1 processor".to_owned() } else { format!("{processors} processors") };
    let (limit, more) = match binding(facts, processors) {
        None => (String::new(), "allow it as many processors".to_owned()),
        Some((name, value)) => {
            let [by, of] = [facts.allowed, facts.online].map(Option::unwrap_or_default);
            let who = if name.is_empty() { "the affinity mask".to_owned() } else { format!("{name}={value}") };
            let more = if name.is_empty() { "allow it".to_owned() } else { format!("let {name} name") };
            (format!(" ({who} allows {by} of {of})"), format!("{more} as many processors"))
        }
    };
    let what = format!("{} OpenMP threads for {allowed}{limit}", facts.team_threads);
    let sleep = if facts.threads_sleep() {
        String::new()
    } else {
        format!(", or let threads that wait sleep {}", facts.runtime_kind.by(PASSIVE))
    };
    if are_pools(facts, processors) {
        let runtimes = count(facts.runtimes.len() as u64, "runtime", "runtimes");
        let what = format!("{what}, of {runtimes} with a pool each ({})", facts.runtimes.join(", "));
        let measure = if sleep.is_empty() { "" } else { facts.runtime_kind.measure() };
        let fix = format!("threads were {ready}. Use one runtime{sleep}{measure}");
        return Finding::new("two_runtimes", facts.ready_ns, what, fix);
    }
    if let Some(value) = bound_together(facts) {
        let fix = format!(
            "threads were {ready}. OMP_PROC_BIND={value} binds each thread that starts regions to the first place, {} threads here: unset \
             it, or bind them apart",
            facts.owners()
        );
        return Finding::new("crowded", facts.ready_ns, what, fix);
    }
    let Fewer { setting, why, measure } = fewer(facts, processors);
    let others = others(facts);
    // Threads of a team that fits the processors spin for longer, which takes more processor time from other threads.
    let fix = match (is_alone(facts, processors), facts.runtime_kind.reads_settings()) {
        (true, _) => format!("threads were {ready}. Try {setting}, or {more}{measure}{why}"),
        (false, true) if measure.is_empty() => {
            format!("threads were {ready}, while {others} used the processors as well. Try {setting}")
        }
        (false, true) if sleep.is_empty() => format!(
            "threads were {ready}, while {others} used the processors as well. `ora tune` measures whether fewer threads are \
             faster beside these: {setting}{why}"
        ),
        (false, true) => format!(
            "threads were {ready}, while {others} used the processors as well. `ora tune` measures whether sleeping threads \
             ({PASSIVE}) or fewer are faster beside these: {setting}{why}"
        ),
        (false, false) => format!(
            "threads were {ready}, while {others} used the processors as well. Try {setting}, or let threads that wait sleep"
        ),
    };
    Finding::new("crowded", facts.ready_ns, what, fix)
}

/// The value of `OMP_PROC_BIND` with which libgomp binds all threads that the program has created itself to one place
/// when they start regions.
pub(super) fn bound_together(facts: &Facts) -> Option<&str> {
    let is_libgomp = facts.runtimes.iter().all(|name| name.contains("libgomp"));
    let value = facts.setting("OMP_PROC_BIND").filter(|value| !value.eq_ignore_ascii_case("false"));
    value.filter(|_| is_libgomp && facts.owners() > 1)
}

/// True if the team's size alone explains for how long threads lacked a processor.
fn is_alone(facts: &Facts, processors: f64) -> bool {
    let threads = facts.team_threads as f64;
    facts.ready_ns <= ALONE * facts.running_ns * (threads - processors).max(0.0) / processors.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Region;

    #[test]
    fn the_limit_to_fewer_processors_than_the_machine_has_is_named() {
        let regions = vec![Region { threads: 2, ..Region::default() }];
        let (all_ns, ready_ns, running_ns) = (2e9, 1e9, 1e9);
        let (allowed, online) = (Some(1), Some(2));
        let facts =
            Facts { all_ns, ready_ns, running_ns, team_threads: 2, allowed, online, regions, ..Facts::default() };
        let text = |name: &str, value: &str| {
            let settings = vec![(name.to_owned(), value.to_owned())];
            crowded(&Facts { settings, ..facts.clone() }, 1.0).text(1e9)
        };
        let mask = text("OMP_PLACES", "cores");
        assert!(mask.starts_with("2 OpenMP threads for 1 processor (the affinity mask allows 1 of 2): "), "{mask}");
        assert!(mask.contains(", or allow it as many processors"), "{mask}");
        let places = text("OMP_PLACES", "{0}");
        assert!(places.contains("1 processor (OMP_PLACES={0} allows 1 of 2)"), "{places}");
        assert!(places.contains("or let OMP_PLACES name as many processors"), "{places}");
        assert!(text("GOMP_CPU_AFFINITY", "0").contains("(GOMP_CPU_AFFINITY=0 allows 1 of 2)"));
        assert!(!text("KMP_AFFINITY", "explicit,proclist=[0]").contains("KMP"), "libgomp does not read that");
        let quota = Facts { allowed: Some(2), ..facts };
        assert!(!crowded(&quota, 1.0).what.contains("allows"), "a quota allows less");
    }
}
