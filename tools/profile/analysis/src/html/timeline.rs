//! The timeline of a process, by its samples.

use page::{NamedSlice, Run, Timeline, resolutions, sums};
use rustc_hash::FxHashMap;

use super::{Scope, lanes};
use crate::describe;
use crate::profile::{OUTSIDE, Point, ThreadFacts};

/// Maximum number of slices with a name, of all views.
const MAX_NAMED: usize = 12_000;

/// The timeline of the view's process.
pub(super) fn of(scope: &Scope<'_>) -> Timeline {
    let profile = scope.basis.profile;
    let range = scope.process.map_or(0..0, |process| profile.thread_numbers(process));
    let numbers: Vec<u32> = (0..).take(range.end).skip(range.start).collect();
    let mut of_thread: FxHashMap<u32, Vec<&Point>> = FxHashMap::default();
    for point in scope.samples().chain(&profile.outside) {
        of_thread.entry(point.thread).or_default().push(point);
    }
    of_thread.values_mut().for_each(|points| points.sort_by_key(|point| point.at_ns.saturating_sub(point.wall_ns)));
    let points = |number: &u32| of_thread.get(number).map_or(&[][..], Vec::as_slice);
    let all: Vec<_> = numbers.iter().map(|number| lanes::of_samples(points(number).iter().copied())).collect();
    let mut named = Named::default();
    for (thread, number) in (0..).zip(&numbers) {
        named.add(scope, thread, points(number));
    }
    let run = Run { begin_ns: scope.begin_ns, length_ns: scope.length_ns };
    Timeline {
        length_ns: scope.length_ns,
        threads: scope.threads().iter().map(name).collect(),
        states: lanes::states(sums(&all)),
        resolutions: resolutions(run, &all, scope.views),
        slices: named.longest(MAX_NAMED / scope.views.max(1)),
        names: named.names,
        waits: Vec::new(),
    }
}

fn name(thread: &ThreadFacts) -> String {
    let kind = if thread.outside {
        "no OpenMP"
    } else if thread.number == 0 {
        "initial"
    } else {
        "worker"
    };
    format!("{} {kind}", thread.number)
}

/// Times that threads spend in one region after the other, by consecutive samples.
#[derive(Default)]
struct Named {
    names: Vec<String>,
    of_construct: FxHashMap<u32, usize>,
    slices: Vec<NamedSlice>,
}

impl Named {
    fn add(&mut self, scope: &Scope<'_>, thread: u32, points: &[&Point]) {
        let profile = scope.basis.profile;
        let same = |one: &&Point, other: &&Point| {
            one.nest == other.nest
                && one.region == other.region
                && other.at_ns.saturating_sub(other.wall_ns) <= one.at_ns + 1000
        };
        for slice in points.chunk_by(|one, other| same(one, other)) {
            let (Some(first), Some(last)) = (slice.first(), slice.last()) else { continue };
            let Some(construct) = profile.constructs(first.nest).next().filter(|_| first.nest != OUTSIDE) else {
                continue;
            };
            let names = &mut self.names;
            let name = *self.of_construct.entry(construct).or_insert_with(|| {
                names.push(describe::region(&profile.code, construct));
                names.len() - 1
            });
            let begin_ns = scope.since(first);
            let end_ns = last.at_ns.saturating_sub(scope.begin_ns).min(scope.length_ns);
            self.slices.push((thread, begin_ns, end_ns.saturating_sub(begin_ns), 0, name));
        }
    }

    /// The longest slices, ordered by thread and start.
    fn longest(&mut self, most: usize) -> Vec<NamedSlice> {
        let mut slices = std::mem::take(&mut self.slices);
        slices.sort_unstable_by_key(|(.., length_ns, _, _)| std::cmp::Reverse(*length_ns));
        slices.truncate(most);
        slices.sort_unstable();
        slices
    }
}
