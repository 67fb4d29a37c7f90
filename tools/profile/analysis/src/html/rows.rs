//! Regions and functions with their time by activity.

use page::{Activity, Kind, Line, Row, Stacks, Wait};
use rustc_hash::FxHashMap;
use symbols::source::Sources;

use super::basis::{Basis, Split};
use super::{Scope, lines, stacks};
use crate::describe;
use crate::metrics::{RegionSums, is_barrier};
use crate::profile::{Function, Point, Profile, whole};
use crate::state::State;

/// Rows of regions, and which of them the constructs of a profile belong to.
#[derive(Debug, Default)]
pub struct Places {
    /// The rows.
    pub rows: Vec<Row>,
    /// Index of a row for each construct that has one.
    pub of_construct: FxHashMap<u32, usize>,
    /// True if the rows already have their times, from events.
    pub are_timed: bool,
}

impl Places {
    /// Rows without times for the constructs with samples.
    pub(super) fn of_constructs(scope: &Scope<'_>) -> Self {
        let mut places = Self::default();
        let profile = scope.basis.profile;
        let mut known: Vec<u32> = scope.samples().filter_map(|point| profile.constructs(point.nest).next()).collect();
        known.sort_unstable();
        known.dedup();
        for region in scope.basis.regions.iter().filter(|region| known.binary_search(&region.construct).is_ok()) {
            places.of_construct.insert(region.construct, places.rows.len());
            places.rows.push(region_row(profile, region));
        }
        places
    }

    /// The row of a sample's region.
    pub(super) fn row_of(&self, profile: &Profile, point: &Point) -> Option<usize> {
        profile.constructs(point.nest).next().and_then(|construct| self.of_construct.get(&construct).copied())
    }
}

fn region_row(profile: &Profile, region: &RegionSums) -> Row {
    let imbalance = region.imbalance();
    let found = profile.code.construct(region.construct);
    let file = |(construct, function): (&crate::profile::Construct, &Function)| {
        construct.file.clone().unwrap_or_else(|| function.object.clone())
    };
    Row {
        kind: Kind::Region,
        name: found.map_or_else(|| "(unknown)".to_owned(), |(_, function)| function.name.clone()),
        place: found.map_or_else(String::new, |(construct, function)| match (construct.line, construct.address) {
            (0, Some(address)) => format!("{}+{address:#x}", function.object),
            (line, _) => describe::place(construct.file.as_deref(), line),
        }),
        file: found.map_or_else(String::new, file),
        key: describe::the_region(&profile.code, region.construct),
        team: imbalance.map(|imbalance| imbalance.team as u64),
        imbalance: imbalance.filter(|imbalance| imbalance.certain).map(|imbalance| imbalance.share),
        gain_ns: imbalance.filter(|imbalance| imbalance.certain).map(|imbalance| imbalance.gain_ns),
        ..Row::default()
    }
}

/// Content of a view that comes from samples.
#[derive(Debug, Default)]
pub struct Sampled {
    /// Rows of regions, then of functions, then of the code outside of regions.
    pub rows: Vec<Row>,
    /// Source lines of the rows.
    pub lines: Vec<Line>,
    /// Stacks.
    pub stacks: Stacks,
    /// Time of all samples.
    pub total_ns: u64,
}

impl Sampled {
    /// Sums up the samples of a view, with the rows of its regions.
    pub fn of(scope: &Scope<'_>, places: Places, sources: &mut Sources) -> Self {
        let profile = scope.basis.profile;
        let leaves = leaves(profile);
        let (functions, outside) = functions(scope, &leaves);
        let mut rows = places.rows.clone();
        let mut of_function = FxHashMap::default();
        for (function, row) in functions {
            of_function.insert(function, rows.len());
            rows.push(row);
        }
        if outside.ns > 0 && !places.are_timed {
            rows.push(outside);
        }
        if !places.are_timed {
            add_regions(scope, &places, &mut rows);
        }
        rows.truncate(scope.max_rows().max(places.rows.len()));
        of_function.retain(|_, row| *row < rows.len());
        let lines = lines::add(scope, &places, &of_function, &leaves, &mut rows, sources);
        let stacks = stacks::of(scope, &places, &of_function);
        let total_ns = scope.samples().map(|point| point.wall_ns).fold(0, u64::saturating_add);
        Self { rows, lines, stacks, total_ns }
    }
}

/// Frame of each stack's innermost function, without frames of OpenMP's states.
fn leaves(profile: &Profile) -> Vec<Option<u32>> {
    let is_function = |frame: &u32| profile.code.frame(*frame).is_some_and(|(_, function)| !function.is_pseudo());
    (0..).take(profile.contexts.len()).map(|context| profile.frames(context).find(is_function)).collect()
}

/// Activity of a sample, and the parts of its time in it.
fn activities(point: &Point, ready: &[f64]) -> [(Activity, u64); 3] {
    if point.state == State::IDLE {
        return [(Activity::Idle, point.wall_ns), (Activity::Work, 0), (Activity::Work, 0)];
    }
    if point.state.waits() {
        return [(Activity::Waits, point.wall_ns), (Activity::Work, 0), (Activity::Work, 0)];
    }
    let ran_ns = point.cpu_ns.min(point.wall_ns);
    let off_ns = point.wall_ns - ran_ns;
    let part = if point.asleep { 0.0 } else { ready.get(point.thread as usize).copied().unwrap_or(1.0) };
    let ready_ns = whole(off_ns as f64 * part).min(off_ns);
    // For the rest, it slept in calls of the program itself.
    [(Activity::Work, ran_ns), (Activity::NoProcessor, ready_ns), (Activity::Waits, off_ns - ready_ns)]
}

/// Adds the samples of each region to its row.
fn add_regions(scope: &Scope<'_>, places: &Places, rows: &mut [Row]) {
    let Basis { ready, split, .. } = scope.basis;
    let mut waits: FxHashMap<(usize, State), (u64, u64)> = FxHashMap::default();
    let mut barriers: FxHashMap<(usize, u32), u64> = FxHashMap::default();
    for point in scope.samples() {
        let Some(at) = places.row_of(scope.basis.profile, point) else { continue };
        let Some(row) = rows.get_mut(at) else { continue };
        activities(point, ready).into_iter().for_each(|(activity, ns)| row.add(activity, ns));
        if point.state.waits() {
            add_wait(&mut waits, (at, point.state), point);
        }
        if is_barrier(point.state)
            && let Some(construct) = scope.basis.profile.constructs(point.nest).next()
        {
            *barriers.entry((at, construct)).or_default() += point.wall_ns;
        }
    }
    divide(&barriers, split, rows);
    name_waits(waits, rows);
}

/// Rows of functions by their number, the most expensive one first, and the row of code outside of regions.
fn functions(scope: &Scope<'_>, leaves: &[Option<u32>]) -> (Vec<(u32, Row)>, Row) {
    let Basis { profile, ready, split, .. } = scope.basis;
    let mut outside = Row { kind: Kind::Outside, name: "code outside of regions".to_owned(), ..Row::default() };
    let mut found: FxHashMap<u32, usize> = FxHashMap::default();
    let mut rows: Vec<(u32, Row)> = Vec::new();
    let mut waits: FxHashMap<(usize, State), (u64, u64)> = FxHashMap::default();
    let mut barriers: FxHashMap<(usize, u32), u64> = FxHashMap::default();
    for point in scope.samples() {
        let construct = profile.constructs(point.nest).next();
        if construct.is_none() {
            activities(point, ready).into_iter().for_each(|(activity, ns)| outside.add(activity, ns));
        }
        let leaf = leaves.get(point.context as usize).copied().flatten().filter(|_| point.state != State::IDLE);
        let Some(number) = leaf.and_then(|frame| Some(profile.code.frame(frame)?.0.function)) else { continue };
        let at = *found.entry(number).or_insert_with(|| {
            rows.push((number, profile.code.function(number).map(function_row).unwrap_or_default()));
            rows.len() - 1
        });
        let Some((_, row)) = rows.get_mut(at) else { continue };
        activities(point, ready).into_iter().for_each(|(activity, ns)| row.add(activity, ns));
        if point.state.waits() {
            add_wait(&mut waits, (at, point.state), point);
        }
        if let Some(construct) = construct.filter(|_| is_barrier(point.state)) {
            *barriers.entry((at, construct)).or_default() += point.wall_ns;
        }
    }
    let (numbers, mut plain): (Vec<u32>, Vec<Row>) = rows.into_iter().unzip();
    divide(&barriers, split, &mut plain);
    name_waits(waits, &mut plain);
    let with_calls = with_calls(scope);
    let mut rows: Vec<(u32, Row)> = numbers.into_iter().zip(plain).collect();
    // Functions that only call others follow, unless that takes little time.
    let least_ns = outside.ns.max(rows.iter().map(|(_, row)| row.ns).max().unwrap_or(0)) / 100;
    let is_caller = |(number, ns): &(u32, &u64)| **ns > least_ns && !found.contains_key(number);
    let callers = (0..).zip(&with_calls).filter(is_caller);
    rows.extend(callers.filter_map(|(number, _)| {
        let function = profile.code.function(number).filter(|function| !function.is_pseudo())?;
        Some((number, function_row(function)))
    }));
    for (number, row) in &mut rows {
        row.calls_ns = with_calls.get(*number as usize).copied();
    }
    rows.sort_by_key(|(number, row)| (std::cmp::Reverse((row.ns, row.calls_ns)), *number));
    (rows, outside)
}

fn function_row(function: &Function) -> Row {
    let file = function.file.as_deref();
    Row {
        kind: Kind::Function,
        name: function.name.clone(),
        place: file.map_or(function.object.as_str(), symbols::short).to_owned(),
        file: file.unwrap_or(&function.object).to_owned(),
        ..Row::default()
    }
}

/// Time of each function and what it calls.
fn with_calls(scope: &Scope<'_>) -> Vec<u64> {
    let profile = scope.basis.profile;
    let mut of_context: FxHashMap<u32, u64> = FxHashMap::default();
    scope.samples().for_each(|point| *of_context.entry(point.context).or_default() += point.wall_ns);
    let functions = profile.code.functions().len();
    let (mut all_ns, mut counted) = (vec![0_u64; functions], vec![u32::MAX; functions]);
    for (context, ns) in of_context {
        for frame in profile.frames(context) {
            let Some(number) = profile.code.frame(frame).map(|(frame, _)| frame.function as usize) else { continue };
            let (Some(sum), Some(last)) = (all_ns.get_mut(number), counted.get_mut(number)) else { continue };
            if *last != context {
                *sum = sum.saturating_add(ns);
                *last = context;
            }
        }
    }
    all_ns
}

fn add_wait(waits: &mut FxHashMap<(usize, State), (u64, u64)>, key: (usize, State), point: &Point) {
    let (ns, count) = waits.entry(key).or_default();
    *ns = ns.saturating_add(point.wall_ns);
    *count += u64::from(point.moment == profile_format::Moment::WaitEnd);
}

/// Divides waits at barriers by cause.
fn divide(barriers: &FxHashMap<(usize, u32), u64>, split: &Split, rows: &mut [Row]) {
    for ((at, construct), ns) in barriers {
        let (Some(row), Some((uneven, without))) = (rows.get_mut(*at), split.get(construct)) else { continue };
        row.move_part(Activity::Waits, Activity::Imbalance, whole(*ns as f64 * uneven));
        row.move_part(Activity::Waits, Activity::NoProcessor, whole(*ns as f64 * without));
    }
}

fn name_waits(waits: FxHashMap<(usize, State), (u64, u64)>, rows: &mut [Row]) {
    for ((at, state), (ns, count)) in waits {
        let wait = Wait { name: state.label().to_owned(), ns, count };
        rows.get_mut(at).into_iter().for_each(|row| row.waits.push(wait.clone()));
    }
    for row in rows {
        row.waits.sort_by_key(|wait| std::cmp::Reverse(wait.ns));
    }
}
