//! Attribution of stacks to functions and lines: exclusive and inclusive.

use rustc_hash::FxHashMap;

use super::{Amount, Sums};
use crate::profile::Profile;

/// Sums of a function or line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributed<K> {
    /// The function or line.
    pub what: K,
    /// Samples whose leaf it is.
    pub exclusive: Amount,
    /// Samples that have it on their stack; each sample counts once.
    pub inclusive: Amount,
}

/// Functions by number, the most expensive one first.
pub fn functions(profile: &Profile, sums: &Sums) -> Vec<Attributed<u32>> {
    let of_frames: Vec<u32> = profile.code.frames().iter().map(|frame| frame.function).collect();
    let found = attribute(profile, sums, &of_frames, profile.code.functions().len());
    let with_number = found.into_iter().zip(0..).filter(|((_, inclusive), _)| !inclusive.is_nothing());
    sorted(with_number.map(|((exclusive, inclusive), what)| Attributed { what, exclusive, inclusive }).collect())
}

/// Lines of source files; frames without one are left out.
pub fn lines<'p>(profile: &'p Profile, sums: &Sums) -> Vec<Attributed<(&'p str, u32)>> {
    let mut numbers = FxHashMap::default();
    let mut list = Vec::new();
    let mut of_frames = Vec::with_capacity(profile.code.frames().len());
    for frame in profile.code.frames() {
        let place = frame.file.as_deref().filter(|_| frame.line > 0).map(|file| (file, frame.line));
        of_frames.push(place.map_or(u32::MAX, |place| {
            *numbers.entry(place).or_insert_with(|| {
                list.push(place);
                u32::try_from(list.len() - 1).unwrap_or(u32::MAX)
            })
        }));
    }
    let found = attribute(profile, sums, &of_frames, list.len());
    let with_place = found.into_iter().zip(list).filter(|((_, inclusive), _)| !inclusive.is_nothing());
    sorted(with_place.map(|((exclusive, inclusive), what)| Attributed { what, exclusive, inclusive }).collect())
}

fn sorted<K: Ord + Copy>(mut list: Vec<Attributed<K>>) -> Vec<Attributed<K>> {
    list.sort_by_key(|one| std::cmp::Reverse((one.exclusive.total_ns(), one.inclusive.total_ns())));
    list
}

/// Exclusive and inclusive sums of each thing; `of_frames` has the thing of each frame.
fn attribute(profile: &Profile, sums: &Sums, of_frames: &[u32], things: usize) -> Vec<(Amount, Amount)> {
    let mut found = vec![(Amount::default(), Amount::default()); things];
    // The last stack that has been counted for each thing.
    let mut counted = vec![u32::MAX; things];
    for (context, amount) in (0..).zip(&sums.contexts).filter(|(_, amount)| !amount.is_nothing()) {
        for (depth, frame) in profile.frames(context).enumerate() {
            let Some(thing) = of_frames.get(frame as usize).map(|thing| *thing as usize) else { continue };
            let (Some(sum), Some(last)) = (found.get_mut(thing), counted.get_mut(thing)) else { continue };
            if depth == 0 {
                sum.0 += *amount;
            }
            if *last != context {
                sum.1 += *amount;
                *last = context;
            }
        }
    }
    found
}
