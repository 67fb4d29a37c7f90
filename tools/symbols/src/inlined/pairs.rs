//! Pairs of calls at the start of a loop with a static schedule, or of a `distribute` construct.

use std::collections::HashSet;

use call_sites::Kind;

use super::calls::{Called, Calls, Routine};
use super::{Inlined, Scan, Sorted, SourcePosition};
use crate::dwarf::origins;

/// Decision about whether a pair is one of gcc's.
enum Verdict {
    /// It is, and the construct is at this place.
    Construct(Option<SourcePosition>),
    Unknown,
}

impl Scan<'_> {
    /// Sorts the pairs of calls.
    pub(super) fn pairs(&mut self, calls: &Calls) -> Sorted {
        let (mut known, mut others) = (Vec::new(), 0);
        let mut with_loop = HashSet::new();
        for pair in calls.all.windows(2) {
            let [first, second] = pair else { continue };
            let kind = match (first.routine, second.routine) {
                (Routine::NumThreads, Routine::ThreadNum) => Kind::Loop,
                (Routine::NumTeams, Routine::TeamNum) => Kind::Distribute,
                _ => continue,
            };
            if !calls.are_adjacent(first, second) {
                continue;
            }
            let is_first = self.function(first).is_none_or(|function| with_loop.insert(function));
            match self.verdict(calls, [first, second], is_first) {
                Verdict::Construct(place) => known.push(Self::inlined(second, kind, place)),
                Verdict::Unknown => others += 1,
            }
        }
        Sorted { known, others }
    }

    fn verdict(&mut self, calls: &Calls, [first, second]: [&Called; 2], is_first: bool) -> Verdict {
        let arithmetic = calls.arithmetic_after(second);
        let Some((one, other)) = self.position(first).zip(self.position(second)) else {
            let is_compiled = arithmetic.divides && self.is_fortran(first);
            return if is_compiled { Verdict::Construct(None) } else { Verdict::Unknown };
        };
        let written = self.directives.at_or_above(&one);
        let directive =
            written.directive().filter(|directive| directive.is_loop()).map(|directive| directive.position().clone());
        // gcc may give the calls the line of the region.
        let is_of_region = written.directive().is_some_and(|it| it.is_combined() && !it.is_loop());
        let of_region = if is_first && is_of_region { self.directives.loop_below(&one) } else { None };
        let of_region = of_region.map(|directive| directive.position().clone());
        let is_one_place = one == other;
        let is_computed = match (one.column, written.is_readable()) {
            // Without columns, only the text decides.
            (0, _) => false,
            (_, true) => arithmetic.divides,
            (_, false) => arithmetic.divides || arithmetic.products >= 2,
        };
        let is_by_text = directive.is_some() && !self.directives.has_routine(&one);
        if is_one_place && (is_computed || is_by_text) {
            return Verdict::Construct(Some(directive.or(of_region).unwrap_or(one)));
        }
        // A call that was inlined between the two, `size()` for example, has its own line.
        let begin = (is_first && arithmetic.divides).then(|| self.combined(first)).flatten();
        begin.map_or(Verdict::Unknown, |place| Verdict::Construct(Some(place)))
    }

    /// True for a call in a Fortran function, by its name.
    fn is_fortran(&self, call: &Called) -> bool {
        let Some(symbol) = self.file.symbols().containing(call.at) else { return false };
        let author = symbol.name.split('.').next().unwrap_or_default();
        author == "MAIN__" || author.ends_with('_') || author.starts_with("__") && author.contains("_MOD_")
    }

    /// The place of a combined construct (`parallel for`) whose outlined function contains the call.
    fn combined(&mut self, call: &Called) -> Option<SourcePosition> {
        let symbol = self.file.symbols().containing(call.at).filter(|symbol| symbol.name.contains("._omp_fn."))?;
        let begin = symbol.address;
        let place = match self.begins.get(&begin) {
            Some(known) => known.clone(),
            None => {
                let dwarf = self.file.debug_info.as_ref()?.sections();
                let place = origins(&dwarf, &[begin]).remove(&begin).and_then(|origin| origin.place);
                let place = place.map(|(file, line)| SourcePosition { file, line, column: 0 });
                self.begins.insert(begin, place.clone());
                place
            }
        }?;
        let written = self.directives.at(&place);
        written
            .directive()
            .filter(|directive| directive.is_loop() && directive.is_combined())
            .map(|directive| directive.position().clone())
    }
}

impl Inlined {
    /// True for the start of a construct.
    pub(super) fn is_pair(&self) -> bool {
        !self.site.kind.is_barrier()
    }
}
