//! Threads that want a processor and have none.

use terminal::quantity::{count, percent, time};

use crate::facts::{Facts, Region};
use crate::finding::Finding;

/// A share of the threads' time from which on time without a processor is reported.
const WORTH: f64 = 0.01;
/// A share of the threads' time from which on it is a finding by itself.
const MUCH: f64 = 0.05;
/// That share, where it isn't known whether threads wait for a processor for long, or often.
const MOST: f64 = 0.1;
/// A share of the time on processors from which on idle threads that spin are a finding.
const SPUN: f64 = 0.2;
/// Shorter turns without a processor are those of threads that wake up.
const WAKE_UP_NS: f64 = 50e3;

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let Some(processors) = facts.processors else { return };
    let ready = format!(
        "ready without a processor for {}, {} % of their time",
        time(facts.ready_ns),
        percent(facts.ready_ns, facts.all_ns)
    );
    if facts.team_threads as f64 > processors.ceil() {
        found.push(crowded(facts, processors, &ready).first());
        return;
    }
    let is_short = |turns: f64| facts.ready_ns / turns.max(1.0) < WAKE_UP_NS;
    let much = if facts.turns.is_some() { MUCH } else { MOST };
    if facts.ready_ns < facts.all_ns * much || facts.turns.is_some_and(is_short) {
        return;
    }
    if facts.spun_idle_ns >= facts.running_ns * SPUN {
        let what = format!(
            "Threads were {ready}, while idle threads of the pool spun for {} on processors",
            time(facts.spun_idle_ns)
        );
        let fix = "let them sleep (OMP_WAIT_POLICY=passive)";
        found.push(Finding::new("spinning", facts.ready_ns.min(facts.spun_idle_ns), what, fix).first());
        return;
    }
    let what = "The processors were busy with something else, other programs or threads outside of OpenMP".to_owned();
    found.push(Finding::new("busy_machine", facts.ready_ns, what, format!("threads were {ready}")).first());
}

fn crowded(facts: &Facts, processors: f64, ready: &str) -> Finding {
    let allowed = if processors == 1.0 { "1 processor".to_owned() } else { format!("{processors} processors") };
    let what = format!("{} OpenMP threads for {allowed}", facts.team_threads);
    if facts.ready_ns < facts.all_ns * WORTH {
        return Finding::new("crowded", facts.ready_ns, what, "they seldom wanted one at the same time");
    }
    if facts.runtimes.len() > 1 && facts.team() as f64 <= processors.ceil() {
        let runtimes = count(facts.runtimes.len() as u64, "runtime", "runtimes");
        let what = format!("{what}, of {runtimes} with a pool each ({})", facts.runtimes.join(", "));
        let fix = format!(
            "threads were {ready}. Let their threads sleep when they are idle (OMP_WAIT_POLICY=passive), or use one runtime"
        );
        return Finding::new("two_runtimes", facts.ready_ns, what, fix);
    }
    let fix = format!("threads were {ready}. {}, or allow it as many processors", fewer(facts, processors));
    Finding::new("crowded", facts.ready_ns, what, fix)
}

/// Advice for fewer threads. `OMP_NUM_THREADS` is in vain where the program sets the number itself.
fn fewer(facts: &Facts, processors: f64) -> String {
    let enough = processors.floor().max(1.0);
    if facts.team() as f64 <= processors.ceil() {
        let is_nested = |region: &Region| region.nested > 0;
        return if facts.regions.iter().any(is_nested) {
            format!("Regions inside of regions make them: try OMP_THREAD_LIMIT={enough}")
        } else {
            "Several threads have a team each: try a smaller OMP_NUM_THREADS for each of these".to_owned()
        };
    }
    let list = facts.setting("OMP_NUM_THREADS");
    let asked = list.and_then(|list| list.split(',').next()?.trim().parse::<u64>().ok());
    match asked {
        Some(asked) if asked >= facts.team() => format!("Try OMP_NUM_THREADS={enough}"),
        // Without a setting a runtime takes all processors of the machine, or those that it was allowed at first.
        None if facts.online.is_none_or(|online| facts.team() <= online) => {
            format!(
                "Try OMP_NUM_THREADS={enough}, or OMP_THREAD_LIMIT={enough} where the program sets the number itself"
            )
        }
        _ => format!(
            "The program sets their number itself, not OMP_NUM_THREADS: change it there, or try OMP_THREAD_LIMIT={enough}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three threads on two processors, in teams of two.
    fn facts() -> Facts {
        Facts {
            wall_ns: 1e9,
            all_ns: 3e9,
            running_ns: 1.5e9,
            ready_ns: 1e9,
            turns: Some(1000.0),
            team_threads: 3,
            processors: Some(2.0),
            online: Some(2),
            regions: vec![Region { threads: 2, ..Region::default() }],
            ..Facts::default()
        }
    }

    fn first(facts: &Facts) -> Option<(&'static str, String)> {
        let mut found = Vec::new();
        look(facts, &mut found);
        found.pop().map(|finding| (finding.id, finding.fix))
    }

    #[test]
    fn pools_of_two_runtimes_are_one_pool_too_many() {
        let two = Facts { runtimes: vec!["libgomp.so.1".into(), "libomp.so.5".into()], ..facts() };
        let (id, fix) = first(&two).unwrap();
        assert!(id == "two_runtimes" && fix.contains("use one runtime"), "{id} {fix}");
        assert_eq!(first(&facts()).unwrap().0, "crowded");
    }

    #[test]
    fn the_setting_that_helps_is_named() {
        let fix = |facts: &Facts| first(facts).unwrap().1;
        assert!(fix(&facts()).contains("Several threads have a team each"));
        let nested = vec![Region { threads: 2, nested: 7, ..Region::default() }];
        assert!(fix(&Facts { regions: nested, ..facts() }).contains("try OMP_THREAD_LIMIT=2"));
        let regions = vec![Region { threads: 3, ..Region::default() }];
        let large = Facts { regions, ..facts() };
        assert!(fix(&large).contains("not OMP_NUM_THREADS"));
        assert!(fix(&Facts { online: Some(8), ..large.clone() }).contains("Try OMP_NUM_THREADS=2, or"));
        let asked = vec![("OMP_NUM_THREADS".to_owned(), "3,2".to_owned())];
        assert!(fix(&Facts { settings: asked, ..large }).contains("Try OMP_NUM_THREADS=2, or allow"));
    }

    #[test]
    fn short_turns_without_a_processor_are_no_load() {
        let two = Facts { team_threads: 2, ..facts() };
        assert_eq!(first(&two).unwrap().0, "busy_machine");
        assert_eq!(first(&Facts { turns: Some(1e6), ..two.clone() }), None);
        assert_eq!(first(&Facts { spun_idle_ns: 1e9, ..two }).unwrap().0, "spinning");
    }
}
