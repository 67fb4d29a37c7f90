//! Threads that are ready to run and don't have a processor.

use terminal::quantity::{count, percent, time};

use super::fewer_threads::{Fewer, fewer};
use super::small_regions;
use super::wake_ups::wake_ups_ns;
use super::without_processor::{self, MIN_SHARE};
use crate::facts::{Facts, Region, Together};
use crate::finding::Finding;

/// Identifier of the finding about several processes that compete for the same processors.
pub const PROCESSES: &str = "processes";

/// Minimum fraction of the threads' time spent without a processor that is reported.
const MIN_READY_SHARE: f64 = 0.01;
/// Minimum fraction of the time on processors spent spinning that is a finding.
const SPUN: f64 = 0.2;
/// Without other programs, threads of a team that is too large are ready for at most this many times as long as the
/// team's size explains.
const ALONE: f64 = 1.3;

/// Setting that lets threads sleep while they wait.
const PASSIVE: &str = "OMP_WAIT_POLICY=passive";

/// So many times as many threads as processors are too many, also of several teams.
const MANY: f64 = 2.0;
/// Fewer threads of several teams are too many if, on average, this many times as many are in regions as there are processors.
const CROWD: f64 = 1.1;

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let Some(processors) = facts.processors else { return };
    if let Some(together) = facts.together.filter(|it| it.threads > it.processors && without_processor::is_much(facts))
    {
        found.push(processes(facts, together).first());
        return;
    }
    if facts.team_threads as f64 > processors.ceil() && is_crowd(facts, processors) {
        if facts.ready_ns >= facts.all_ns * MIN_READY_SHARE {
            found.push(crowded(facts, processors).first());
        }
        return;
    }
    if !without_processor::is_much(facts) {
        return;
    }
    let (load, ready) = (format!("While {} used the processors as well", others(facts)), ready(facts));
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
    found.push(busy(facts).first());
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

fn ready(facts: &Facts) -> String {
    let share = percent(facts.ready_ns, facts.all_ns);
    format!("ready without a processor for {}, {share} % of their time", time(facts.ready_ns))
}

/// True if the program's threads outside of OpenMP have used processors for much of the time for which others lacked them.
fn is_own_load(facts: &Facts) -> bool {
    facts.outside_ns * 2.0 >= facts.ready_ns
}

/// Other users of the processors: threads had to wait although there are enough processors for the team.
fn others(facts: &Facts) -> &'static str {
    if is_own_load(facts) { "the program's threads outside of OpenMP" } else { "other programs" }
}

/// Threads that lacked processors for no reason that OpenMP is involved in.
fn busy(facts: &Facts) -> Finding {
    let (by, fix) = if is_own_load(facts) {
        (others(facts), "these need processors as well")
    } else {
        ("other programs, or threads outside of OpenMP,", "measure again when the machine is idle")
    };
    let what = format!(
        "Threads were ready without a processor for {}, {} % of their time, since {by} used the processors",
        time(facts.ready_ns),
        percent(facts.ready_ns, facts.all_ns)
    );
    Finding::new("busy_machine", facts.ready_ns, what, fix)
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

/// Several processes that share the processors.
fn processes(facts: &Facts, Together { processes, threads, processors }: Together) -> Finding {
    let allowed = count(processors, "processor", "processors");
    let what =
        format!("{processes} processes with {threads} OpenMP threads for {allowed}: threads were {}", ready(facts));
    let each = (processors / processes.max(1)).max(1);
    let spun_ns = facts.spun_idle_ns + facts.spun_at_barriers_ns;
    let sleep = if facts.threads_sleep() || spun_ns <= wake_ups_ns(facts) {
        String::new()
    } else {
        format!(", or let threads that wait sleep {}", facts.runtime_kind.by(PASSIVE))
    };
    let fewer = if facts.runtime_kind.reads_settings() {
        format!("fewer threads (OMP_NUM_THREADS={each})")
    } else {
        format!("fewer threads ({each})")
    };
    let fix = format!("give each process {fewer}{sleep}{}", facts.runtime_kind.measure());
    Finding::new(PROCESSES, facts.ready_ns, what, fix)
}

fn crowded(facts: &Facts, processors: f64) -> Finding {
    let ready = ready(facts);
    let allowed = if processors == 1.0 { "1 processor".to_owned() } else { format!("{processors} processors") };
    let what = format!("{} OpenMP threads for {allowed}", facts.team_threads);
    if facts.runtimes.len() > 1 && facts.team() as f64 <= processors.ceil() {
        let runtimes = count(facts.runtimes.len() as u64, "runtime", "runtimes");
        let what = format!("{what}, of {runtimes} with a pool each ({})", facts.runtimes.join(", "));
        let fix = format!(
            "threads were {ready}. Use one runtime, or let threads that wait sleep {}{}",
            facts.runtime_kind.by(PASSIVE),
            facts.runtime_kind.measure()
        );
        return Finding::new("two_runtimes", facts.ready_ns, what, fix);
    }
    if let Some(value) = bound_together(facts) {
        let fix = format!(
            "threads were {ready}. OMP_PROC_BIND={value} binds each of the {} threads that begin regions to the first place: unset \
             it, or bind them apart{}",
            facts.pool_owners,
            facts.runtime_kind.measure()
        );
        return Finding::new("crowded", facts.ready_ns, what, fix);
    }
    let Fewer { setting, why } = fewer(facts, processors);
    let others = others(facts);
    // Threads of a team that fits the processors spin for longer, which takes more processor time from other threads.
    let fix = match (is_alone(facts, processors), facts.runtime_kind.reads_settings()) {
        (true, _) => {
            let measure = facts.runtime_kind.measure();
            format!("threads were {ready}. Try {setting}, or allow it as many processors{measure}{why}")
        }
        (false, true) => format!(
            "threads were {ready}, while {others} used the processors as well. `ora tune` measures whether fewer threads \
             ({setting}) or sleeping ones ({PASSIVE}) are faster beside these{why}"
        ),
        (false, false) => format!(
            "threads were {ready}, while {others} used the processors as well. Try {setting}, or let threads that wait sleep"
        ),
    };
    Finding::new("crowded", facts.ready_ns, what, fix)
}

/// The value of `OMP_PROC_BIND` with which libgomp binds all threads that the program has created itself to one place
/// when they start regions.
fn bound_together(facts: &Facts) -> Option<&str> {
    let is_libgomp = facts.runtimes.iter().all(|name| name.contains("libgomp"));
    let value = facts.setting("OMP_PROC_BIND").filter(|value| !value.eq_ignore_ascii_case("false"));
    value.filter(|_| is_libgomp && facts.pool_owners > 1)
}

/// True if the team's size alone explains for how long threads lacked a processor.
fn is_alone(facts: &Facts, processors: f64) -> bool {
    let threads = facts.team_threads as f64;
    facts.ready_ns <= ALONE * facts.running_ns * (threads - processors).max(0.0) / processors.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let bound = Facts { settings, pool_owners: 2, runtimes: vec!["/usr/lib/libgomp.so.1".into()], ..facts() };
        let fix = |facts: &Facts| crowded(facts, 2.0).fix;
        assert!(fix(&bound).contains("binds each of the 2 threads"), "{}", fix(&bound));
        for other in [Facts { pool_owners: 1, ..bound.clone() }, Facts { runtimes: vec!["libomp.so".into()], ..bound }]
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
    }

    #[test]
    fn the_setting_that_helps_is_named() {
        let fix = |facts: &Facts| first(facts).unwrap().1;
        assert!(fix(&facts()).contains("each of the several threads that have a team"));
        let nested = vec![Region { threads: 2, nested: 7, ..Region::default() }];
        assert!(fix(&Facts { regions: nested, ..facts() }).contains("Try OMP_THREAD_LIMIT=2, since regions inside"));
        let regions = vec![Region { threads: 3, ..Region::default() }];
        let large = Facts { regions, ..facts() };
        assert!(fix(&large).contains("OMP_NUM_THREADS has no effect"));
        assert!(fix(&Facts { online: Some(8), ..large.clone() }).contains("Try OMP_NUM_THREADS=2, or"));
        let asked = vec![("OMP_NUM_THREADS".to_owned(), "3,2".to_owned())];
        assert!(fix(&Facts { settings: asked, ..large }).contains("Try OMP_NUM_THREADS=2, or allow"));
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
        assert!(text.ends_with(": measure again when the machine is idle."), "{text}");
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
        let few = Together { threads: 2, ..six };
        assert_eq!(first(&Facts { together: Some(few), ..beside_others(600) }).unwrap().0, "spinning");
    }
}
