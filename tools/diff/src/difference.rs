//! Parts of two measurements that are compared: the figures of each origin that both sides have.

use serde::Serialize;

use super::compare::Comparison;
use super::side::{Origin, Side};

/// Comparisons of everything that two measurements have in common.
#[derive(Debug)]
pub struct Difference {
    /// The comparison by events, if both are traces.
    pub(crate) first: Comparison,
    /// The comparison by samples, if both are traces with samples.
    pub(crate) samples: Option<Comparison>,
    pub(crate) left_out: Option<LeftOut>,
}

/// Figures of one side alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct LeftOut {
    /// `"before"` or `"after"`.
    pub(crate) side: &'static str,
    /// `"profile"` (samples) or `"trace"` (events).
    #[serde(rename = "kind")]
    pub(crate) origin: Origin,
}

/// Sides of one origin, before and after.
#[derive(Debug)]
pub struct Pairs<'s> {
    first: [&'s Side; 2],
    samples: Option<[&'s Side; 2]>,
    left_out: Option<LeftOut>,
}

/// Pairs the sides of two measurements; `None` if they have no origin in common.
pub fn pairs<'s>(before: &'s [Side], after: &'s [Side]) -> Option<Pairs<'s>> {
    let find = |sides: &'s [Side], origin| sides.iter().find(|side| side.origin == origin);
    let mut both = before.iter().filter_map(|side| Some([side, find(after, side.origin)?]));
    let alone = |side, sides: &'s [Side], others: &'s [Side]| {
        let missing = sides.iter().find(|one| find(others, one.origin).is_none())?;
        Some(LeftOut { side, origin: missing.origin })
    };
    Some(Pairs {
        first: both.next()?,
        samples: both.next(),
        left_out: alone("before", before, after).or_else(|| alone("after", after, before)),
    })
}

impl Difference {
    /// Returns `None` if a side has no time.
    pub fn of(pairs: &Pairs<'_>) -> Option<Self> {
        let compare = |[before, after]: [&Side; 2]| Comparison::of(before, after);
        let samples = match pairs.samples {
            Some(samples) => Some(compare(samples)?),
            None => None,
        };
        Some(Self { first: compare(pairs.first)?, samples, left_out: pairs.left_out })
    }

    /// True if a wall time has grown by more than this part, by events or by samples.
    pub fn is_above(&self, part: f64) -> bool {
        std::iter::once(&self.first).chain(&self.samples).any(|it| it.wall.change.is_above(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(walls: &[(Origin, f64)]) -> Vec<Side> {
        walls.iter().map(|(origin, wall)| Side { origin: *origin, wall_ns: vec![*wall], ..Side::default() }).collect()
    }

    #[test]
    fn one_slower_part_is_enough() {
        let before = sides(&[(Origin::Trace, 100.0), (Origin::Profile, 100.0)]);
        for (events, samples, is_above) in [(100.0, 120.0, true), (120.0, 100.0, true), (109.0, 109.0, false)] {
            let after = sides(&[(Origin::Trace, events), (Origin::Profile, samples)]);
            let difference = Difference::of(&pairs(&before, &after).unwrap()).unwrap();
            assert_eq!((difference.is_above(0.1), difference.left_out), (is_above, None));
        }
    }

    #[test]
    fn a_part_of_one_side_is_left_out() {
        let both = sides(&[(Origin::Trace, 1.0), (Origin::Profile, 1.0)]);
        for (origin, other) in [(Origin::Trace, Origin::Profile), (Origin::Profile, Origin::Trace)] {
            let one = sides(&[(origin, 1.0)]);
            for (before, after, side) in [(&both, &one, "before"), (&one, &both, "after")] {
                let pairs = pairs(before, after).unwrap();
                assert_eq!((pairs.first[0].origin, pairs.first[1].origin), (origin, origin));
                assert!(pairs.samples.is_none());
                assert_eq!(pairs.left_out, Some(LeftOut { side, origin: other }));
            }
        }
        let stat = sides(&[(Origin::Stat, 1.0)]);
        assert!(pairs(&stat, &both).is_none() && pairs(&sides(&[(Origin::Profile, 1.0)]), &stat).is_none());
    }
}
