//! Pairs of calls at the start of a loop with a static schedule, or of a `distribute` construct.

use std::collections::{HashMap, HashSet};

use call_sites::Kind;

use super::calls::{Called, Calls, Routine};
use super::directive::{Directive, Written};
use super::{Scan, Sorted, SourcePosition};
use crate::dwarf::origins;
use crate::file::CodeFile;
use crate::symbol_table::Symbol;
use crate::time::is_over;

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
        let mut last = 0;
        for pair in calls.all.windows(2).take_while(|_| !is_over()) {
            let [first, second] = pair else { continue };
            let kind = match (first.routine, second.routine) {
                (Routine::NumThreads, Routine::ThreadNum) => Kind::Loop,
                (Routine::NumTeams, Routine::TeamNum) => Kind::Distribute,
                (Routine::ThreadNum, Routine::NumThreads) if first.at != last => {
                    // gcc 16 asks for the number of threads only where the thread has a chunk.
                    let place = self.loop_of_both(first, second);
                    known.extend(place.map(|place| Self::inlined(first, Kind::Loop, Some(place))));
                    continue;
                }
                _ => continue,
            };
            if !calls.are_adjacent(first, second) {
                continue;
            }
            last = second.at;
            let is_first = self.function(first).is_none_or(|function| with_loop.insert(function));
            match self.verdict(calls, [first, second], is_first) {
                Verdict::Construct(place) => known.push(Self::inlined(second, kind, place)),
                Verdict::Unknown => others += 1,
            }
        }
        Sorted { known, others }
    }

    /// The loop whose directive two calls are at.
    fn loop_of_both(&mut self, first: &Called, second: &Called) -> Option<SourcePosition> {
        let place = self.position(first).filter(|place| self.position(second).as_ref() == Some(place))?;
        let directive = self.directives.at(&place).directive().filter(Directive::begins_loop)?;
        (!self.directives.has_routine(&place)).then(|| directive.position().clone())
    }

    fn verdict(&mut self, calls: &Calls, [first, second]: [&Called; 2], is_first: bool) -> Verdict {
        let arithmetic = calls.arithmetic_after(second);
        let Some((one, other)) = self.position(first).zip(self.position(second)) else {
            let is_compiled = arithmetic.divides && self.is_fortran(calls, first);
            return if is_compiled { Verdict::Construct(None) } else { Verdict::Unknown };
        };
        let written = self.directives.at_or_above(&one);
        let own = written.directive().filter(Directive::begins_loop);
        let is_by_text = own.is_some() && !self.directives.has_routine(&one);
        let has_line = self.has_line(calls, first);
        let after = if own.is_none() || !has_line { self.loop_after(calls, second, (&one, &written)) } else { None };
        // In a function that isn't outlined gcc gives the calls no line. They seem to have that of what was before.
        let is_computed = match (one.column, written.is_readable() && has_line) {
            // Without columns, only the text tells.
            (0, _) => false,
            (_, true) => arithmetic.divides,
            (_, false) => arithmetic.divides || arithmetic.products >= 2,
        };
        if one == other && (is_computed || is_by_text) {
            let directive = after.or(own).map(|directive| directive.position().clone());
            return Verdict::Construct(Some(directive.unwrap_or(one)));
        }
        // A call that was inlined between the two, `size()` for example, has its own line.
        let begin = (is_first && arithmetic.divides).then(|| self.combined(first)).flatten();
        begin.map_or(Verdict::Unknown, |place| Verdict::Construct(Some(place)))
    }

    /// True if the call's line is its own: its row begins after the last call or branch before.
    fn has_line(&self, calls: &Calls, call: &Called) -> bool {
        let information = self.file.debug_info.as_ref();
        let begin = information.and_then(|information| information.position(call.at)).map(|(.., begin)| begin);
        begin.is_some_and(|begin| calls.are_joined(begin, call))
    }

    /// The loop that the lines after a pair are of. `own`: line of the pair, and what is written there.
    fn loop_after(
        &mut self,
        calls: &Calls,
        second: &Called,
        (own, written): (&SourcePosition, &Written),
    ) -> Option<Directive> {
        if written.is_macro() {
            return None;
        }
        let information = self.file.debug_info.as_ref()?;
        for at in calls.ways_from(second.returns) {
            // A row that begins elsewhere may be of what was before.
            let Some((file, line, column, _)) = information.position(at).filter(|(.., begin)| *begin == at) else {
                continue;
            };
            if (line != own.line || file != own.file)
                && let Some(found) = self.directives.loop_around(&SourcePosition { file, line, column })
            {
                return Some(found);
            }
        }
        if written.is_region() { None } else { self.directives.loop_around(own) }
    }

    /// True for a call in a function of Fortran's, by its name. Procedures in others have a number after theirs.
    fn is_fortran(&self, calls: &Calls, call: &Called) -> bool {
        let Some(symbol) = self.file.symbols().containing(call.at) else { return false };
        let mut parts = symbol.name.split('.');
        let author = parts.next().unwrap_or_default();
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_inner = calls.has_fortran && parts.next().is_some_and(is_number);
        author == "MAIN__" || author.ends_with('_') || author.starts_with("__") && author.contains("_MOD_") || is_inner
    }

    /// The place of a combined construct (`parallel for`) whose outlined function contains the call.
    fn combined(&mut self, call: &Called) -> Option<SourcePosition> {
        let begin = self.file.symbols().containing(call.at).filter(is_outlined)?.address;
        let written = self.directives.at(self.begins.get_or_init(|| begins(self.file)).get(&begin)?);
        written
            .directive()
            .filter(|directive| directive.is_loop() && directive.is_combined())
            .map(|directive| directive.position().clone())
    }
}

fn is_outlined(symbol: &&Symbol) -> bool {
    symbol.name.contains("._omp_fn.")
}

/// The places of the constructs of outlined functions, by the functions' addresses: one pass for all of them.
fn begins(file: &CodeFile) -> HashMap<u64, SourcePosition> {
    let Some(information) = &file.debug_info else { return HashMap::new() };
    let mut begins: Vec<u64> = file.symbols().iter().filter(is_outlined).map(|symbol| symbol.address).collect();
    begins.sort_unstable();
    let position = |(file, line)| SourcePosition { file, line, column: 0 };
    let origins = origins(&information.sections(), &begins).into_iter();
    origins.filter_map(|(begin, origin)| Some((begin, position(origin.place?)))).collect()
}
