//! Blocks that one thread of a team executes, and that end without a barrier.

use super::tokens::{Kind, Token};
use super::{Function, Is, Statement, places};

const THREAD_NUMBER: &str = "omp_get_thread_num";

/// A block that one thread of the team executes, while the others go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OneThread {
    /// `master`, `masked`, `single`, or `if` for a test of the thread's number.
    pub(crate) word: &'static str,
    /// The line of its `nowait` clause, or its first one.
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl Function {
    /// The block around a line that one thread executes, if a barrier may follow it: all threads of the region come to its end.
    pub(crate) fn one_thread(&self, line: u32) -> Option<OneThread> {
        let mut found = None;
        let mut all_come = false;
        let mut around: Option<&Statement> = self.body.iter().find(|it| it.spans(line));
        while let Some(statement) = around {
            let word = self.word(statement).filter(|_| all_come);
            if statement.is_construct(&["parallel"]) {
                all_come = !statement.is_construct(&["for", "do", "sections", "loop", "workshare"]);
                found = None;
            } else if let Some(word) = word {
                let first = statement.nowait().unwrap_or(statement.first);
                found = Some(OneThread { word, first, last: statement.last });
                all_come = false;
            } else if matches!(statement.is, Is::Construct(..) | Is::If { .. } | Is::Switch(..))
                || !self.has_equal_turns(statement)
            {
                all_come = false;
            }
            around = statement.children().into_iter().find(|it| it.spans(line));
        }
        found
    }

    /// False for a loop that threads may leave after different numbers of turns.
    fn has_equal_turns(&self, statement: &Statement) -> bool {
        let Is::Loop { init, condition, .. } = &statement.is else { return true };
        let mut is_in_step = false;
        statement.each(&mut |it| {
            is_in_step |= it.is_construct(&["barrier", "for", "do", "sections", "single", "workshare"])
        });
        let words = || init.iter().chain(condition);
        is_in_step
            || !init.is_empty() && !words().any(|it| it.text == THREAD_NUMBER || self.has_thread_number(&it.text))
    }

    fn word(&self, statement: &Statement) -> Option<&'static str> {
        match &statement.is {
            Is::Construct(..) => {
                let of = |word| statement.is_construct(&[word]).then_some(word);
                of("master").or_else(|| of("masked")).or_else(|| of("single").filter(|_| statement.nowait().is_some()))
            }
            Is::If { head, otherwise: None, .. } => self.is_thread_number(head).then_some("if"),
            _ => None,
        }
    }

    /// True for a comparison of the thread's number with a constant: one thread passes it.
    fn is_thread_number(&self, head: &[Token]) -> bool {
        let head: Vec<&Token> = head.iter().filter(|token| !["(", ")"].contains(&token.text.as_str())).collect();
        let is_number = |token: &Token| token.text == THREAD_NUMBER || self.has_thread_number(&token.text);
        match head.as_slice() {
            [not, number] => not.text == "!" && is_number(number),
            [one, equal, other] => {
                equal.text == "=="
                    && (is_number(one) && other.kind == Kind::Number || is_number(other) && one.kind == Kind::Number)
            }
            _ => false,
        }
    }

    /// True for a variable that is assigned the thread's number, and nothing else.
    fn has_thread_number(&self, name: &str) -> bool {
        let (mut numbers, mut changes) = (0, 0);
        for statement in &self.body {
            statement.each(&mut |it| {
                for tokens in it.own_tokens() {
                    for at in places(tokens, name) {
                        let text = |place: usize| tokens.get(place).map_or("", |token| token.text.as_str());
                        let sign = text(at + 1);
                        let is_change = sign.ends_with('=') && !["==", "!=", "<=", ">="].contains(&sign);
                        changes += usize::from(is_change || ["++", "--"].contains(&sign));
                        let is_number = sign == "=" && text(at + 2) == THREAD_NUMBER;
                        numbers += usize::from(is_number && [";", ",", ""].contains(&text(at + 5)));
                    }
                }
            });
        }
        numbers > 0 && numbers == changes
    }
}
