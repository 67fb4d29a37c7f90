//! Liveness of a variable: whether the value that it has at a place may be read later. Computed backwards over
//! statements.

use super::tokens::{Kind, Token};
use super::{Is, Statement, places};

/// Constructs that not every thread of the team executes.
const BY_SOME: [&str; 9] =
    ["single", "master", "masked", "section", "sections", "task", "taskloop", "target", "critical"];

/// Targets of jumps, as far as the variable is live there.
#[derive(Clone, Copy, Default)]
struct Jumps {
    out_of_loop: bool,
    to_next_turn: bool,
    at_return: bool,
}

/// Liveness around a construct of a function.
pub(super) struct Liveness<'a> {
    name: &'a str,
    construct: &'a Statement,
    /// True if the value after the construct may be read.
    pub(super) is_live_after: bool,
}

impl<'a> Liveness<'a> {
    /// Liveness of a variable that is dead when the function returns, unless `at_return`.
    pub(super) fn of(name: &'a str, function: &[Statement], construct: &'a Statement, at_return: bool) -> Self {
        let mut liveness = Self { name, construct, is_live_after: false };
        liveness.row(function, at_return, Jumps { at_return, ..Jumps::default() });
        liveness
    }

    /// True if the variable's value before the construct may be read inside it, or after it (`after`) on a path that doesn't overwrite it.
    pub(super) fn enters(&mut self, after: bool) -> bool {
        let Is::Construct(_, Some(body)) = &self.construct.is else { return true };
        self.statement(body, after, Jumps::default())
    }

    /// True if an iteration of the construct's loop may read the value that the variable has before the iteration.
    pub(super) fn enters_turn(&mut self) -> bool {
        let Is::Construct(_, Some(body)) = &self.construct.is else { return true };
        let Is::Loop { body, .. } = &body.is else { return true };
        self.statement(body, true, Jumps { to_next_turn: true, ..Jumps::default() })
    }

    fn row(&mut self, all: &[Statement], after: bool, jumps: Jumps) -> bool {
        all.iter().rev().fold(after, |after, statement| self.statement(statement, after, jumps))
    }

    /// Liveness before a statement.
    fn statement(&mut self, statement: &Statement, after: bool, jumps: Jumps) -> bool {
        if std::ptr::eq(statement, self.construct) {
            self.is_live_after |= after;
        }
        match &statement.is {
            Is::Simple(tokens) => self.tokens(tokens, after),
            Is::Block(all) => self.row(all, after, jumps),
            Is::If { head, then, otherwise } => {
                let one = self.statement(then, after, jumps);
                let other = otherwise.as_ref().map_or(after, |other| self.statement(other, after, jumps));
                self.tokens(head, one || other)
            }
            Is::Loop { init, condition, step, body, tests_first } => {
                let mut at_condition = after;
                let mut before_body = after;
                for _ in 0..2 {
                    let to_next_turn = self.tokens(step, at_condition);
                    let inner = Jumps { out_of_loop: after, to_next_turn, ..jumps };
                    before_body = self.statement(body, to_next_turn, inner);
                    at_condition = self.tokens(condition, before_body || after);
                }
                self.tokens(init, if *tests_first { at_condition } else { before_body })
            }
            Is::Switch(head, body) => {
                let inner = Jumps { out_of_loop: after, ..jumps };
                let mut any = after || self.statement(body, after, inner);
                // A case may lead to any of the statements.
                if let Is::Block(all) = &body.is {
                    (1..all.len()).for_each(|from| any |= self.row(all.get(from..).unwrap_or_default(), after, inner));
                }
                self.tokens(head, any)
            }
            Is::Try(body, handlers) => {
                // Every one is visited: one of them may contain the construct.
                let each: Vec<bool> = handlers.iter().map(|handler| self.statement(handler, after, jumps)).collect();
                let caught = each.contains(&true);
                self.statement(body, after || caught, jumps) || caught
            }
            // An exception may be caught where the variable is read.
            Is::Return(tokens) => {
                let throws = tokens.first().is_some_and(|token| token.text == "throw");
                self.tokens(tokens, jumps.at_return || throws)
            }
            Is::Break => jumps.out_of_loop,
            Is::Continue => jumps.to_next_turn,
            Is::Construct(_, None) => after,
            Is::Construct(_, Some(body)) => {
                let before = self.statement(body, after, jumps);
                before || after && statement.is_construct(&BY_SOME)
            }
        }
    }

    fn tokens(&self, tokens: &[Token], after: bool) -> bool {
        match access(tokens, self.name) {
            Access::None => after,
            Access::Writes => false,
            Access::Reads => true,
        }
    }
}

/// First access of an expression to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    None,
    Reads,
    /// On every path, before any read.
    Writes,
}

fn access(tokens: &[Token], name: &str) -> Access {
    let mut all = places(tokens, name);
    let Some(first) = all.next() else { return Access::None };
    let assigns = tokens.get(first + 1).is_some_and(|next| next.kind == Kind::Sign && next.text == "=");
    let perhaps = tokens.iter().take(first).any(|token| ["?", "&&", "||", "[", "{"].contains(&token.text.as_str()));
    if assigns && !perhaps && all.next().is_none() { Access::Writes } else { Access::Reads }
}
