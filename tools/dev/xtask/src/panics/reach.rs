//! Reachability in the call graph.

use std::collections::{BTreeSet, VecDeque};

use super::image::{Image, Target};
use super::rules::{self, Fault};

/// Fault, with the calls that lead to it.
pub(super) type Found<'a> = (Fault, Vec<&'a str>);

/// Targets that `entries` reach, and the faults on the way: what `fault` says about a target, given the functions that lead to it. Neither
/// a function that is an end is followed, nor one that doesn't return.
pub(super) fn walk<'a>(
    image: &'a Image,
    entries: impl IntoIterator<Item = usize>,
    is_end: impl Fn(&str) -> bool,
    fault: impl Fn(&[&str], &Target) -> Option<Fault>,
) -> (BTreeSet<Target>, Vec<Found<'a>>) {
    let mut reached: BTreeSet<_> = entries.into_iter().map(Target::Own).collect();
    let function = |target: &Target, way: Vec<&'a str>| match target {
        Target::Own(index) => image.functions.get(*index).map(|function| (function, way)),
        _ => None,
    };
    let start = |target: &Target| function(target, Vec::new());
    let (mut open, mut faults): (VecDeque<_>, _) = (reached.iter().filter_map(start).collect(), Vec::new());
    while let Some((from, mut way)) = open.pop_front() {
        way.push(from.name.as_str());
        for target in &from.targets {
            let name = image.name(target);
            if let Some(fault) = fault(&way, target) {
                faults.push((fault, [way.as_slice(), &[name]].concat()));
            } else if rules::fault(name).is_none() && reached.insert(target.clone()) && !is_end(name) {
                open.extend(function(target, way.clone()));
            }
        }
    }
    (reached, faults)
}
