//! One finding for all reports about the same pair of places.

use std::collections::HashMap;

use crate::finding::{Finding, Side};
use crate::frames::Frame;

/// A place: function, file and line; without a line, the address in the file.
type Place<'a> = (&'a str, Option<&'a str>, u32, &'a str, u64);

fn place(side: &Side) -> Option<Place<'_>> {
    let Frame { function, file, line, object, address, .. } = side.frame()?;
    Some((function, file.as_deref(), *line, object, if *line > 0 { 0 } else { *address }))
}

/// Both places, sorted; and the variable, if a place isn't known.
type Key = (String, String);

fn key(finding: &Finding) -> Key {
    let [one, other] = finding.sides.each_ref().map(|side| format!("{:?}", place(side)));
    let whole = finding.sides.iter().all(|side| !side.stack.is_empty());
    let (first, second) = if one <= other { (one, other) } else { (other, one) };
    (first, if whole { second } else { format!("{second} {:?}", finding.variable.name) })
}

/// Merges findings, in the order of their first reports; sure ones come first.
///
/// A report that has lost one place joins another one about the same variable that has the other place.
pub(crate) fn merged(all: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    let mut known: HashMap<Key, usize> = HashMap::new();
    let (whole, lost): (Vec<_>, Vec<_>) = all.into_iter().partition(|finding| lost_places(finding) == 0);
    for finding in whole {
        let at = *known.entry(key(&finding)).or_insert(merged.len());
        match merged.get_mut(at) {
            Some(former) => join(former, finding),
            None => merged.push(finding),
        }
    }
    let mut accesses = Accesses::default();
    if !lost.is_empty() {
        merged.iter().enumerate().for_each(|(at, former)| accesses.add(former, at));
    }
    for finding in lost {
        let at = *known.entry(key(&finding)).or_insert_with(|| accesses.explain(&finding).unwrap_or(merged.len()));
        match merged.get_mut(at) {
            Some(former) => join(former, finding),
            None => merged.push(finding),
        }
        merged.get(at).into_iter().for_each(|former| accesses.add(former, at));
    }
    merged.sort_by_key(|finding| !finding.sure);
    merged
}

/// Number of accesses whose place isn't known.
fn lost_places(finding: &Finding) -> usize {
    finding.sides.iter().filter(|side| side.stack.is_empty()).count()
}

/// An access whose place is known: of a sure race, a write, the place, and the variable. `None`: any variable.
type Access = (bool, bool, String, Option<String>);

/// The first finding with each access.
#[derive(Default)]
struct Accesses(HashMap<Access, usize>);

impl Accesses {
    /// Adds the accesses of the finding with this number.
    fn add(&mut self, finding: &Finding, number: usize) {
        for (sure, write, place) in known_accesses(finding) {
            for name in [None, finding.variable.name.clone()] {
                let first = self.0.entry((sure, write, place.clone(), name)).or_insert(number);
                *first = number.min(*first);
            }
        }
    }

    /// The first finding that has the known access of one whose other place is lost, to the same variable.
    fn explain(&self, finding: &Finding) -> Option<usize> {
        let (sure, write, place) = known_accesses(finding).next()?;
        self.0.get(&(sure, write, place, finding.variable.name.clone())).copied()
    }
}

fn known_accesses(finding: &Finding) -> impl Iterator<Item = (bool, bool, String)> {
    let known = finding.sides.iter().filter(|side| !side.stack.is_empty());
    known.map(|side| (finding.sure, side.write, format!("{:?}", place(side))))
}

fn join(former: &mut Finding, mut finding: Finding) {
    finding.times += former.times;
    finding.runs.append(&mut former.runs);
    finding.pids.append(&mut former.pids);
    finding.teams.append(&mut former.teams);
    // The most informative report: sure, with a name, with an access that only reads (which shows what the value is
    // for).
    let worth = |finding: &Finding| {
        let reads = finding.sides.iter().any(|side| !side.write);
        let known = finding.sides.iter().filter(|side| !side.stack.is_empty()).count();
        (finding.sure, known, finding.variable.name.is_some(), reads)
    };
    if worth(&finding) > worth(former) {
        *former = finding;
    } else {
        let Finding { times, runs, pids, teams, .. } = finding;
        (former.times, former.runs, former.pids, former.teams) = (times, runs, pids, teams);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Variable;

    fn side(line: u32, write: bool) -> Side {
        let frame = Frame { function: "f".to_owned(), file: Some("a.c".to_owned()), line, ..Frame::default() };
        Side { write, stack: vec![frame], ..Side::default() }
    }

    fn finding(sides: [Side; 2], sure: bool, run: usize) -> Finding {
        Finding {
            sure,
            why_possible: (!sure).then(|| "chunks of one thread".to_owned()),
            sides,
            variable: Variable::default(),
            times: 1,
            runs: [run].into(),
            pids: [7].into(),
            teams: [2].into(),
        }
    }

    #[test]
    fn reports_about_a_pair_of_places_are_one_and_sure_if_one_is() {
        let all = vec![
            finding([side(3, true), side(9, false)], false, 1),
            finding([side(5, true), side(5, true)], false, 1),
            finding([side(9, false), side(3, true)], true, 2),
            finding([side(5, true), side(5, false)], false, 2),
        ];
        let merged = merged(all);
        let [sure, possible] = merged.as_slice() else { panic!("{merged:?}") };
        assert!(sure.sure && sure.why_possible.is_none() && sure.times == 2);
        assert_eq!(sure.runs, [1, 2].into());
        // The report with the read is more informative.
        assert!(!possible.sure && possible.times == 2 && !possible.sides[1].write);
    }

    #[test]
    fn accesses_without_a_line_are_told_apart_by_address() {
        let at = |address| {
            let frame = Frame { function: "f".to_owned(), object: "p".to_owned(), address, ..Frame::default() };
            Side { stack: vec![frame], ..Side::default() }
        };
        let all = vec![finding([at(1), at(2)], true, 1), finding([at(1), at(3)], true, 1)];
        assert_eq!(merged(all).len(), 2);
    }

    #[test]
    fn a_report_without_a_place_joins_the_one_that_has_it() {
        let lost = || Side { write: true, ..Side::default() };
        let all = vec![
            finding([side(3, true), lost()], true, 1),
            finding([side(9, false), side(3, true)], true, 2),
            finding([lost(), side(3, true)], true, 3),
            finding([lost(), side(5, true)], true, 3),
        ];
        let merged = merged(all);
        let [both, other] = merged.as_slice() else { panic!("{merged:?}") };
        assert_eq!((both.times, &both.runs), (3, &[1, 2, 3].into()));
        assert!(both.sides.iter().all(|side| !side.stack.is_empty()));
        assert_eq!(other.sides[1].frame().map(|frame| frame.line), Some(5));
    }

    #[test]
    fn many_reports_without_a_place_join_the_first_about_their_variable() {
        let named = |sides: [Side; 2], name: Option<String>, run| {
            let variable = Variable { name, ..Variable::default() };
            Finding { variable, ..finding(sides, true, run) }
        };
        let lost = || Side { write: true, ..Side::default() };
        let element = |number| Some(format!("a[{number}]"));
        let count = 4_000;
        // Accesses to elements at line 3 and at another one; then those at line 3 alone, each twice, of which half are new.
        let all = (0..count).map(|number| named([side(3, true), side(10 + number, false)], element(number), 1));
        let alone = |number| named([side(3, true), lost()], element(number), 2);
        let merged = merged(all.chain((0..2 * count).chain(0..2 * count).map(alone)).collect());
        assert_eq!(merged.len(), 2 * count as usize);
        assert!(
            merged.iter().take(count as usize).all(|finding| finding.times == 3 && !finding.sides[1].stack.is_empty())
        );
        assert!(merged.iter().skip(count as usize).all(|finding| finding.times == 2));
        let of_none = super::merged(vec![
            named([side(3, true), side(9, false)], element(1), 1),
            named([side(3, true), lost()], element(2), 1),
            named([side(3, true), lost()], None, 1),
        ]);
        assert_eq!(of_none.iter().map(|finding| finding.times).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn accesses_whose_stack_is_lost_are_told_apart_by_the_variable() {
        let named = |name: &str| {
            let variable = Variable { name: Some(name.to_owned()), ..Variable::default() };
            Finding { variable, ..finding([side(3, true), Side::default()], true, 1) }
        };
        assert_eq!(merged(vec![named("a"), named("b"), named("a")]).len(), 2);
    }
}
