//! Advice: changes of the program that the samples support.

use std::collections::BTreeSet;

use crate::describe;
use crate::metrics::{Amount, Imbalance, RegionSums, WaitPlace, is_busy, ready};
use crate::names::ConstructKind;
use crate::profile::Point;
use crate::quantity::{count, percent, time};
use crate::report::Report;
use crate::state::State;

/// Least part of all the threads' time that a finding must concern.
const WORTH: f64 = 0.03;
/// Least number of samples for any advice.
const SAMPLES: u64 = 50;
/// Part of their work that threads may be ready without a processor. Beyond it there are too many threads, or other
/// processes.
const CROWDED: f64 = 0.1;
/// Least part of work asleep that is worth a line.
const ASLEEP: f64 = 0.2;
/// Imbalance below which work counts as even.
const EVEN: f64 = 0.1;
/// A region whose threads run for less time, all together, does not pay for its fork and join.
const SMALL_NS: u64 = 50_000;
/// Part of the running time inside of the runtime from which chunks or tasks count as too small.
const HANDLING: f64 = 0.25;

/// A finding with a recommendation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Identifier for programs; `report-json.md` lists them.
    pub kind: &'static str,
    /// Text for people, one line.
    pub text: String,
    /// Time of the threads that it concerns, in nanoseconds.
    pub ns: u64,
}

/// All findings, the most important one first.
pub(crate) fn advice(report: &Report<'_>) -> Vec<Advice> {
    let total = report.sums.total;
    if total.samples < SAMPLES {
        return Vec::new();
    }
    let mut found = Vec::new();
    let crowded = processors(report);
    imbalance(report, &mut found);
    idle(report, &mut found);
    // Without a processor for the workers, the primary thread's wait for them is none of the runtime's work.
    waits(report, crowded.is_some(), &mut found);
    tasks(report, &mut found);
    asleep(report, &mut found);
    found.retain(|advice| advice.ns as f64 >= WORTH * total.total_ns() as f64);
    found.sort_by_key(|advice| std::cmp::Reverse(advice.ns));
    // Every other wait is longer for it.
    crowded.into_iter().chain(found).collect()
}

fn of(part: u64, whole: u64) -> String {
    let share = percent(part as f64, whole as f64);
    format!("{} %", share.split('.').next().unwrap_or_default())
}

fn imbalance(report: &Report<'_>, found: &mut Vec<Advice>) {
    let begun: u64 = report.profile.processes.iter().map(|process| process.last_region).sum();
    let each_ns = running_in_regions_ns(report) / begun.max(1);
    if each_ns < SMALL_NS {
        small(report, each_ns, found);
        return;
    }
    let tasks = with_tasks(report);
    for region in &report.regions {
        let certain = |imbalance: &Imbalance| imbalance.certain && imbalance.share >= EVEN;
        let Some(imbalance) = region.imbalance().filter(certain) else { continue };
        // Of regions that samples seldom meet twice it is not known how short they are.
        let met = region.exclusive.samples / imbalance.instances.max(1);
        if met < 2 && region.exclusive.work_ns / begun.max(1) < SMALL_NS {
            continue;
        }
        // With so many small pieces, the distribution over threads is chance.
        if !tasks.contains(&region.construct) && handling(region) > HANDLING {
            continue;
        }
        let remedy = remedy(report, region, &imbalance, tasks.contains(&region.construct));
        let text = format!(
            "{} of the wait is imbalance in {}: {remedy}",
            of(imbalance.wait_ns, report.sums.total.wait_ns),
            describe::the_region(&report.profile.code, region.construct),
        );
        found.push(Advice { kind: "imbalance", text, ns: imbalance.wait_ns });
    }
}

/// Time that threads run in regions, without waits that spin.
fn running_in_regions_ns(report: &Report<'_>) -> u64 {
    let points = report.profile.samples.iter().filter(|point| is_busy(point.state) || handles_task(point.state));
    let inside = points.filter(|point| report.profile.constructs(point.nest).next().is_some());
    inside.map(|point| point.cpu_ns.min(point.wall_ns)).sum()
}

fn handles_task(state: State) -> bool {
    state.is_task() && state != State::TASK_SUSPEND
}

/// Part of a region's time inside of the runtime, of the time that is no wait for another thread.
fn handling(region: &RegionSums) -> f64 {
    let of_runtime = |state: &State| matches!(*state, State::RUNTIME | State::OVERHEAD) || handles_task(*state);
    let inside: u64 =
        region.states.iter().filter(|(state, _)| of_runtime(state)).map(|(_, amount)| amount.total_ns()).sum();
    inside as f64 / (inside + region.exclusive.work_ns).max(1) as f64
}

/// The constructs in which tasks are executed.
fn with_tasks(report: &Report<'_>) -> BTreeSet<u32> {
    let profile = report.profile;
    let in_task = |number: u32| {
        let construct = profile.code.frame(number).and_then(|(frame, _)| frame.construct.as_ref());
        construct.is_some_and(|construct| construct.kind == ConstructKind::Task)
    };
    let of_task: Vec<bool> =
        (0..).zip(&profile.contexts).map(|(context, _)| profile.frames(context).any(in_task)).collect();
    let task = |point: &&Point| point.state.is_task() || of_task.get(point.context as usize).is_some_and(|task| *task);
    profile.samples.iter().filter(task).filter_map(|point| profile.constructs(point.nest).next()).collect()
}

/// Recommendation for a region with uneven shares, by the kind of work that is shared.
fn remedy(report: &Report<'_>, region: &RegionSums, imbalance: &Imbalance, tasks: bool) -> String {
    if tasks && handling(region) > HANDLING {
        return "its work is tasks that are small beside what it takes to handle them: make them larger (`ora tasks` says how large)"
            .to_owned();
    }
    if tasks {
        return "its work is tasks: make the longest ones smaller, and create them earlier (`ora tasks` shows them)"
            .to_owned();
    }
    if report.profile.sections.contains(&region.construct) {
        return "its work is sections: split the longest one".to_owned();
    }
    if imbalance.busy < imbalance.team {
        return format!(
            "{} of {} threads have nearly all of its work: share that among all (a loop, or tasks)",
            imbalance.busy, imbalance.team
        );
    }
    // A wait inside of the body may be for a `single` as well as for a loop.
    let place = WaitPlace::Region(region.construct);
    let barriers = report.causes.iter().filter(|cause| cause.state == State::IMPLICIT_BARRIER);
    let at_end: u64 = barriers
        .flat_map(|cause| &cause.places)
        .filter(|(at, _)| *at == place)
        .map(|(_, amount)| amount.total_ns())
        .sum();
    if at_end.saturating_mul(2) >= region.barriers().total_ns() {
        "try schedule(dynamic), or parts of more even size".to_owned()
    } else {
        "share the work before its barriers more evenly".to_owned()
    }
}

/// Finds small regions, which have nothing to share: waits at their ends are the cost of a region.
fn small(report: &Report<'_>, each_ns: u64, found: &mut Vec<Advice>) {
    let ns = report.regions.iter().map(|region| region.barriers().total_ns()).sum();
    let text = format!(
        "{} of the wait is at barriers of regions that take {} of the threads' time each, or less: join them, or use fewer threads",
        of(ns, report.sums.total.wait_ns),
        time(each_ns as f64),
    );
    found.push(Advice { kind: "small_regions", text, ns });
}

fn idle(report: &Report<'_>, found: &mut Vec<Advice>) {
    let states = report.sums.states();
    let spent = |state| states.get(&state).map_or(0, Amount::total_ns);
    let asleep: u64 = report.profile.samples.iter().filter(|point| point.asleep).map(|point| point.wall_ns).sum();
    let (idle, serial) = (spent(State::IDLE), spent(State::SERIAL).saturating_sub(asleep));
    if serial == 0 {
        return;
    }
    let function = report.functions.iter().find_map(|one| {
        // Mostly outside of regions, where it is at all.
        let function = report.profile.code.function(one.what).filter(|function| !function.is_pseudo())?;
        let serial_ns = report.sums.serial.get(&one.what).map_or(0, Amount::total_ns);
        (serial_ns * 2 > serial).then(|| format!(", most of them in {}", function.name))
    });
    // Each moment of it makes all other threads idle, but no more than there are.
    let spans = report.profile.processes.iter().map(|process| process.ended_ns.saturating_sub(process.begun_ns));
    let threads = report.sums.total.total_ns() as f64 / spans.sum::<u64>().max(1) as f64;
    let idle = idle.min(whole(serial as f64 * (threads - 1.0).max(0.0)));
    let text = format!(
        "{} of the time workers idle while {} s are spent in code outside of parallel regions{}: make that parallel, too",
        of(idle, report.sums.total.total_ns()),
        seconds(serial),
        function.unwrap_or_default(),
    );
    found.push(Advice { kind: "serial", text, ns: idle });
}

fn waits(report: &Report<'_>, crowded: bool, found: &mut Vec<Advice>) {
    let tasks = with_tasks(report);
    let of_tasks = |state| {
        let share = |region: &RegionSums| region.states.get(&state).map_or(0, Amount::total_ns);
        let (with, all) = report.regions.iter().fold((0, 0), |(with, all), region| {
            let own = share(region);
            (with + if tasks.contains(&region.construct) { own } else { 0 }, all + own)
        });
        all > 0 && with * 2 > all
    };
    for cause in report.causes.iter().filter(|cause| !(crowded && cause.state == State::OVERHEAD)) {
        let (kind, what, remedy) = match cause.state {
            State::RUNTIME | State::OVERHEAD if of_tasks(cause.state) => {
                ("tasks", "the handling of tasks", "make them larger: `ora tasks` says which are too small")
            }
            State::LOCK => ("lock", "for locks", "hold them for less time, or use more of them"),
            State::CRITICAL => {
                ("critical", "for critical sections", "make them shorter, or name those that guard different data")
            }
            State::ATOMIC => ("atomic", "for atomic updates", "let each thread add up for itself, as in a reduction"),
            State::ORDERED => ("ordered", "for ordered sections", "make them shorter, or the loop's chunks smaller"),
            State::RUNTIME => {
                ("runtime", "inside of the runtime", "lock less often, or use larger tasks, chunks and regions")
            }
            State::OVERHEAD => {
                ("overhead", "the runtime's own work", "give it less to do: larger regions, larger chunks of loops")
            }
            _ => continue,
        };
        let place = cause.places.first().map(|(place, amount)| {
            let share = of(amount.total_ns(), cause.amount.total_ns());
            format!(", {share} of that in {}", describe::wait_place(&report.profile.code, *place))
        });
        let share = of(cause.amount.total_ns(), report.sums.total.wait_ns);
        let text = format!("{share} of the wait is {what}{}: {remedy}", place.unwrap_or_default());
        found.push(Advice { kind, text, ns: cause.amount.total_ns() });
    }
}

fn tasks(report: &Report<'_>, found: &mut Vec<Advice>) {
    let small = report.causes.iter().filter(|cause| cause.state.is_task() && cause.state != State::TASK_SUSPEND);
    let ns = small.map(|cause| cause.amount.total_ns()).sum();
    let share = of(ns, report.sums.total.wait_ns);
    let text = format!("{share} of the wait is the handling of tasks: `ora tasks` says which of them are too small");
    found.push(Advice { kind: "tasks", text, ns });
}

/// Work, and its time on no processor: ready to run, and asleep.
fn off_processor(report: &Report<'_>) -> (Amount, u64, u64) {
    let ready = ready(report.profile);
    let (mut work, mut waiting_ns, mut asleep_ns) = (Amount::default(), 0, 0);
    for point in report.profile.samples.iter().filter(|point| is_busy(point.state) && !point.asleep) {
        work += point;
        let off_ns = point.wall_ns.saturating_sub(point.cpu_ns);
        let part = ready.get(point.thread as usize).copied().unwrap_or(1.0);
        let without = whole(off_ns as f64 * part);
        waiting_ns += without;
        asleep_ns += off_ns.saturating_sub(without);
    }
    (work, waiting_ns, asleep_ns)
}

/// Finds more threads than processors, or a machine that others use, too.
fn processors(report: &Report<'_>) -> Option<Advice> {
    let (work, off_ns, _) = off_processor(report);
    if (off_ns as f64) < CROWDED * work.total_ns() as f64 {
        return None;
    }
    let processes = &report.profile.processes;
    let allowed = processes.iter().filter_map(|process| process.facts.processors).min();
    let threads = report.regions.iter().filter_map(|region| Some(region.imbalance()?.team)).max().unwrap_or(1);
    let share = of(off_ns, work.total_ns());
    let (why, remedy) = match allowed {
        Some(allowed) if threads > allowed as usize => (
            format!("{threads} threads share {allowed} processors"),
            format!(
                "use OMP_NUM_THREADS={allowed}, or OMP_THREAD_LIMIT={allowed} where the program sets the number itself"
            ),
        ),
        Some(allowed) => (
            format!(
                "{} might use {}, but other programs do, too",
                count(threads as u64, "thread", "threads"),
                count(u64::from(allowed), "processor", "processors")
            ),
            if threads > 1 { "measure on an idle machine, or use fewer threads" } else { "measure on an idle machine" }
                .to_owned(),
        ),
        None => (
            "there are more threads than processors, or other programs use them".to_owned(),
            "use fewer threads".to_owned(),
        ),
    };
    let text = format!("for {share} of their work the threads had no processor: {why}: {remedy}");
    Some(Advice { kind: "processors", text, ns: off_ns })
}

/// Finds work that sleeps.
fn asleep(report: &Report<'_>, found: &mut Vec<Advice>) {
    let (work, _, asleep_ns) = off_processor(report);
    if asleep_ns as f64 > ASLEEP * work.total_ns() as f64 {
        let share = of(asleep_ns, work.total_ns());
        let text = format!("for {share} of their work the threads were asleep: the code reads, writes or sleeps there");
        found.push(Advice { kind: "asleep", text, ns: asleep_ns });
    }
}

#[allow(clippy::cast_possible_truncation, reason = "what is too large becomes the largest number")]
fn whole(ns: f64) -> u64 {
    ns as u64
}

fn seconds(ns: u64) -> String {
    format!("{:.1}", ns as f64 / 1e9)
}
