//! Stacks of a view, with names that rows of functions refer to.

use page::{Sample, Stacks};
use rustc_hash::FxHashMap;

use super::{Places, Scope};
use crate::out::name;
use crate::profile::EMPTY;

/// The stacks of a view's samples.
pub(super) fn of(scope: &Scope<'_>, places: &Places, of_function: &FxHashMap<u32, usize>) -> Stacks {
    let profile = scope.basis.profile;
    let mut names: Vec<(String, i64)> = Vec::new();
    let mut known = FxHashMap::default();
    let mut of_frame = Vec::with_capacity(profile.code.frames().len());
    for (number, _) in (0..).zip(profile.code.frames()) {
        let Some((frame, function)) = profile.code.frame(number) else { continue };
        let row = of_function.get(&frame.function).and_then(|row| i64::try_from(*row).ok()).unwrap_or(-1);
        let text = name(frame, function).function;
        of_frame.push(*known.entry((text, frame.function)).or_insert_with_key(|(text, _)| {
            names.push((text.clone(), row));
            u32::try_from(names.len() - 1).unwrap_or(0)
        }));
    }
    // Stacks that differ only in lines are merged.
    let mut nodes: Vec<(Option<u32>, u32)> = Vec::new();
    let mut index = FxHashMap::default();
    let mut of_context: Vec<Option<u32>> = vec![None];
    for context in profile.contexts.iter().skip(1) {
        let parent = of_context.get(context.parent as usize).copied().flatten();
        let node = of_frame.get(context.frame as usize).map(|name| {
            *index.entry((parent, *name)).or_insert_with(|| {
                nodes.push((parent, *name));
                u32::try_from(nodes.len() - 1).unwrap_or(0)
            })
        });
        of_context.push(node);
    }
    let sample = |point: &crate::profile::Point| {
        let node = of_context.get(point.context as usize).copied().flatten().filter(|_| point.context != EMPTY)?;
        Some(Sample { node, region: places.row_of(profile, point), begin_ns: scope.since(point), ns: point.wall_ns })
    };
    let samples: Vec<Sample> = scope.samples().filter_map(sample).collect();
    Stacks::of(names, &nodes, &samples, scope.length_ns, scope.views)
}
