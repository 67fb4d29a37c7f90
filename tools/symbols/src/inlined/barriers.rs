//! Calls of an explicit barrier's function at the ends of other constructs.

use std::collections::HashMap;

use call_sites::Kind;

use super::calls::{Called, Calls, Routine};
use super::directive::{Directive, Shape, Written};
use super::{Inlined, Scan, Sorted, SourcePosition};
use crate::time::is_over;

/// A construct that a barrier ends, as far as the preceding calls show it.
struct Open {
    function: Option<u64>,
    kind: Kind,
    place: Option<SourcePosition>,
}

impl Scan<'_> {
    /// Sorts the calls of barriers.
    pub(super) fn barriers(&mut self, calls: &Calls, pairs: &[Inlined]) -> Sorted {
        let (mut known, mut others) = (Vec::new(), 0);
        let mut open: Option<Open> = None;
        let pairs: HashMap<u64, &Inlined> = pairs.iter().map(|pair| (pair.site.address, pair)).collect();
        let first = first_barriers(calls, &pairs);
        for call in calls.all.iter().take_while(|_| !is_over()) {
            match call.routine {
                Routine::Barrier => match self.end(call, open.take(), first.get(&call.at).copied()) {
                    Some((kind, place)) => known.push(Self::inlined(call, kind, place)),
                    None => others += 1,
                },
                Routine::SingleStart => {
                    open = Some(Open { function: self.function(call), kind: Kind::SingleEnd, place: None });
                }
                Routine::ThreadNum => {
                    if let Some(place) = pairs.get(&call.returns).and_then(|pair| pair.place.clone()) {
                        open = Some(Open { function: self.function(call), kind: Kind::LoopEnd, place: Some(place) });
                    }
                }
                Routine::OtherShare => open = None,
                Routine::NumThreads | Routine::NumTeams | Routine::TeamNum => {}
            }
        }
        Sorted { known, others }
    }

    /// The construct that a barrier ends, from the source and the calls before. `first`: the barrier is the first one after the start
    /// of such a construct.
    fn end(
        &mut self,
        call: &Called,
        open: Option<Open>,
        first: Option<Kind>,
    ) -> Option<(Kind, Option<SourcePosition>)> {
        let position = self.position(call)?;
        let written = self.directives.at_or_above(&position);
        if first.is_some() && written.directive().is_some_and(|it| it.is_barrier()) && !self.has_row(call) {
            // gcc gives a copy of an implicit barrier no line.
            return first.map(|kind| (kind, None));
        }
        if let Some(directive) = written.directive()
            && (directive.position().line == position.line || !directive.is_barrier())
        {
            return Some((end_of(&directive)?, Some(directive.position().clone())));
        }
        // Then it is the last statement of a construct. An explicit barrier has its directive's line, or a macro's.
        let Written::Other(shape) = written else { return None };
        let above = self.directives.above(&position).filter(|directive| !directive.is_nowait());
        let is_its = |kind| above.as_ref().filter(|directive| end_of(directive) == Some(kind));
        let open = open.filter(|open| open.function == self.function(call) && shape != Shape::Macro);
        if let Some(open) = open {
            let is_nowait =
                |place: &SourcePosition| self.directives.at(place).directive().is_some_and(|it| it.is_nowait());
            let place = is_its(open.kind).map(|directive| directive.position().clone()).or(open.place);
            return (!place.as_ref().is_some_and(is_nowait)).then_some((open.kind, place));
        }
        // From -O1 on, a later loop of a function makes no calls when it starts.
        let directive = is_its(Kind::LoopEnd).filter(|_| shape == Shape::Statement)?;
        Some((Kind::LoopEnd, Some(directive.position().clone())))
    }
}

/// The barriers that come first on a way from the beginning of a construct, by their addresses.
fn first_barriers(calls: &Calls, pairs: &HashMap<u64, &Inlined>) -> HashMap<u64, Kind> {
    let is_pair = |call: &Called| pairs.contains_key(&call.returns);
    let begins = calls.all.iter().take_while(|_| !is_over()).filter_map(|call| match call.routine {
        Routine::SingleStart => Some((call, Kind::SingleEnd)),
        Routine::ThreadNum if is_pair(call) => Some((call, Kind::LoopEnd)),
        _ => None,
    });
    let ends = begins.flat_map(|(call, kind)| calls.first_after(call.returns).into_iter().map(move |it| (it, kind)));
    ends.filter(|(call, _)| call.routine == Routine::Barrier).map(|(call, kind)| (call.at, kind)).collect()
}

/// The implicit barrier that a directive implies; `None` for an explicit one.
fn end_of(directive: &Directive) -> Option<Kind> {
    if directive.is_barrier() {
        None
    } else if directive.is_combined() {
        Some(Kind::OtherEnd)
    } else if directive.is_loop() {
        Some(Kind::LoopEnd)
    } else if directive.is_single() {
        Some(Kind::SingleEnd)
    } else {
        directive.is_construct_with_barrier().then_some(Kind::OtherEnd)
    }
}
