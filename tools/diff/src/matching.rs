//! The regions of two sides, matched within each function: by line, or by order where the source has moved.

use std::collections::BTreeMap;

use statistics::change::mean;

use super::side::{Figures, Scope, Spot};

/// Place with regions, of one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'s> {
    scope: &'s Scope,
    spot: &'s Spot,
    pub(crate) figures: &'s Figures,
}

/// Places of both sides.
#[derive(Debug, Default)]
pub(crate) struct Matched<'s> {
    /// Before and after.
    pub(crate) pairs: Vec<[Place<'s>; 2]>,
    pub(crate) gone: Vec<Place<'s>>,
    pub(crate) new: Vec<Place<'s>>,
}

type Regions = BTreeMap<Scope, Spots>;
type Spots = BTreeMap<Spot, Figures>;

impl<'s> Matched<'s> {
    pub(crate) fn of(before: &'s Regions, after: &'s Regions) -> Self {
        let mut matched = Self::default();
        for (scope, spots) in before {
            match after.get(scope) {
                Some(others) => matched.add(scope, spots, others),
                None => matched.gone.extend(places(scope, spots)),
            }
        }
        for (scope, spots) in after.iter().filter(|(scope, _)| !before.contains_key(scope)) {
            matched.new.extend(places(scope, spots));
        }
        matched
    }

    /// Adds the places of a function.
    fn add(&mut self, scope: &'s Scope, before: &'s Spots, after: &'s Spots) {
        let moved_by = moved_by(before, after);
        if moved_by.is_none() && are_in_order(before, after) {
            self.pairs.extend(places(scope, before).zip(places(scope, after)).map(|(one, other)| [one, other]));
            return;
        }
        let mut rest: BTreeMap<&Spot, Place<'s>> = places(scope, after).map(|place| (place.spot, place)).collect();
        for one in places(scope, before) {
            match rest.remove(&one.spot.moved(moved_by.unwrap_or(0))) {
                Some(other) => self.pairs.push([one, other]),
                None => self.gone.push(one),
            }
        }
        self.new.extend(rest.into_values());
    }
}

/// The number of lines by which all places of the side with fewer of them have moved, if the other side has them all.
/// A single place that has moved may be any of several.
fn moved_by(before: &Spots, after: &Spots) -> Option<i64> {
    let (few, many, towards) = if before.len() <= after.len() { (before, after, 1) } else { (after, before, -1) };
    let fits = |by: &i64| few.keys().all(|spot| many.contains_key(&spot.moved(*by)));
    if fits(&0) {
        return Some(0);
    }
    let first = few.keys().next()?;
    let mut fitting = many.keys().filter_map(|spot| spot.below(first)).filter(fits);
    let by = fitting.next().filter(|_| few.len() > 1 && fitting.next().is_none())?;
    Some(by.wrapping_mul(towards))
}

/// True if the places of both sides match by order: there are as many, and none would be matched with another while
/// the other side has its line.
fn are_in_order(before: &Spots, after: &Spots) -> bool {
    let is_crossed =
        |(one, other): (&Spot, &Spot)| one != other && (after.contains_key(one) || before.contains_key(other));
    before.len() == after.len() && !before.keys().zip(after.keys()).any(is_crossed)
}

fn places<'s>(scope: &'s Scope, spots: &'s Spots) -> impl Iterator<Item = Place<'s>> {
    spots.iter().map(move |(spot, figures)| Place { scope, spot, figures })
}

impl Spot {
    /// The spot that is as many lines below.
    fn moved(&self, by: i64) -> Self {
        match self {
            Self::Line(line) => Self::Line(line.wrapping_add_signed(by)),
            spot => spot.clone(),
        }
    }

    /// Number of lines that it is below another.
    fn below(&self, other: &Self) -> Option<i64> {
        match (self, other) {
            (Self::Line(line), Self::Line(other)) => Some(line.wrapping_sub(*other).cast_signed()),
            _ => None,
        }
    }
}

impl Place<'_> {
    fn line(&self) -> Option<u64> {
        match self.spot {
            Spot::Line(line) => Some(*line),
            Spot::Unknown | Spot::Address(_) => None,
        }
    }

    pub(crate) fn mean_ns(&self) -> f64 {
        mean(&self.figures.total_ns).unwrap_or(0.0)
    }

    /// Name for people.
    pub(crate) fn name(&self) -> String {
        let Scope { function, file } = self.scope;
        match (function.as_str(), self.line()) {
            ("", None) => "(unknown)".to_owned(),
            (function, None) => function.to_owned(),
            (function, Some(line)) => format!("{function} at {file}:{line}"),
        }
    }

    /// Name for people, with the line after, if that is another one.
    pub(crate) fn name_with(&self, after: &Self) -> String {
        match after.line() {
            Some(line) if self.line() != Some(line) => format!("{}, now line {line}", self.name()),
            _ => self.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(spots: impl IntoIterator<Item = Spot>) -> Regions {
        let scope = Scope { function: "f".to_owned(), file: "a.c".to_owned() };
        BTreeMap::from([(scope, spots.into_iter().map(|spot| (spot, Figures::default())).collect())])
    }

    /// Names of the pairs, of what is gone, and of what is new.
    fn matched(before: &Regions, after: &Regions) -> [Vec<String>; 3] {
        let Matched { pairs, gone, new } = Matched::of(before, after);
        let names = |all: Vec<Place<'_>>| all.iter().map(Place::name).collect();
        [pairs.iter().map(|[one, other]| one.name_with(other)).collect(), names(gone), names(new)]
    }

    fn by_line(before: &[u64], after: &[u64]) -> [String; 3] {
        let of = |lines: &[u64]| regions(lines.iter().copied().map(Spot::Line));
        matched(&of(before), &of(after)).map(|names| names.join("; ").replace("f at a.c:", ""))
    }

    #[test]
    fn a_region_that_one_side_did_not_execute_shifts_no_others() {
        assert_eq!(by_line(&[9, 13], &[13]), ["13", "9", ""]);
        assert_eq!(by_line(&[13], &[9, 13]), ["13", "", "9"]);
        assert_eq!(by_line(&[9, 13], &[13, 20]), ["13", "9", "20"]);
        assert_eq!(by_line(&[9], &[]), ["", "9", ""]);
    }

    #[test]
    fn regions_that_have_moved_match_by_order() {
        assert_eq!(by_line(&[9, 13], &[11, 15]), ["9, now line 11; 13, now line 15", "", ""]);
        assert_eq!(by_line(&[9, 13], &[13, 17]), ["9, now line 13; 13, now line 17", "", ""]);
        assert_eq!(by_line(&[9, 13, 20], &[9, 13, 24]), ["9; 13; 20, now line 24", "", ""]);
        assert_eq!(by_line(&[9, 13], &[11, 15, 22]), ["9, now line 11; 13, now line 15", "", "22"]);
        assert_eq!(by_line(&[5, 9, 14], &[11, 16]), ["9, now line 11; 14, now line 16", "5", ""]);
    }

    #[test]
    fn unequal_numbers_of_regions_at_other_lines_match_with_none() {
        assert_eq!(by_line(&[9, 13], &[14]), ["", "9; 13", "14"]);
        assert_eq!(by_line(&[9, 13], &[11, 15, 19]), ["", "9; 13", "11; 15; 19"]);
        assert_eq!(by_line(&[9, 13], &[9, 12, 17]), ["9", "13", "12; 17"]);
    }

    #[test]
    fn regions_without_lines_match_by_address_or_order() {
        let of = |all: &[&str]| regions(all.iter().map(|address| Spot::Address((*address).to_owned())));
        let counts = |before: &[&str], after: &[&str]| matched(&of(before), &of(after)).map(|names| names.len());
        assert_eq!(counts(&["10", "20"], &["20"]), [1, 1, 0]);
        assert_eq!(counts(&["10", "20"], &["14", "24"]), [2, 0, 0]);
    }
}
