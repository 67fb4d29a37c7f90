//! Stacks of a view, with names that rows of functions refer to.

use page::{Sample, Stacks};
use rustc_hash::FxHashMap;

use super::{Places, Scope};
use crate::out::name;
use crate::profile::{EMPTY, Point, Profile};

/// The stacks of a profile. Those that differ only in lines are merged.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// Names, each with the index of its function.
    names: Vec<(String, u32)>,
    /// For each stack, the one that it extends, and the index of the name of its last frame.
    nodes: Vec<(Option<u32>, u32)>,
    /// The stack of each context.
    of_context: Vec<Option<u32>>,
}

impl Merged {
    pub(super) fn of(profile: &Profile) -> Self {
        let mut merged = Self { of_context: vec![None], ..Self::default() };
        let mut known = FxHashMap::default();
        let mut of_frame = Vec::with_capacity(profile.code.frames().len());
        for (number, _) in (0..).zip(profile.code.frames()) {
            let Some((frame, function)) = profile.code.frame(number) else { continue };
            let name = (name(frame, function).function, frame.function);
            of_frame.push(*known.entry(name).or_insert_with_key(|name| {
                merged.names.push(name.clone());
                u32::try_from(merged.names.len() - 1).unwrap_or(0)
            }));
        }
        let mut index = FxHashMap::default();
        for context in profile.contexts.iter().skip(1) {
            let parent = merged.of_context.get(context.parent as usize).copied().flatten();
            let node = of_frame.get(context.frame as usize).map(|name| {
                *index.entry((parent, *name)).or_insert_with(|| {
                    merged.nodes.push((parent, *name));
                    u32::try_from(merged.nodes.len() - 1).unwrap_or(0)
                })
            });
            merged.of_context.push(node);
        }
        merged
    }
}

/// The stacks of a view's samples.
pub(super) fn of(scope: &Scope<'_>, places: &Places, of_function: &FxHashMap<u32, usize>) -> Stacks {
    let (profile, merged) = (scope.basis.profile, &scope.basis.stacks);
    let sample = |point: &Point| {
        let node =
            merged.of_context.get(point.context as usize).copied().flatten().filter(|_| point.context != EMPTY)?;
        Some(Sample { node, region: places.row_of(profile, point), begin_ns: scope.since(point), ns: point.wall_ns })
    };
    let samples: Vec<Sample> = scope.samples().filter_map(sample).collect();
    let row = |function: &u32| of_function.get(function).and_then(|row| i64::try_from(*row).ok()).unwrap_or(-1);
    let name = |number: u32| {
        let name = merged.names.get(number as usize);
        name.map_or_else(Default::default, |(text, function)| (text.clone(), row(function)))
    };
    Stacks::of(name, &merged.nodes, &samples, scope.length_ns, scope.views)
}
