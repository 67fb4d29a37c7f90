//! Regions executed by one thread although processors are available for more.

use terminal::quantity::percent;

use super::without_processor;
use crate::facts::{Facts, Region};
use crate::finding::Finding;
use crate::runtime_kind::RuntimeKind;

/// Minimum fraction of the wall time spent in such regions that is a finding.
const MIN_SHARE: f64 = 0.2;
/// For shorter regions, one thread may well be sufficient.
const LONG_NS: f64 = 200e3;

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let alone = || facts.regions.iter().filter(|region| region.nested == 0 && region.alone().0 > 0);
    let total_ns = alone().map(|region| region.alone().1 as f64).sum::<f64>();
    let is_shared = facts.together.is_some_and(|together| together.processes >= together.processors);
    let may_be_more = facts.processors.is_none_or(|processors| processors > 1.0) && !is_shared;
    let each_ns = total_ns / alone().map(|region| region.alone().0 as f64).sum::<f64>().max(1.0);
    // A user who sets one thread knows this. Regions of several threads that the program has created itself run at
    // the same time.
    let is_wanted = is_one(facts, "OMP_NUM_THREADS") || facts.pool_owners > 1 || total_ns > facts.wall_ns;
    if !may_be_more || is_wanted || each_ns < LONG_NS || total_ns < facts.wall_ns * MIN_SHARE {
        return;
    }
    let Some(dearest) = alone().max_by_key(|region| region.alone().1) else { return };
    let what = format!(
        "{} % of the wall time is spent in parallel regions that one thread executes, most of it in {}",
        percent(total_ns, facts.wall_ns),
        dearest.name()
    );
    // Measured: beside two busy programs on two processors, a second thread makes such programs 1.5 times as slow.
    let beside = if without_processor::is_much(facts) {
        "; beside other programs that use the processors, more threads may be slower"
    } else {
        ""
    };
    let finding = Finding::new("one_thread_regions", total_ns, what, why(facts, dearest) + beside);
    found.push(finding.at(dearest.place.as_ref()));
}

/// The reason why the team has one thread, as far as the environment and the directive show it, and what to change.
fn why(facts: &Facts, region: &Region) -> String {
    if facts.runtime_kind == RuntimeKind::Own {
        return "the program's own runtime starts them with one thread: let it use more where the work is worth that"
            .to_owned();
    }
    for name in ["OMP_THREAD_LIMIT", "KMP_DEVICE_THREAD_LIMIT", "KMP_ALL_THREADS"] {
        if is_one(facts, name) {
            return format!("{name}=1 is set: allow more threads");
        }
    }
    for (name, value) in [("OMP_MAX_ACTIVE_LEVELS", "0"), ("KMP_LIBRARY", "serial")] {
        if facts.setting(name).is_some_and(|set| set.trim().eq_ignore_ascii_case(value)) {
            return format!("{name}={value} is set: unset it");
        }
    }
    let written = region.directive.as_ref();
    let asked = written.and_then(|it| it.num_threads.as_ref());
    let limits = |argument: &str| {
        format!(
            "its clause num_threads({argument}) allows it no more: change that where the work is worth several threads"
        )
    };
    if let Some(argument) = asked.filter(|argument| argument.trim() == "1") {
        return limits(argument);
    }
    if let Some(argument) = written.and_then(|it| it.condition.as_ref()) {
        return format!(
            "its clause if({argument}), or a call of omp_set_num_threads or omp_set_max_active_levels, allows it no more: change that \
             where the work is worth several threads"
        );
    }
    if facts.setting("OMP_DYNAMIC").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return "OMP_DYNAMIC=true lets the runtime take fewer threads, by the load of the machine: unset it".to_owned();
    }
    // A larger number is no reason. What a name stands for isn't known.
    if let Some(argument) = asked.filter(|argument| argument.trim().parse::<u64>().is_err()) {
        return format!(
            "its clause num_threads({argument}), or a call of omp_set_dynamic or omp_set_max_active_levels, allows it no more: change that \
             where the work is worth several threads"
        );
    }
    "a num_threads or if clause, or a call of omp_set_num_threads, omp_set_dynamic or omp_set_max_active_levels, allows it no \
     more: change that where the work is worth several threads"
        .to_owned()
}

/// True if the variable allows only one thread.
fn is_one(facts: &Facts, name: &str) -> bool {
    facts.setting(name).and_then(|list| list.split(',').next()).is_some_and(|it| it.trim() == "1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;

    fn facts(directive: Directive) -> Facts {
        let region =
            Region { threads: 1, ended: 20, total_ns: 900_000_000, directive: Some(directive), ..Region::default() };
        Facts { wall_ns: 1e9, processors: Some(2.0), regions: vec![region], ..Facts::default() }
    }

    fn fix(facts: &Facts) -> Option<String> {
        let mut found = Vec::new();
        look(facts, &mut found);
        found.pop().map(|finding| finding.text(facts.wall_ns))
    }

    #[test]
    fn the_limit_that_leaves_one_thread_is_named() {
        let clause = Directive { num_threads: Some("1".to_owned()), ..Directive::default() };
        let text = fix(&facts(clause)).unwrap();
        assert!(text.contains("90.00 % of the wall time") && text.contains("num_threads(1)"), "{text}");
        for num_threads in [None, Some("2".to_owned()), Some("n".to_owned())] {
            let condition = Directive { condition: Some("n > 9000".to_owned()), num_threads, ..Directive::default() };
            assert!(fix(&facts(condition)).unwrap().contains("if(n > 9000)"));
        }
        for (number, is_reason) in [("2", false), ("n", true)] {
            let asked = Directive { num_threads: Some(number.to_owned()), ..Directive::default() };
            assert_eq!(fix(&facts(asked)).unwrap().contains(&format!("num_threads({number})")), is_reason);
        }
        let set = |name: &str, value: &str| Facts {
            settings: vec![(name.to_owned(), value.to_owned())],
            ..facts(Directive::default())
        };
        assert!(fix(&set("OMP_THREAD_LIMIT", "1")).unwrap().contains("OMP_THREAD_LIMIT=1 is set"));
        assert!(fix(&set("OMP_MAX_ACTIVE_LEVELS", "0")).unwrap().contains("OMP_MAX_ACTIVE_LEVELS=0 is set: unset it"));
        assert!(!fix(&set("OMP_MAX_ACTIVE_LEVELS", "1")).unwrap().contains("is set"));
        assert!(!fix(&set("KMP_LIBRARY", "serial")).unwrap().contains("KMP_"), "libgomp does not read that");
        let llvm = Facts { runtime_kind: RuntimeKind::Llvm, ..set("KMP_LIBRARY", "serial") };
        assert!(fix(&llvm).unwrap().contains("KMP_LIBRARY=serial is set: unset it"));
        assert!(fix(&set("OMP_DYNAMIC", "true")).unwrap().contains("OMP_DYNAMIC=true"));
        assert!(fix(&facts(Directive::default())).unwrap().contains("omp_set_num_threads"));
        for (runtime_kind, what) in [(RuntimeKind::Own, "own runtime"), (RuntimeKind::Unseen, "num_threads or if")] {
            let text = fix(&Facts { runtime_kind, ..set("OMP_THREAD_LIMIT", "1") }).unwrap();
            assert!(text.contains(what) && !text.contains("OMP_"), "{text}");
        }
    }

    #[test]
    fn regions_that_have_several_threads_at_times_are_found_by_those_that_have_one() {
        let mut some = facts(Directive { condition: Some("rows > 1000".to_owned()), ..Directive::default() });
        some.regions[0] = Region { threads: 2, ..some.regions[0].clone() };
        assert_eq!(fix(&some), None, "how often there was one thread is not known");
        some.regions[0] = Region { alone_ended: Some(10), alone_ns: Some(700_000_000), ..some.regions[0].clone() };
        let text = fix(&some).unwrap();
        assert!(text.starts_with("70.00 % of the wall time") && text.contains("if(rows > 1000)"), "{text}");
    }

    #[test]
    fn more_threads_are_no_certain_gain_beside_other_programs() {
        let idle = Facts { all_ns: 1e9, ..facts(Directive::default()) };
        assert!(!fix(&idle).unwrap().contains("other programs"));
        let busy = Facts { ready_ns: 3e8, ..idle };
        assert!(fix(&busy).unwrap().contains("more threads may be slower"));
    }

    #[test]
    fn regions_without_other_processors_or_without_much_time_are_no_finding() {
        let alone = facts(Directive::default());
        assert_eq!(fix(&Facts { processors: Some(1.0), ..alone.clone() }), None);
        assert_eq!(fix(&Facts { wall_ns: 9e9, ..alone.clone() }), None);
        let wanted = vec![("OMP_NUM_THREADS".to_owned(), "1".to_owned())];
        assert_eq!(fix(&Facts { settings: wanted, ..alone.clone() }), None);
        assert_eq!(fix(&Facts { pool_owners: 2, ..alone.clone() }), None);
        assert_eq!(fix(&Facts { wall_ns: 5e8, ..alone.clone() }), None);
        let short = Region { ended: 9000, ..alone.regions[0].clone() };
        assert_eq!(fix(&Facts { regions: vec![short], ..alone }), None);
    }
}
