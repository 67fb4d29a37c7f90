//! Threads that are ready to run and don't have a processor.

use terminal::quantity::{percent, time};

use super::crowded::{are_pools, bound_together, crowded};
use super::processes;
use super::small_regions;
use super::wake_ups::wake_ups_ns;
use super::without_processor::{self, MIN_SHARE, PASSIVE, is_own_load, others, ready};
use crate::facts::{Facts, Region};
use crate::finding::Finding;

/// Minimum fraction of the threads' time spent without a processor that is reported.
const MIN_READY_SHARE: f64 = 0.01;
/// Minimum fraction of the time on processors spent spinning that is a finding.
const SPUN: f64 = 0.2;
/// A program whose threads use less than this fraction of the processors that they could use may be bound to some of them.
const NARROW: f64 = 0.6;

/// So many times as many threads as processors are too many, also of several teams.
const MANY: f64 = 2.0;
/// Fewer threads of several teams are too many if, on average, this many times as many are in regions as there are processors.
const CROWD: f64 = 1.1;

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let Some(processors) = facts.processors else { return };
    if let Some(together) = facts.together.filter(|it| it.threads > it.processors && without_processor::is_much(facts))
    {
        found.push(processes::finding(facts, together).first());
        return;
    }
    if outnumber(facts, processors) && (is_crowd(facts, processors) || pools_displace(facts, processors)) {
        if facts.ready_ns >= facts.all_ns * MIN_READY_SHARE {
            found.push(crowded(facts, processors).first());
        }
        return;
    }
    if !without_processor::is_much(facts) {
        return;
    }
    let load = if outnumber(facts, processors) && !is_own_load(facts) {
        format!("While the program's own {} threads, or other programs, used the processors", facts.team_threads)
    } else {
        format!("While {} used the processors as well", others(facts))
    };
    let ready = ready(facts);
    // Threads that wait for each other in each of many tiny regions lose a turn on the processor each time.
    if let Some(small) = small_regions::finding(facts).filter(|_| small_regions::are_tiny(facts)) {
        let what = format!("{}. {load}, threads were {ready}", small.what);
        found.push(Finding { what, costs_ns: small.costs_ns.max(facts.ready_ns), ..small }.first());
        return;
    }
    if let Some(spinning) = spinning(facts, &load, &ready) {
        found.push(spinning.first());
        return;
    }
    found.push(busy(facts, processors).first());
}

/// True if more threads are in regions at the same time than there are processors. Several teams that fit the processors, each, may work
/// in turns, or have idle threads.
fn is_crowd(facts: &Facts, processors: f64) -> bool {
    let fits = |region: &Region| region.threads as f64 <= processors.ceil() && region.nested == 0;
    let in_regions_ns = facts.regions.iter().map(|region| region.total_ns as f64 * region.threads as f64).sum::<f64>();
    let are_many = facts.team_threads as f64 > MANY * processors;
    let are_together = in_regions_ns / facts.wall_ns.max(1.0) > CROWD * processors;
    !facts.regions.iter().all(fits) || are_many || are_together || bound_together(facts).is_some()
}

/// True if there are more OpenMP threads than processors.
fn outnumber(facts: &Facts, processors: f64) -> bool {
    facts.team_threads as f64 > processors.ceil()
}

/// True if a runtime's idle threads spin for much of the time, and so displace those of another one, also if their teams work in turns.
fn pools_displace(facts: &Facts, processors: f64) -> bool {
    are_pools(facts, processors)
        && !facts.threads_sleep()
        && without_processor::is_much(facts)
        && facts.spun_idle_ns >= facts.running_ns * SPUN
}

/// Threads that lacked processors for a reason that isn't known exactly.
fn busy(facts: &Facts, processors: f64) -> Finding {
    let own = (facts.team_threads as f64).max(facts.threads().round());
    let (by, fix) = if is_own_load(facts) {
        (others(facts).to_owned(), "these need processors as well")
    } else if own > processors.ceil() {
        (
            format!("the program's own {own} threads, or other programs,"),
            "use no more threads than processors, and measure again when the machine is idle",
        )
    } else {
        ("other programs, or threads outside of OpenMP,".to_owned(), "measure again when the machine is idle")
    };
    // Threads that are bound to the same processors don't use the others.
    let may_be_bound = !is_own_load(facts) && facts.running_ns < NARROW * processors.min(own) * facts.wall_ns;
    let (or_bound, masks) = if may_be_bound {
        (", or threads are bound to the same ones", "; `taskset -ap PID` shows whether threads are bound")
    } else {
        ("", "")
    };
    let what = format!(
        "Threads were ready without a processor for {}, {} % of their time, since {by} used the processors{or_bound}",
        time(facts.ready_ns),
        percent(facts.ready_ns, facts.all_ns)
    );
    Finding::new("busy_machine", facts.ready_ns, what, format!("{fix}{masks}"))
}

/// Threads that spin while a peer lacks a processor. `None` if they don't, or if sleeping would cost about as much.
fn spinning(facts: &Facts, load: &str, ready: &str) -> Option<Finding> {
    let spun_ns = facts.spun_idle_ns + facts.spun_at_barriers_ns;
    // A spinning thread displaces at most one other thread.
    let displaced_ns = spun_ns.min(facts.ready_ns);
    let wake_ups_ns = wake_ups_ns(facts);
    let is_little = displaced_ns < crate::LONG_NS.max(facts.wall_ns * MIN_SHARE);
    if facts.threads_sleep() || is_little || spun_ns < facts.running_ns * SPUN || displaced_ns <= wake_ups_ns {
        return None;
    }
    let what =
        format!("{load}, threads were {ready}, and threads that waited spun for {} on processors", time(spun_ns));
    let fix = format!(
        "let them sleep {}. On an idle machine sleeping would cost up to {} of the wall time{}",
        facts.runtime_kind.by(PASSIVE),
        time(wake_ups_ns),
        facts.runtime_kind.measure()
    );
    Some(Finding::new("spinning", displaced_ns, what, fix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::facts::Together;
    use crate::runtime_kind::RuntimeKind;

    /// Three threads on two processors, in teams of two.
    fn facts() -> Facts {
        Facts {
            wall_ns: 1e9,
            all_ns: 3e9,
            running_ns: 2e9,
            ready_ns: 1e9,
            turns: Some(1000.0),
            team_threads: 3,
            processors: Some(2.0),
            online: Some(2),
            regions: vec![Region { threads: 2, total_ns: 1_500_000_000, ..Region::default() }],
            ..Facts::default()
        }
    }

    /// Two threads whose processors are taken by others, in this number of regions.
    fn beside_others(regions: u64) -> Facts {
        let region =
            Region { threads: 2, ended: regions, total_ns: 900_000_000, shares_ns: 800_000_000, ..Region::default() };
        Facts {
            all_ns: 2e9,
            running_ns: 1e9,
            spun_idle_ns: 1e8,
            spun_at_barriers_ns: 1e8,
            team_threads: 2,
            regions: vec![region],
            ..facts()
        }
    }

    fn first(facts: &Facts) -> Option<(&'static str, String)> {
        let mut found = Vec::new();
        look(facts, &mut found);
        found.pop().map(|finding| (finding.id, finding.text(facts.wall_ns)))
    }

    #[test]
    fn threads_that_are_bound_to_one_place_are_told_so() {
        let settings = vec![("OMP_PROC_BIND".to_owned(), "true".to_owned())];
        let bound = Facts { settings, owners_at_once: 2, runtimes: vec!["/usr/lib/libgomp.so.1".into()], ..facts() };
        let fix = |facts: &Facts| crowded(facts, 2.0).fix;
        assert!(fix(&bound).contains("first place, 2 threads here"), "{}", fix(&bound));
        for other in
            [Facts { owners_at_once: 1, ..bound.clone() }, Facts { runtimes: vec!["libomp.so".into()], ..bound }]
        {
            assert!(!fix(&other).contains("OMP_PROC_BIND"), "{}", fix(&other));
        }
    }

    #[test]
    fn several_teams_that_work_in_turns_are_no_crowd() {
        assert_eq!(first(&facts()).unwrap().0, "crowded");
        let team = |threads, total_ns| vec![Region { threads, total_ns, ..Region::default() }];
        let in_turns = Facts { regions: team(2, 900_000_000), ..facts() };
        assert_ne!(first(&in_turns).map(|(id, _)| id), Some("crowded"));
        let large = Facts { regions: team(3, 1_000), ..facts() };
        assert_eq!(first(&large).unwrap().0, "crowded", "its regions may be crowded");
        assert_eq!(first(&Facts { team_threads: 5, ..in_turns }).unwrap().0, "crowded");
    }

    #[test]
    fn pools_of_two_runtimes_are_one_pool_too_many() {
        let two = Facts { runtimes: vec!["libgomp.so.1".into(), "libomp.so.5".into()], ..facts() };
        let (id, text) = first(&two).unwrap();
        assert!(id == "two_runtimes" && text.contains("Use one runtime") && text.contains("`ora tune`"), "{id} {text}");
        assert_eq!(first(&facts()).unwrap().0, "crowded");
        // Their teams work in turns, while the other one's idle thread spins.
        let in_turns = vec![Region { threads: 2, total_ns: 900_000_000, ..Region::default() }];
        let spins = Facts { regions: in_turns, spun_idle_ns: 6e8, ..two.clone() };
        assert_eq!(first(&spins).unwrap().0, "two_runtimes");
        assert_ne!(first(&Facts { spun_idle_ns: 3e8, ..spins.clone() }).unwrap().0, "two_runtimes", "too little");
        let settings = vec![("OMP_WAIT_POLICY".to_owned(), "passive".to_owned())];
        for asleep in [Facts { settings: settings.clone(), ..two }, Facts { settings, ..spins }] {
            let (_, text) = first(&asleep).unwrap();
            assert!(!text.contains("sleep"), "they do: {text}");
        }
    }

    #[test]
    fn other_programs_are_not_named_alone_where_the_own_threads_outnumber_the_processors() {
        let pools = Facts { team_threads: 4, all_ns: 4e9, ..beside_others(5000) };
        let (id, text) = first(&pools).unwrap();
        assert!(id == "busy_machine" && text.contains("the program's own 4 threads, or other programs"), "{text}");
        let spins = Facts { team_threads: 4, ..beside_others(600) };
        let (id, text) = first(&spins).unwrap();
        assert!(
            id == "spinning" && text.starts_with("While the program's own 4 threads, or other programs, used"),
            "{text}"
        );
        // A runtime that was not seen: no region is known.
        let unseen = Facts { team_threads: 0, all_ns: 8e9, regions: Vec::new(), ..facts() };
        let text = first(&unseen).unwrap().1;
        assert!(text.contains("the program's own 8 threads, or other programs"), "{text}");
    }

    #[test]
    fn the_setting_that_helps_is_named() {
        let fix = |facts: &Facts| first(facts).unwrap().1;
        assert!(fix(&facts()).contains("Try smaller teams, of all threads that start"));
        let nested = vec![Region { threads: 2, nested: 7, ..Region::default() }];
        assert!(fix(&Facts { regions: nested, ..facts() }).contains("Try OMP_THREAD_LIMIT=2, since regions inside"));
        let regions = vec![Region { threads: 3, ..Region::default() }];
        let large = Facts { regions, ..facts() };
        assert!(fix(&large).contains("OMP_NUM_THREADS has no effect"));
        assert!(fix(&Facts { online: Some(8), ..large.clone() }).contains("Try OMP_NUM_THREADS=2, or"));
        let asked = vec![("OMP_NUM_THREADS".to_owned(), "3,2".to_owned())];
        assert!(fix(&Facts { settings: asked, ..large }).contains("Try OMP_NUM_THREADS=2, or"));
    }

    #[test]
    fn no_variable_is_proposed_to_a_runtime_that_need_not_read_it() {
        let large = Facts { regions: vec![Region { threads: 3, ..Region::default() }], ..facts() };
        let six = Together { processes: 6, threads: 12, processors: 2 };
        let beside = Facts { running_ns: 0.5e9, ready_ns: 2e9, team_threads: 4, all_ns: 4e9, ..facts() };
        let two = Facts { runtimes: vec!["libpool.so".into(), "libgomp.so.1".into()], ..facts() };
        let together = Facts { together: Some(six), ..beside_others(30) };
        let tiny = Facts {
            regions: vec![Region { shares_ns: 24_000 * 1_200, ..beside_others(24_000).regions[0].clone() }],
            ..beside_others(1)
        };
        for facts in [facts(), large, beside, two, together, beside_others(600), tiny] {
            let known = first(&facts).unwrap().1;
            for runtime_kind in [RuntimeKind::Own, RuntimeKind::Unseen] {
                let (_, text) = first(&Facts { runtime_kind, ..facts.clone() }).unwrap();
                assert!(!text.contains("OMP_") && !text.contains("`ora tune`"), "{text}");
                assert!(known != text, "{text}");
            }
        }
        let asleep = vec![("GOMP_SPINCOUNT".to_owned(), "0".to_owned())];
        let llvm = Facts { settings: asleep, runtime_kind: RuntimeKind::Llvm, ..beside_others(600) };
        assert_eq!(first(&llvm).unwrap().0, "spinning", "it does not read that");
    }

    #[test]
    fn fewer_threads_are_to_be_measured_where_other_programs_use_the_processors() {
        let alone = first(&facts()).unwrap().1;
        assert!(alone.contains("`ora tune`") && !alone.contains("other programs"), "{alone}");
        // Two threads out of four that run for half of the time: others had the processors.
        let crowded = Facts { running_ns: 0.5e9, ready_ns: 2e9, team_threads: 4, all_ns: 4e9, ..facts() };
        let text = first(&crowded).unwrap().1;
        assert!(
            text.contains("other programs used the processors as well. `ora tune`") && !text.contains("Try"),
            "{text}"
        );
        assert_eq!(first(&Facts { ready_ns: 1e7, ..facts() }), None, "they seldom wanted one");
        let own = first(&Facts { outside_ns: 1.5e9, ..crowded }).unwrap().1;
        assert!(
            own.contains("while the program's threads outside of OpenMP used") && !own.contains("programs"),
            "{own}"
        );
    }

    #[test]
    fn short_turns_without_a_processor_are_no_load() {
        let two = Facts { spun_idle_ns: 0.0, spun_at_barriers_ns: 0.0, ..beside_others(10) };
        let (id, text) = first(&two).unwrap();
        assert_eq!(id, "busy_machine");
        assert!(
            text.starts_with("Threads were ready without a processor for 1.000 s, 50.00 % of their time"),
            "{text}"
        );
        assert!(
            text.contains("or threads are bound to the same ones: measure again when the machine is idle;"),
            "{text}"
        );
        assert!(text.ends_with("`taskset -ap PID` shows whether threads are bound."), "{text}");
        let wide = first(&Facts { running_ns: 1.4e9, ..two.clone() }).unwrap().1;
        assert!(wide.ends_with(": measure again when the machine is idle."), "{wide}");
        let own = first(&Facts { outside_ns: 9e8, ..two.clone() }).unwrap().1;
        assert!(own.contains("since the program's threads outside of OpenMP used") && !own.contains("idle"), "{own}");
        assert_eq!(first(&Facts { turns: Some(1e6), ..two }), None);
    }

    #[test]
    fn threads_are_to_sleep_only_if_they_displace_others_for_longer_than_waking_them_takes() {
        // 200 ms of spinning; 600 regions of two threads need 30 ms for waking up.
        let (id, text) = first(&beside_others(600)).unwrap();
        assert_eq!(id, "spinning");
        assert!(text.starts_with("While other programs used the processors as well"), "{text}");
        assert!(
            text.contains("passive")
                && text.contains("sleeping would cost up to 30.000 ms")
                && text.contains("`ora tune`"),
            "{text}"
        );
        assert_eq!(first(&beside_others(5000)).unwrap().0, "busy_machine", "250 ms to wake them up");
        let asleep = vec![("OMP_WAIT_POLICY".to_owned(), "PASSIVE".to_owned())];
        assert_eq!(first(&Facts { settings: asleep, ..beside_others(600) }).unwrap().0, "busy_machine");
        assert_eq!(first(&Facts { ready_ns: 1e7, ..beside_others(600) }), None, "nobody is displaced");
        let own = Facts { outside_ns: 9e8, ..beside_others(600) };
        assert!(first(&own).unwrap().1.starts_with("While the program's threads outside of OpenMP"));
    }

    #[test]
    fn small_regions_are_the_cause_also_where_other_programs_use_the_processors() {
        let mut tiny = beside_others(24_000);
        tiny.regions[0].shares_ns = 24_000 * 1_200;
        let (id, text) = first(&tiny).unwrap();
        assert!(id == "small_regions" && !text.contains("passive"), "{text}");
        assert!(text.contains("24000 regions") && text.contains("other programs used the processors"), "{text}");
        assert!(text.contains("let one thread execute them"), "{text}");
    }

    #[test]
    fn larger_regions_are_no_reason_for_one_thread_where_others_use_the_processors() {
        // 33 us of two threads: on an otherwise idle machine, one thread takes twice as long.
        let mut small = beside_others(600);
        small.regions[0].shares_ns = 600 * 33_000;
        let found = crate::findings(&small);
        let ids: Vec<_> = found.iter().map(|finding| finding.id).collect();
        assert_eq!(ids, ["spinning", "small_regions"]);
        assert!(found[1].fix.starts_with("join them;") && !found[1].fix.contains("one thread"), "{found:?}");
    }

    #[test]
    fn processes_that_share_the_processors_are_counted() {
        let six = Together { processes: 6, threads: 12, processors: 2 };
        let (id, text) = first(&Facts { together: Some(six), ..beside_others(30) }).unwrap();
        assert!(id == "processes" && text.starts_with("6 processes with 12 OpenMP threads for 2 processors"), "{text}");
        assert!(
            text.contains("OMP_NUM_THREADS=1") && text.contains("passive") && text.contains("`ora tune`"),
            "{text}"
        );
        let own = |number: &str| Directive { num_threads: Some(number.to_owned()), ..Directive::default() };
        let mut written = Facts { together: Some(six), ..beside_others(30) };
        written.regions[0].directive = Some(own("2"));
        let text = first(&written).unwrap().1;
        assert!(text.contains("fewer threads (OMP_THREAD_LIMIT=1, or a smaller number in the clause"), "{text}");
        let mut alone = Facts { together: Some(Together { threads: 6, ..six }), team_threads: 1, ..beside_others(30) };
        (alone.regions[0].threads, alone.spun_idle_ns, alone.spun_at_barriers_ns) = (1, 0.0, 0.0);
        let text = first(&alone).unwrap().1;
        assert!(text.ends_with(": start fewer processes at a time."), "{text}");
        let few = Together { threads: 2, ..six };
        assert_eq!(first(&Facts { together: Some(few), ..beside_others(600) }).unwrap().0, "spinning");
    }
}
