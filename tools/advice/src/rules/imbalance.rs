//! Uneven shares of a region's work.

use terminal::quantity::{percent, time};

use super::schedule::{self, DYNAMIC};
use super::tasks::small_task_ns;
use crate::directive::Directive;
use crate::facts::{Facts, Region, SharedBy};
use crate::finding::{Finding, HowKnown};
use crate::runtime_kind::RuntimeKind;

/// Constructs that share work among the threads of a team.
const LOOP: &str = " (a loop, or tasks)";
/// A region's loops may be in functions that it calls: their text is not known.
const UNLESS_EQUAL: &str = " (not where `nowait` relies on equal schedules)";
/// Imbalance below which work is considered even.
const EVEN: f64 = 0.1;
/// Shares are uneven by turns if the barriers cost at least this fraction of the cost of uneven shares.
const BY_TURNS: f64 = 0.5;
/// One thread does all of the work if the work of the others is a smaller fraction of its own.
const ALONE: f64 = 0.05;
/// Number of sampling periods from which on the shares of sampled work are known.
const SAMPLED: f64 = 100.0;
/// Fraction of the threads' time without a processor from which on it is significant.
const LOAD: f64 = 0.1;
/// Hardly one task takes this many times the average.
const UNLIKELY: f64 = 1_000.0;
/// Regions inside of another one are the cause of its imbalance if they take this fraction of its longest share.
const NESTED: f64 = 0.5;
/// Shorter regions inside of another one are not worth threads of their own, which libgomp creates anew for each: 4,000 regions of 5 us
/// took 20 s with two threads in place of 0.06.
const WORTH_THREADS_NS: f64 = 5e6;
/// Fraction of the running time for which threads may sleep during work.
const SLEEPS: f64 = 0.1;
/// If a thread creates tasks for this fraction of the region, its team is considered to wait for it.
const CREATES_ALL_THE_TIME: f64 = 0.75;

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let is_uneven = |region: &&Region| region.imbalance().is_some_and(|share| share >= EVEN);
    let how_known = if facts.period_ns.is_none() { HowKnown::Measured } else { HowKnown::Estimated };
    for region in facts.shared().filter(is_uneven).filter(|region| unjudged(facts, region).is_none()) {
        let costs_ns = region.imbalance_ns as f64;
        if let Some(barriers) = barriers(facts, region) {
            found.push(barriers);
            continue;
        }
        let (id, fix) = nested(facts, region).unwrap_or_else(|| remedy(facts, region));
        let what =
            format!("{} % of the threads' time is imbalance in {}", percent(costs_ns, facts.all_ns), region.name());
        let finding = Finding::new(id, costs_ns, what, fix).at(region.place.as_ref());
        // Tasks in a chain can't be shared evenly.
        let is_chain = region.tasks > 0 && region.directive.as_ref().is_some_and(|it| it.has_depend);
        // Gains of teams that work at the same time don't add up: no more is saved than the processors were left idle.
        let saves_ns = at_most_waits(region, region.gain_ns).min(facts.unused_ns());
        found.push(finding.may_save((!is_chain).then_some(saves_ns), how_known));
    }
}

/// The remedy for a region whose costliest thread starts regions that have one thread, since they are inside of another one.
fn nested(facts: &Facts, region: &Region) -> Option<(&'static str, String)> {
    let inner = facts.regions.iter().filter(|it| it.threads == 1 && it.nested > 0 && it.nested == it.ended);
    let inner = inner.max_by_key(|it| it.total_ns)?;
    let outer = facts.shared().count();
    if outer != 1 || facts.runtime_kind == RuntimeKind::Own || (inner.total_ns as f64) < NESTED * region.max_ns as f64 {
        return None;
    }
    let is_limited = |it: &Directive| it.num_threads.is_some() || it.condition.is_some();
    if allows_nesting(facts) || inner.directive.as_ref().is_some_and(is_limited) {
        return None;
    }
    let each_ns = inner.total_ns as f64 / inner.ended.max(1) as f64;
    let fix = if each_ns < WORTH_THREADS_NS {
        format!(
            "most of its longest share is in {}, which has one thread, as regions inside of another one have, and takes {}: start it \
             outside (threads of its own each time may cost more than that)",
            inner.name(),
            time(each_ns)
        )
    } else {
        let levels = if facts.runtime_kind.reads_settings() { "OMP_MAX_ACTIVE_LEVELS=2 or " } else { "" };
        format!(
            "most of its longest share is in {}, which has one thread, as regions inside of another one have unless {levels}\
             omp_set_max_active_levels(2) allows more: allow that, or start it outside",
            inner.name()
        )
    };
    Some(("nested_alone", fix))
}

/// True if the environment lets regions inside of another one have several threads: OpenMP 5.0 and later by a list of numbers as well.
fn allows_nesting(facts: &Facts) -> bool {
    let is = |name: &str, allows: fn(&str) -> bool| facts.setting(name).is_some_and(|value| allows(value.trim()));
    is("OMP_MAX_ACTIVE_LEVELS", |value| value.parse::<u64>().is_ok_and(|levels| levels > 1))
        || is("OMP_NESTED", |value| value.eq_ignore_ascii_case("true"))
        || is("OMP_NUM_THREADS", |value| value.contains(','))
}

/// Reason why a region's imbalance may be due to chance, or is not known; `None` if it was judged.
pub(crate) fn unjudged(facts: &Facts, region: &Region) -> Option<&'static str> {
    let sampled_ns = region.ran_ns() + region.barrier_ns as f64;
    if region.shares_unknown || facts.period_ns.is_some_and(|period_ns| sampled_ns < SAMPLED * period_ns) {
        return Some("too few samples lie in the regions: profile for longer, or take more (-F)");
    }
    if is_by_load(facts, region) {
        return Some("threads lacked processors");
    }
    // Which thread executes more of the small pieces is due to chance.
    (small_task_ns(region).is_some() || region.has_small_pieces()).then_some("the pieces of work are small")
}

/// True if the shares' running times may differ because threads lacked a processor. Threads that wait for mutexes of the C library, or
/// sleep, or take tasks then run for different times; and samples of several teams that share the processors don't show which team had them.
fn is_by_load(facts: &Facts, region: &Region) -> bool {
    let sleeps = facts.asleep_ns > SLEEPS * facts.running_ns || has_even_tasks(region);
    let is_mixed = facts.period_ns.is_some() && facts.team_threads > region.threads;
    (sleeps || is_mixed) && facts.processors.is_some() && facts.ready_ns > LOAD * facts.all_ns && !is_of_one(region)
}

/// True if no task is likely to be so long that it makes the shares uneven: then threads that have processors run more of the tasks.
fn has_even_tasks(region: &Region) -> bool {
    let uneven_ns = region.gain_ns as f64 / region.ended.max(1) as f64;
    region.tasks > 0 && uneven_ns > UNLIKELY * region.shares_ns as f64 / region.tasks as f64
}

/// True if one thread does nearly all of the region's work.
fn is_of_one(region: &Region) -> bool {
    (region.shares_ns.saturating_sub(region.max_ns) as f64) < ALONE * region.max_ns as f64
}

/// Shares that are uneven by turns: over the whole region they are more even than from one barrier to the next.
fn barriers(facts: &Facts, region: &Region) -> Option<Finding> {
    if region.tasks > 0 || (region.phases_ns as f64) < BY_TURNS * region.gain_ns as f64 {
        return None;
    }
    let what = format!(
        "{} % of the threads' time is waiting for each other at barriers inside of {}, although in total the threads \
         have more even shares",
        percent(region.imbalance_ns as f64, facts.all_ns),
        region.name()
    );
    let clause = facts.runtime_kind.directives(" (nowait)");
    let has_single = region.directive.as_ref().is_some_and(|it| it.has_single);
    let clause = if has_single { " (nowait); a `single` construct ends with one" } else { clause };
    let fix = format!("remove the barriers after which no thread needs the results of others{clause}");
    let finding = Finding::new("barriers", region.imbalance_ns as f64, what, fix).at(region.place.as_ref());
    Some(finding.saves(at_most_waits(region, region.phases_ns), HowKnown::Measured))
}

/// The time that even shares would save, which is at most the time that threads have waited because of uneven ones.
fn at_most_waits(region: &Region, saves_ns: u64) -> f64 {
    saves_ns.min(region.imbalance_ns) as f64
}

fn remedy(facts: &Facts, region: &Region) -> (&'static str, String) {
    let runtime = facts.runtime_kind;
    let Region { ended, threads, .. } = *region;
    // Beside a loop, tasks need not be what takes the time.
    let tasks = if region.has_loop_without_tasks() { 0 } else { region.tasks };
    if tasks > 0 && tasks < ended.max(1).saturating_mul(threads) {
        let fix = format!(
            "it has {tasks} tasks in {ended} regions of {threads} threads: split their work into more, or share its other work more evenly"
        );
        return ("few_tasks", fix);
    }
    let directive = region.directive.clone().unwrap_or_default();
    // Tasks with dependences have to be created by one thread.
    if tasks > 0
        && !directive.has_depend
        && region.creators == Some(1)
        && region.creating_ns as f64 >= CREATES_ALL_THE_TIME * region.total_ns as f64
    {
        let fix = format!(
            "one thread creates its {tasks} tasks, and needs {} % of its time for that: let several create them{}",
            percent(region.creating_ns as f64, region.total_ns as f64),
            runtime.directives(" (taskloop, or a loop of the team around their creation)")
        );
        return ("one_creator", fix);
    }
    if tasks > 0 && directive.has_depend {
        let fix = format!(
            "its {tasks} tasks have depend clauses: where they form a chain, one thread executes them one after the other (`ora tasks` \
             shows which wait)"
        );
        return ("imbalance", fix);
    }
    if tasks > 0 {
        let fix = format!(
            "of its {tasks} tasks make the longest ones smaller, and create them first (`ora tasks` shows them), or share its \
             other work more evenly"
        );
        return ("imbalance", fix);
    }
    match region.shared_by {
        Some(SharedBy::Tasks) if !region.has_loop_without_tasks() => {
            let fix =
                "its work is tasks: make the longest ones smaller, and create them earlier (`ora tasks` shows them)";
            return ("imbalance", fix.to_owned());
        }
        Some(SharedBy::Sections) => return ("imbalance", "its work is sections: split the longest one".to_owned()),
        _ => {}
    }
    if let Some(written) = region.directive.as_ref().and_then(|directive| schedule::remedy(facts, region, directive)) {
        return ("imbalance", written);
    }
    if let Some(busy) = region.busy.filter(|busy| *busy > 1 && *busy < threads) {
        let fix = format!(
            "{busy} of its {threads} threads do nearly all of its work: share that among all{}",
            runtime.directives(LOOP)
        );
        return ("imbalance", fix);
    }
    if is_of_one(region) && !directive.has_loops {
        let single = if directive.has_single { ", as a `single` or `master` construct lets it" } else { "" };
        let fix = format!(
            "one of its {threads} threads does nearly all of its work{single}: share that among all{}",
            runtime.directives(LOOP)
        );
        return ("one_thread", fix);
    }
    let fix = match region.shared_by {
        None => "share its work more evenly (`ora profile` shows how)",
        Some(SharedBy::Phases) => "share the work before its barriers more evenly",
        Some(_) if runtime == RuntimeKind::Own => {
            "share its work out in parts of more even size, or in smaller ones while it runs"
        }
        Some(_) if directive.has_nowait => {
            "share its work out in parts of more even size (loops with `nowait` may need equal schedules)"
        }
        Some(_) if directive.has_loops => return ("imbalance", format!("where a loop shares it out, {DYNAMIC}")),
        Some(_) => return ("imbalance", format!("where a loop shares it out, {DYNAMIC}{UNLESS_EQUAL}")),
    };
    ("imbalance", fix.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(runtime_kind: RuntimeKind) -> Facts {
        Facts { runtime_kind, ..Facts::default() }
    }

    #[test]
    fn clauses_are_not_proposed_to_a_program_without_directives() {
        let region = Region { ended: 1, threads: 2, shares_ns: 100, max_ns: 100, ..Region::default() };
        let sampled = Region { shared_by: Some(SharedBy::Loop), max_ns: 70, ..region.clone() };
        for region in [region, sampled] {
            let fix = remedy(&by(RuntimeKind::Own), &region).1;
            assert!(fix != remedy(&by(RuntimeKind::Gnu), &region).1, "{fix}");
            assert!(!fix.contains("schedule(") && !fix.contains("(a loop"), "{fix}");
        }
    }

    #[test]
    fn the_constructs_of_a_region_decide_about_the_remedy() {
        let of = |directive: Directive, tasks| {
            let directive = Some(directive);
            let region =
                Region { ended: 1, threads: 2, shares_ns: 100, max_ns: 100, tasks, directive, ..Region::default() };
            remedy(&by(RuntimeKind::Gnu), &region).1
        };
        let single = Directive { has_single: true, ..Directive::default() };
        assert!(of(single.clone(), 0).contains("as a `single` or `master` construct lets it: share that"));
        assert!(of(Directive { has_loops: true, ..single.clone() }, 0).contains("share its work more evenly"));
        assert!(of(Directive { has_depend: true, ..single.clone() }, 200).contains("where they form a chain"));
        let few = of(single, 1);
        assert!(few.contains("it has 1 tasks in 1 regions") && few.contains("its other work"), "{few}");
        let beside = Directive { has_loops: true, has_loop_without_tasks: true, ..Directive::default() };
        for tasks in [1, 9_000] {
            assert!(of(beside.clone(), tasks).contains("share its work more evenly"), "{tasks} tasks beside a loop");
        }
    }

    #[test]
    fn a_schedule_is_proposed_only_to_loops_and_not_where_others_rely_on_it() {
        let of = |directive: Option<Directive>| {
            let (shared_by, busy) = (Some(SharedBy::Loop), Some(2));
            let region = Region {
                ended: 1,
                threads: 2,
                shares_ns: 170,
                max_ns: 100,
                shared_by,
                busy,
                directive,
                ..Region::default()
            };
            remedy(&by(RuntimeKind::Gnu), &region).1
        };
        assert!(of(None).starts_with("where a loop shares it out, try schedule(dynamic)"));
        assert!(of(None).ends_with("(not where `nowait` relies on equal schedules)"), "its loops may be elsewhere");
        let two = Directive { has_loops: true, has_nowait: true, has_loop_without_tasks: true, ..Directive::default() };
        assert!(!of(Some(two)).contains("schedule("));
    }

    #[test]
    fn regions_of_one_thread_inside_of_another_one_are_the_cause() {
        let outer = Region {
            ended: 1,
            threads: 2,
            shares_ns: 500_000_000,
            max_ns: 480_000_000,
            imbalance_ns: 460_000_000,
            gain_ns: 230_000_000,
            ..Region::default()
        };
        let inner = Region { ended: 9, nested: 9, threads: 1, total_ns: 470_000_000, ..Region::default() };
        let (all_ns, running_ns) = (1e9, 5e8);
        let facts = Facts {
            wall_ns: 5e8,
            all_ns,
            running_ns,
            knows_spinning: true,
            processors: Some(2.0),
            regions: vec![outer, inner],
            ..Facts::default()
        };
        let first = |facts: &Facts| {
            let mut found = Vec::new();
            look(facts, &mut found);
            found.remove(0)
        };
        assert!(first(&facts).fix.contains("OMP_MAX_ACTIVE_LEVELS=2 or omp_set_max_active_levels(2)"));
        assert_eq!(first(&facts).saves_ns, Some(2.3e8));
        assert_eq!(first(&Facts { running_ns: 9.8e8, ..facts.clone() }).saves_ns, Some(1e7), "both processors worked");
        let spun = Facts { running_ns: 9.8e8, spun_idle_ns: 1e8, spun_at_barriers_ns: 3.8e8, ..facts.clone() };
        assert_eq!(first(&spun).saves_ns, Some(2.3e8), "threads that waited spun");
        assert_eq!(first(&Facts { knows_spinning: false, idle_ns: 4.8e8, ..spun }).saves_ns, Some(2.3e8));
        for (name, value) in [("OMP_MAX_ACTIVE_LEVELS", "2"), ("OMP_NUM_THREADS", "2,1"), ("OMP_NESTED", "TRUE")] {
            let settings = vec![(name.to_owned(), value.to_owned())];
            let allowed = Facts { settings, runtime_kind: RuntimeKind::Gnu, ..facts.clone() };
            assert_ne!(first(&allowed).id, "nested_alone", "{name}={value}");
        }
        let mut many = facts.clone();
        many.regions[1] = Region { ended: 90_000, nested: 90_000, ..many.regions[1].clone() };
        let fix = first(&many).fix;
        assert!(fix.contains("takes 5.222 us: start it outside") && !fix.contains("LEVELS"), "{fix}");
        let mut limited = facts.clone();
        limited.regions[1].directive = Some(Directive { num_threads: Some("1".to_owned()), ..Directive::default() });
        assert_ne!(first(&limited).id, "nested_alone");
        let mut short = facts;
        short.regions[1].total_ns = 100_000_000;
        assert_eq!(first(&short).id, "one_thread");
    }

    #[test]
    fn shares_of_threads_that_sleep_or_share_processors_are_not_compared() {
        let region = Region { ended: 1, threads: 2, shares_ns: 90_000_000, max_ns: 60_000_000, ..Region::default() };
        let facts = Facts { processors: Some(2.0), all_ns: 6e8, ready_ns: 4e8, running_ns: 9e7, ..Facts::default() };
        assert!(!is_by_load(&facts, &region));
        let sleeps = Facts { asleep_ns: 5e7, ..facts.clone() };
        assert!(is_by_load(&sleeps, &region));
        let tasks = |tasks| Region { tasks, gain_ns: 15_000_000, ..region.clone() };
        assert!(is_by_load(&facts, &tasks(90_000)), "its threads took tasks of 1 us");
        assert!(!is_by_load(&facts, &tasks(90)), "one of them may be long");
        assert!(!is_by_load(&Facts { ready_ns: 1e7, ..sleeps.clone() }, &region), "nobody was without a processor");
        assert!(!is_by_load(&sleeps, &Region { max_ns: 90_000_000, ..region.clone() }), "one thread does all of it");
        let teams = Facts { period_ns: Some(1e7), team_threads: 24, ..facts };
        assert!(is_by_load(&teams, &region));
    }

    #[test]
    fn shares_by_a_few_samples_are_chance() {
        let region = |scale: u64| Region {
            ended: 1,
            threads: 4,
            shares_ns: 10_000_000 * scale,
            imbalance_ns: 10_000_000 * scale,
            barrier_ns: 10_000_000 * scale,
            ..Region::default()
        };
        let ids = |scale| {
            let mut found = Vec::new();
            let facts = Facts { period_ns: Some(10e6), regions: vec![region(scale)], ..Facts::default() };
            look(&facts, &mut found);
            found.len()
        };
        assert_eq!((ids(12), ids(60)), (0, 1), "24 samples, and 120");
    }
}
