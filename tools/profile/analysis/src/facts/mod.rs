//! The figures of a profile, as input for the rules of `advice`.

mod mutexes;
mod own_code;
pub mod own_time;
mod pools;
mod serial_in;

use std::collections::BTreeSet;

use ::advice::{Directive, Facts, Place, Region, SharedBy, Wait, Waits};
use rustc_hash::FxHashMap;
use symbols::ConstructKind;
use untrusted::figure::{self, Total};

use crate::describe;
use crate::job::most_at_once;
use crate::metrics::{Cause, RegionSums, Sums, WaitPlace, without_processor_ns};
use crate::profile::{Point, ProcessFacts, Profile, ThreadFacts, is_busy, ready, whole};
use crate::state::State;
use crate::together::{self, Life};

/// A region whose threads together run for less time than this does not make up for its fork and join.
const SMALL_NS: u64 = 50_000;
/// The source of a region is read if the region takes at least this part of the threads' time.
const MATTERS: f64 = 0.02;
/// Sampling rate of a profile that does not record it: the default of `ora profile`.
const RATE: u32 = 100;

/// The sums from which findings are derived.
pub(crate) struct Figures<'a> {
    pub(crate) profile: &'a Profile,
    /// Sums by stack, thread, state and cause.
    pub(crate) sums: &'a Sums,
    /// Sums by region.
    pub(crate) regions: &'a [RegionSums],
    /// Waits by cause.
    pub(crate) causes: &'a [Cause],
    /// CPU time of threads outside of OpenMP.
    pub(crate) outside_ns: u64,
}

/// The figures of all processes together. `costs` and savings are sums over them.
pub(crate) fn of(figures: &Figures<'_>) -> Facts {
    let processes = &figures.profile.processes;
    let states = figures.sums.states();
    let spent = |state| states.get(&state).copied().unwrap_or_default();
    let Serial { wall_ns: serial_wall_ns, asleep_ns, running_ns: serial_ns } = serial(figures);
    let with_tasks = with_tasks(figures);
    let (ready_at_work_ns, work_asleep_ns) = off_processor(figures, &with_tasks);
    let at_barriers = [State::IMPLICIT_BARRIER, State::EXPLICIT_BARRIER];
    let mutex = mutexes::waits(figures.profile);
    let granted = processes.iter().flat_map(|process| {
        let allowed = process.facts.processors.map(f64::from);
        allowed.into_iter().chain(process.facts.quota)
    });
    let rate = processes.iter().filter_map(|process| process.facts.rate).min().unwrap_or(RATE);
    let number_of_runtimes = |process: &&ProcessFacts| process.runtimes_used.iter().filter(|it| it.regions > 0).count();
    let main = processes.iter().max_by_key(number_of_runtimes);
    let used = main.map(|process| &process.runtimes_used);
    Facts {
        wall_ns: processes
            .iter()
            .filter(|one| !one.is_launcher)
            .map(|one| one.ended_ns.saturating_sub(one.begun_ns) as f64)
            .sum(),
        all_ns: figures.sums.total.total_ns() as f64,
        running_ns: figures.sums.total.cpu_ns as f64,
        serial_ns: serial_ns as f64,
        serial_wall_ns: Some(serial_wall_ns as f64),
        serial_asleep_ns: Some(asleep_ns as f64),
        idle_ns: spent(State::IDLE).total_ns() as f64,
        spun_idle_ns: spent(State::IDLE).cpu_ns as f64 + unseen_idle_ns(figures),
        knows_spinning: true,
        spun_at_barriers_ns: at_barriers.into_iter().map(|state| spent(state).cpu_ns as f64).sum(),
        serial_in: serial_in::function(figures.profile, serial_ns),
        ready_ns: without_processor_ns(figures.profile.threads.iter())
            .map_or(ready_at_work_ns, |ns| ns as f64)
            .min(figures.sums.total.total_ns() as f64),
        outside_ns: figures.outside_ns as f64,
        turns: None,
        moves: 0,
        asleep_ns: work_asleep_ns,
        too_deep_ns: 0.0,
        mutex,
        pool: pools::waits(figures.profile),
        team_threads: team_threads(figures),
        processors: granted.reduce(f64::min),
        allowed: None,
        online: None,
        ended_workers: 0,
        pool_owners: figures.profile.threads.iter().filter(|thread| thread.owns_pool).count() as u64,
        owners_at_once: owners_at_once(figures),
        together: together(figures),
        died_beside: 0,
        runtime_kind: main.map(|process| process.runtime_kind).unwrap_or_default(),
        runtimes: used.into_iter().flatten().filter(|one| one.regions > 0).filter_map(|one| one.path.clone()).collect(),
        waits: waits(figures),
        regions: regions(figures, &with_tasks),
        settings: processes.first().map(|process| process.facts.environment.clone()).unwrap_or_default(),
        period_ns: Some(1e9 / f64::from(rate.max(1))),
    }
}

/// CPU time of threads in pools before their first event, if these are idle: no thread is in a region that began before.
fn unseen_idle_ns(figures: &Figures<'_>) -> f64 {
    let samples = || figures.profile.samples.iter();
    if samples().any(|point| point.region == 0 && point.state == State::WORK) {
        return 0.0;
    }
    samples().filter(|point| point.state == State::UNSEEN).map(|point| point.cpu_ns).total() as f64
}

/// The largest number of threads of one process that took part in OpenMP at the same time; 0 if none has started a
/// region.
fn team_threads(figures: &Figures<'_>) -> u64 {
    let lives = lives(figures);
    lives.into_iter().map(|life| most_at_once(life.threads_ns.into_iter()) as u64).max().unwrap_or(0)
}

/// The largest number of threads that lived at the same time and have pools of their own, without the programs' first threads.
fn owners_at_once(figures: &Figures<'_>) -> u64 {
    let owners = figures.profile.threads.iter().filter(|thread| thread.owns_pool);
    most_at_once(owners.map(|thread| (thread.begun_ns, thread.ended_ns.unwrap_or(u64::MAX)))) as u64
}

/// Time of serial code.
struct Serial {
    wall_ns: u64,
    /// The parts of it for which threads slept, and ran.
    asleep_ns: u64,
    running_ns: u64,
}

/// Processes without regions are not between regions: a shell waits for those that have some.
fn serial(figures: &Figures<'_>) -> Serial {
    let Profile { processes, threads, samples, .. } = figures.profile;
    let is_any = processes.iter().any(|process| process.last_region > 0);
    let counts = |point: &&Point| {
        let process = threads.get(point.thread as usize).and_then(|thread| processes.get(thread.process as usize));
        !is_any || process.is_some_and(|process| process.last_region > 0)
    };
    let of = |is_it: fn(&Point) -> bool, ns: fn(&Point) -> u64| {
        samples.iter().filter(|point| is_it(point)).filter(counts).map(ns).total()
    };
    let is_serial = |point: &Point| point.state == State::SERIAL;
    Serial {
        wall_ns: of(is_serial, |point| point.wall_ns),
        asleep_ns: of(|point| point.asleep, |point| point.wall_ns),
        running_ns: of(is_serial, |point| point.cpu_ns.min(point.wall_ns)),
    }
}

/// The processes that used OpenMP at the same time on the same processors.
fn together(figures: &Figures<'_>) -> Option<::advice::Together> {
    let lives = lives(figures);
    (lives.len() > 1).then(|| together::of(&lives)).flatten()
}

/// The processes that have started regions.
fn lives<'a>(figures: &Figures<'a>) -> Vec<Life<'a>> {
    let profile = figures.profile;
    let takes_part = |thread: &&ThreadFacts| thread.in_teams && !thread.outside;
    let mut running_ns = vec![0_u64; profile.processes.len()];
    for point in &profile.samples {
        let process = profile.threads.get(point.thread as usize).map_or(usize::MAX, |thread| thread.process as usize);
        if let Some(ns) = running_ns.get_mut(process) {
            *ns = figure::sum(*ns, point.cpu_ns);
        }
    }
    let one = |(number, (process, running_ns)): (u32, (&'a ProcessFacts, u64))| {
        let life = |thread: &ThreadFacts| (thread.begun_ns, thread.ended_ns.unwrap_or(process.ended_ns));
        let threads = profile.threads_of(number).iter().filter(takes_part).map(life);
        Life {
            facts: &process.facts,
            span_ns: (process.begun_ns, process.ended_ns),
            threads_ns: threads.collect(),
            running_ns,
        }
    };
    let all = (0..).zip(profile.processes.iter().zip(running_ns));
    all.filter(|(_, (process, _))| process.last_region > 0 && !process.is_launcher).map(one).collect()
}

/// Time of work for which threads had no processor: ready to run, and asleep. In regions with tasks, threads also sleep in waits for
/// these, which samples don't tell from calls.
fn off_processor(figures: &Figures<'_>, with_tasks: &BTreeSet<u32>) -> (f64, f64) {
    let ready = ready(figures.profile);
    let waits_for_tasks =
        |point: &Point| figures.profile.constructs(point.nest).next().is_some_and(|one| with_tasks.contains(&one));
    let (mut waiting_ns, mut asleep_ns) = (0.0, 0.0);
    for point in figures.profile.samples.iter().filter(|point| is_busy(point.state) && !point.asleep) {
        let off_ns = point.wall_ns.saturating_sub(point.cpu_ns) as f64;
        let part = ready.get(point.thread as usize).copied().unwrap_or(1.0);
        waiting_ns += off_ns * part;
        if point.state == State::WORK && !waits_for_tasks(point) {
            asleep_ns += off_ns * (1.0 - part);
        }
    }
    (waiting_ns, asleep_ns)
}

fn waits(figures: &Figures<'_>) -> Waits {
    let wait = |state| {
        let Some(cause) = figures.causes.iter().find(|cause| cause.state == state) else { return Wait::default() };
        let all_ns = cause.amount.total_ns() as f64;
        let dearest = cause.places.first().map(|(place, amount)| {
            (amount.total_ns() as f64 / all_ns.max(1.0), describe::wait_place(&figures.profile.code, *place))
        });
        Wait { ns: all_ns, dearest, count: None }
    };
    Waits {
        critical: wait(State::CRITICAL),
        critical_adds_to: None,
        lock: wait(State::LOCK),
        atomic: wait(State::ATOMIC),
        ordered: wait(State::ORDERED),
        tasks: wait(State::TASK_SUSPEND),
        barriers: Wait::default(),
        runtime: wait(State::RUNTIME),
        overhead: wait(State::OVERHEAD),
    }
}

fn regions(figures: &Figures<'_>, with_tasks: &BTreeSet<u32>) -> Vec<Region> {
    let begun: u64 = figures.profile.processes.iter().map(|process| process.last_region).total();
    let seen: u64 = figures.regions.iter().filter_map(|region| Some(region.imbalance()?.instances)).total();
    let at_ends = at_ends(figures);
    let began_ns = figures.profile.processes.iter().filter_map(|process| process.facts.began_real_ns).min();
    let one = |region: &RegionSums| {
        let imbalance = region.imbalance().unwrap_or_default();
        // All regions have numbers. The number of those at this place is estimated from those in which samples lie.
        let ended = whole(begun as f64 * imbalance.instances as f64 / seen.max(1) as f64);
        // If samples rarely lie in a region twice, it is not known how short the regions are.
        let met = region.exclusive.samples / imbalance.instances.max(1);
        let is_known = met >= 2 || region.exclusive.work_ns / begun.max(1) >= SMALL_NS;
        let uneven_ns = if imbalance.certain && is_known { imbalance.wait_ns } else { 0 };
        let team = imbalance.team.max(1) as u64;
        Region {
            place: place(figures, region.construct),
            ended,
            threads: team,
            total_ns: region.exclusive.total_ns() / team,
            work_ns: region.exclusive.work_ns,
            barrier_ns: region.barriers().total_ns(),
            imbalance_ns: uneven_ns,
            shares_unknown: !(imbalance.certain && is_known),
            no_processor_ns: imbalance.no_processor_ns,
            gain_ns: imbalance.gain_ns,
            shares_ns: imbalance.ran_ns,
            max_ns: imbalance.ran_ns / team + imbalance.gain_ns,
            shared_by: Some(if with_tasks.contains(&region.construct) {
                SharedBy::Tasks
            } else if figures.profile.sections.contains(&region.construct) {
                SharedBy::Sections
            } else if at_ends.get(&region.construct).unwrap_or(&0).saturating_mul(2) >= region.barriers().total_ns() {
                SharedBy::Loop
            } else {
                SharedBy::Phases
            }),
            busy: Some(imbalance.busy as u64),
            handled_ns: handled_ns(region),
            directive: place(figures, region.construct)
                .filter(|_| region.exclusive.total_ns() as f64 >= MATTERS * figures.sums.total.total_ns() as f64)
                .and_then(|place| Directive::at(place.file.as_deref()?, place.line?, began_ns)),
            ..Region::default()
        }
    };
    figures.regions.iter().map(one).collect()
}

fn place(figures: &Figures<'_>, number: u32) -> Option<Place> {
    let (construct, function) = figures.profile.code.construct(number)?;
    Some(Place {
        name: describe::the_region(&figures.profile.code, number),
        function: Some(function.name.clone()),
        file: construct.file.clone(),
        line: Some(construct.line).filter(|line| *line > 0),
    })
}

/// Time at the barrier that ends each construct. A wait inside the body may be for a `single` as well as for a loop.
fn at_ends(figures: &Figures<'_>) -> FxHashMap<u32, u64> {
    let mut found = FxHashMap::default();
    let barriers = figures.causes.iter().filter(|cause| cause.state == State::IMPLICIT_BARRIER);
    for (place, amount) in barriers.flat_map(|cause| &cause.places) {
        if let WaitPlace::Region(construct) = place {
            let ns = found.entry(*construct).or_default();
            *ns = figure::sum(*ns, amount.total_ns());
        }
    }
    found
}

fn handles_task(state: State) -> bool {
    state.is_task() && state != State::TASK_SUSPEND
}

/// A region's time inside the runtime that is not a wait for another thread.
fn handled_ns(region: &RegionSums) -> u64 {
    let of_runtime = |state: State| matches!(state, State::RUNTIME | State::OVERHEAD) || handles_task(state);
    region.states.iter().filter(|(state, _)| of_runtime(**state)).map(|(_, amount)| amount.total_ns()).total()
}

/// The constructs in which tasks are executed.
fn with_tasks(figures: &Figures<'_>) -> BTreeSet<u32> {
    let profile = figures.profile;
    let in_task = |number: u32| {
        let construct = profile.code.frame(number).and_then(|(frame, _)| frame.construct.as_ref());
        construct.is_some_and(|construct| construct.kind == ConstructKind::Task)
    };
    let of_task: Vec<bool> =
        (0..).zip(&profile.contexts).map(|(context, _)| profile.frames(context).any(in_task)).collect();
    let task = |point: &&Point| point.state.is_task() || of_task.get(point.context as usize).is_some_and(|task| *task);
    profile.samples.iter().filter(task).filter_map(|point| profile.constructs(point.nest).next()).collect()
}
