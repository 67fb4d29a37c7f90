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
    for finding in lost {
        let at = *known
            .entry(key(&finding))
            .or_insert_with(|| merged.iter().position(|former| explains(former, &finding)).unwrap_or(merged.len()));
        match merged.get_mut(at) {
            Some(former) => join(former, finding),
            None => merged.push(finding),
        }
    }
    merged.sort_by_key(|finding| !finding.sure);
    merged
}

/// Number of accesses whose place isn't known.
fn lost_places(finding: &Finding) -> usize {
    finding.sides.iter().filter(|side| side.stack.is_empty()).count()
}

/// True if `former` has the known access of a finding whose other place is lost, to the same variable.
fn explains(former: &Finding, finding: &Finding) -> bool {
    let seen = finding.sides.iter().find(|side| !side.stack.is_empty());
    let is_seen = |side: &Side| seen.is_some_and(|seen| seen.write == side.write && place(seen) == place(side));
    let same_variable = finding.variable.name.is_none() || former.variable.name == finding.variable.name;
    former.sure == finding.sure && same_variable && former.sides.iter().any(is_seen)
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
    fn accesses_whose_stack_is_lost_are_told_apart_by_the_variable() {
        let named = |name: &str| {
            let variable = Variable { name: Some(name.to_owned()), ..Variable::default() };
            Finding { variable, ..finding([side(3, true), Side::default()], true, 1) }
        };
        assert_eq!(merged(vec![named("a"), named("b"), named("a")]).len(), 2);
    }
}
