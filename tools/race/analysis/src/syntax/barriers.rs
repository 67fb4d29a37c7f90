//! Barriers between two lines, and loops around both.

use super::{Function, Is, Statement};

/// Constructs that end with a barrier of their team, unless they have a clause `nowait`.
const ENDING: [&str; 6] = ["for", "do", "sections", "single", "workshare", "scope"];

impl Function {
    /// The line of a clause `nowait` without which a barrier would be between two lines: that of a construct which contains the first one
    /// and ends before the second. `None` also in a loop around both, if nothing orders the second line and the next turn's construct.
    pub(crate) fn nowait_between(&self, first: u32, second: u32) -> Option<u32> {
        let construct = self.construct(&ENDING, first).filter(|it| it.last < second)?;
        if self.has_barrier_between(construct.last, second) {
            return None;
        }
        let region = self.construct(&["parallel"], first);
        if region.is_some_and(|region| !region.spans(construct.first) || !region.spans(second)) {
            return None;
        }
        let in_turn = |around: &Statement| {
            let mut is_ordered = false;
            around.each(&mut |it| is_ordered |= it.has_barrier() && (it.last >= second || it.last < construct.first));
            is_ordered
        };
        let line = construct.nowait()?;
        self.loop_around(first, second).is_none_or(in_turn).then_some(line)
    }

    /// True if a barrier is between two lines already: then accesses there are of different turns of a loop.
    pub(crate) fn has_barrier_between(&self, first: u32, second: u32) -> bool {
        let mut has = false;
        for statement in &self.body {
            statement.each(&mut |it| has |= it.has_barrier() && it.first > first && it.last < second);
        }
        has
    }

    /// The innermost loop around two lines, in the region around them.
    fn loop_around(&self, first: u32, second: u32) -> Option<&Statement> {
        let region = self.construct(&["parallel"], first);
        let mut found = None;
        for statement in &self.body {
            statement.each(&mut |it| {
                let is_inside = region.is_none_or(|region| region.spans(it.first) && it.last <= region.last);
                if matches!(it.is, Is::Loop { .. }) && it.spans(first) && it.spans(second) && is_inside {
                    found = Some(it);
                }
            });
        }
        found
    }

    /// False if a worksharing loop contains only one of two lines.
    pub(crate) fn share_loop(&self, one: u32, other: u32) -> bool {
        let holds = |line, its: u32| self.construct(&["for", "do"], line).is_none_or(|it| it.spans(its));
        holds(one, other) && holds(other, one)
    }

    /// True if each thread executes two lines again and again, in a loop around both: one line is not meant to come after the other.
    pub(crate) fn have_common_loop(&self, first: u32, second: u32) -> bool {
        self.loop_around(first, second).is_some()
    }
}

impl Statement {
    /// The line of its clause `nowait`.
    pub(super) fn nowait(&self) -> Option<u32> {
        self.directive()?.iter().find(|token| token.text == "nowait").map(|token| token.line)
    }

    /// True if all threads of the team wait in it, or at its end.
    fn has_barrier(&self) -> bool {
        let ends = self.is_construct(&ENDING) && !self.is_construct(&["parallel"]) && self.nowait().is_none();
        ends || self.is_construct(&["barrier"])
    }
}
