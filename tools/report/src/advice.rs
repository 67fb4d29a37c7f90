//! What to change, where the samples support it.

use crate::metrics::Amount;
use crate::quantity::{percent, time};
use crate::report::Report;
use crate::state::State;
use crate::words;

/// A finding below this part of all the threads' time is worth no line.
const WORTH: f64 = 0.03;
/// Fewer samples say nothing.
const SAMPLES: u64 = 50;
/// Work that had a processor for less than this part of its time had none for other reasons than chance.
const BUSY: f64 = 0.8;
/// A region that takes less time of all its threads together is not worth its fork and join.
const SMALL_NS: u64 = 50_000;

/// A finding, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// For programs; `report-json.md` lists them.
    pub kind: &'static str,
    /// For people, one line.
    pub text: String,
    /// Time of threads that it is about.
    pub ns: u64,
}

/// The most important one first.
pub(crate) fn advice(report: &Report<'_>) -> Vec<Advice> {
    let total = report.sums.total;
    if total.samples < SAMPLES {
        return Vec::new();
    }
    let mut found = Vec::new();
    imbalance(report, &mut found);
    idle(report, &mut found);
    waits(report, &mut found);
    tasks(report, &mut found);
    processors(report, &mut found);
    found.retain(|advice| advice.ns as f64 >= WORTH * total.total_ns() as f64);
    found.sort_by_key(|advice| std::cmp::Reverse(advice.ns));
    found
}

fn of(part: u64, whole: u64) -> String {
    let share = percent(part as f64, whole as f64);
    format!("{} %", share.split('.').next().unwrap_or_default())
}

fn imbalance(report: &Report<'_>, found: &mut Vec<Advice>) {
    let all: u64 = report.regions.iter().map(|region| region.exclusive.total_ns()).sum();
    let begun: u64 = report.profile.processes.iter().map(|process| process.last_region).sum();
    if all / begun.max(1) < SMALL_NS {
        small(report, all / begun.max(1), found);
        return;
    }
    for region in &report.regions {
        let Some(imbalance) = region.imbalance().filter(|imbalance| imbalance.certain) else { continue };
        let text = format!(
            "{} of the wait is imbalance in {}: try schedule(dynamic), or parts of more even size",
            of(imbalance.wait_ns, report.sums.total.wait_ns),
            words::the_region(&report.profile.code, region.construct),
        );
        found.push(Advice { kind: "imbalance", text, ns: imbalance.wait_ns });
    }
}

/// So small regions have nothing to share: what is waited at their ends is what a region costs.
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
    let (idle, serial) = (spent(State::IDLE), spent(State::SERIAL));
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

fn waits(report: &Report<'_>, found: &mut Vec<Advice>) {
    for cause in &report.causes {
        let (kind, what, remedy) = match cause.state {
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
            format!(", {share} of that in {}", words::wait_place(&report.profile.code, *place))
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

fn processors(report: &Report<'_>, found: &mut Vec<Advice>) {
    let states = report.sums.states();
    let mut work = Amount::default();
    states.iter().filter(|(state, _)| !state.waits()).for_each(|(_, amount)| work += *amount);
    let off = work.work_ns.saturating_sub(work.cpu_ns);
    if work.cpu_ns as f64 > BUSY * work.work_ns as f64 {
        return;
    }
    let spins = report.sums.total.cpu_ns.saturating_sub(work.cpu_ns);
    let remedy = if spins > off / 4 {
        "waiting threads use processors meanwhile: try fewer threads, or OMP_WAIT_POLICY=passive"
    } else {
        "there are more threads than processors, or the code sleeps, reads or writes"
    };
    let text = format!("{} of the work's time no processor was at it: {remedy}", of(off, work.work_ns));
    found.push(Advice { kind: "processors", text, ns: off });
}

#[allow(clippy::cast_possible_truncation, reason = "what is too large becomes the largest number")]
fn whole(ns: f64) -> u64 {
    ns as u64
}

fn seconds(ns: u64) -> String {
    format!("{:.1}", ns as f64 / 1e9)
}
