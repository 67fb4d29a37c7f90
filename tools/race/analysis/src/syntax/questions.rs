//! Answers to questions about a variable in the function around a race.

use super::declarations::{Local, declaration};
use super::liveness::Liveness;
use super::shape::{Use, uses, without_shared};
use super::tokens::{Kind, Token};
use super::{Function, Is, Language, Statement, has, places};

/// An `if` statement that depends on a variable which it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    /// The variable.
    pub(crate) name: String,
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// True if it gives variables their first values, which do not depend on the function's arguments.
    pub(crate) initialises: bool,
    /// True if no jump leaves it, and it contains no construct: it may be a construct's block.
    pub(crate) is_block: bool,
    /// True if it calls functions, which may have critical sections of their own.
    pub(crate) calls: bool,
}

impl Function {
    /// The innermost construct with one of these names around a line.
    pub(super) fn construct(&self, words: &[&str], line: u32) -> Option<&Statement> {
        let mut found = None;
        for statement in &self.body {
            statement.each(&mut |it| {
                if it.spans(line) && it.is_construct(words) {
                    found = Some(it);
                }
            });
        }
        found
    }

    /// The operator of a `reduction` clause that all uses of a variable allow in the region around a line, or in the innermost loop or
    /// sections in it, with the line of that construct's directive. `is_alone`: no other file can use the variable.
    pub(crate) fn reduction(&self, name: &str, line: u32, is_alone: bool) -> Option<(&'static str, u32)> {
        let region = self.construct(&["parallel", "teams"], line)?;
        // The end of a region in a team of a league is concurrent with that of another team.
        if self.construct(&["teams"], line).is_some_and(|league| !std::ptr::eq(league, region)) {
            return None;
        }
        let share = self.construct(&["for", "do", "sections"], line);
        // A task has its own copies of the variables that the region has copies of.
        if self.construct(&["task", "taskloop", "target"], line).is_some_and(|task| region.spans(task.first)) {
            return None;
        }
        // Another function that the construct calls may use a variable that is not local to this one.
        let is_outside =
            self.local(name).map_or_else(|| self.is_own(name, is_alone), |local| !region.spans(local.line));
        if !is_outside {
            return None;
        }
        [Some(region), share].into_iter().flatten().filter(|it| region.spans(it.first)).find_map(|construct| {
            let mut all = Vec::new();
            uses(construct, name, &mut all);
            let mut operators = all.into_iter().map(|it| match it {
                Use::Update("-") => Some("+"),
                Use::Update(operator @ ("+" | "*" | "|" | "&" | "^")) | Use::Extremum(operator) => Some(operator),
                _ => None,
            });
            let first = operators.next()??;
            operators.all(|operator| operator == Some(first)).then_some((first, construct.first))
        })
    }

    /// True if the region around a line has a variable in a clause `shared`.
    pub(crate) fn is_shared_by_clause(&self, name: &str, line: u32) -> bool {
        let region = self.construct(&["parallel", "teams"], line).and_then(Statement::directive);
        region.is_some_and(|directive| has(directive, name) && !has(&without_shared(directive), name))
    }

    /// True if a line contains the directive of a region.
    pub(crate) fn is_region(&self, line: u32) -> bool {
        self.construct(&["parallel", "teams"], line).is_some_and(|region| region.first == line)
    }

    pub(crate) fn is_fortran(&self) -> bool {
        self.language == Language::Fortran
    }

    /// True if the value that a thread gives to a variable in the region around a line is only read by that thread,
    /// in the region.
    pub(crate) fn may_be_private(&self, name: &str, line: u32) -> bool {
        self.liveness(name, line).is_some_and(|mut liveness| !liveness.is_live_after && !liveness.enters(false))
    }

    /// True if the loop around a line gives a variable its value in each iteration before any read, and the value is
    /// read after the loop.
    pub(crate) fn may_be_lastprivate(&self, name: &str, line: u32) -> bool {
        let loops = |region: &Statement| region.is_construct(&["for", "do"]);
        self.construct(&["parallel"], line).is_some_and(loops)
            && self.liveness(name, line).is_some_and(|mut liveness| liveness.is_live_after && !liveness.enters_turn())
    }

    fn liveness<'a>(&'a self, name: &'a str, line: u32) -> Option<Liveness<'a>> {
        let region = self.construct(&["parallel"], line)?;
        let local = self.local(name).filter(|local| !region.spans(local.line))?;
        let clauses = region.directive().is_some_and(|directive| has(&without_shared(directive), name));
        let mut in_inner_clause = false;
        region.each(&mut |it| {
            in_inner_clause |= !std::ptr::eq(it, region) && it.directive().is_some_and(|words| has(words, name));
        });
        let known =
            local.is_automatic && !self.is_conditional && !clauses && !in_inner_clause && !self.escapes(name, region);
        known.then(|| Liveness::of(name, &self.body, region, false))
    }

    /// True if a line is in a region's own text, and outside the loops and constructs in it: each thread executes it
    /// once.
    pub(crate) fn is_once_a_thread(&self, line: u32) -> bool {
        let Some(region) = self.construct(&["parallel"], line) else { return false };
        if !region.is_construct(&["for", "do", "sections"]) {
            let mut around = 0;
            region.each(&mut |it| {
                around += usize::from(
                    it.spans(line)
                        && matches!(it.is, Is::Loop { .. } | Is::Construct(..) | Is::If { .. } | Is::Switch(..)),
                )
            });
            return around == 1;
        }
        false
    }

    /// The outermost `if` statement around a line, inside the innermost loop and region, that changes what it tests. `name`: a variable
    /// that it also uses.
    pub(crate) fn test(&self, name: Option<&str>, line: u32) -> Option<Test> {
        let mut found: Option<(&Statement, &str)> = None;
        let mut open: Vec<&Statement> = self.body.iter().filter(|it| it.spans(line)).collect();
        while let Some(statement) = open.pop() {
            match &statement.is {
                Is::Loop { .. } | Is::Construct(..) => found = None,
                Is::If { head, then, .. } if found.is_none() && then.spans(line) => {
                    found = decider(head, then)
                        .filter(|_| name.is_none_or(|name| then.uses(name)))
                        .map(|it| (statement, it));
                }
                _ => {}
            }
            open.extend(statement.children().into_iter().filter(|it| it.spans(line)));
        }
        let (statement, tested) = found?;
        if self.is_threads_own(tested, line) {
            return None;
        }
        let Is::If { head, then, .. } = &statement.is else { return None };
        let mut is_block = true;
        statement
            .each(&mut |it| is_block &= !matches!(it.is, Is::Return(_) | Is::Break | Is::Continue | Is::Construct(..)));
        Some(Test {
            name: tested.to_owned(),
            first: statement.first,
            last: statement.last,
            initialises: self.initialises(head, then, tested),
            is_block,
            calls: self.calls(statement),
        })
    }

    /// True for a local variable of which each thread has its own at a line: one of a function that the region calls,
    /// or of the region's block.
    fn is_threads_own(&self, name: &str, line: u32) -> bool {
        let region = self.construct(&["parallel", "teams", "task"], line);
        self.local(name).is_some_and(|local| local.is_automatic && region.is_none_or(|region| region.spans(local.line)))
    }

    fn calls(&self, statement: &Statement) -> bool {
        let mut calls = false;
        statement.each(&mut |it| {
            for tokens in it.own_tokens() {
                calls |= match self.language {
                    Language::Fortran => tokens.first().is_some_and(|first| first.text == "call"),
                    _ => tokens
                        .windows(2)
                        .any(|pair| matches!(pair, [name, open] if name.kind == Kind::Word && open.text == "(")),
                };
            }
        });
        calls
    }

    /// True if a test compares a variable with a constant, and the branch depends on no parameter and no other local
    /// variable.
    fn initialises(&self, head: &[Token], then: &Statement, name: &str) -> bool {
        let constants = ["NULL", "nullptr", "false", "true", "allocated", "associated"];
        let is_constant =
            |token: &Token| token.kind != Kind::Word || token.text == name || constants.contains(&token.text.as_str());
        let from_outside = |word: &str| {
            let is_local = self.local(word).is_some_and(|it| it.is_automatic && !then.spans(it.line));
            word != name && (has(&self.parameters, word) || is_local)
        };
        let mut depends = false;
        then.each(&mut |it| {
            let words = it.own_tokens().into_iter().flatten().filter(|token| token.kind == Kind::Word);
            depends |= words.into_iter().any(|token| from_outside(&token.text));
        });
        let is_local = self.local(name).is_some_and(|it| it.is_automatic);
        head.iter().all(is_constant) && !depends && !is_local && !self.is_in_region(then.first)
    }

    fn is_in_region(&self, line: u32) -> bool {
        self.construct(&["parallel", "teams"], line).is_some()
    }

    /// The only declaration of a variable in the function.
    fn local(&self, name: &str) -> Option<Local> {
        if self.hidden.contains(name) {
            return None;
        }
        let mut all = Vec::new();
        if let Some(at) = places(&self.parameters, name).next() {
            let by_value = !at
                .checked_sub(1)
                .and_then(|at| self.parameters.get(at))
                .is_some_and(|it| ["&", "&&"].contains(&it.text.as_str()));
            let line = self.parameters.first().map_or(0, |token| token.line);
            all.push(Local { is_automatic: by_value && self.language != Language::Fortran, is_saved: false, line });
        }
        for statement in &self.body {
            statement.each(&mut |it| match &it.is {
                Is::Simple(tokens) => all.extend(declaration(tokens, name, self.language)),
                Is::Loop { init, .. } => all.extend(declaration(init, name, self.language)),
                _ => {}
            });
        }
        match all.as_slice() {
            [one] => Some(*one),
            // A dummy argument of Fortran is declared as well.
            [argument, _] if self.language == Language::Fortran && !argument.is_automatic => Some(*argument),
            _ => None,
        }
    }

    /// The line of the declaration of a variable of the function that keeps its value between calls.
    pub(crate) fn saved(&self, name: &str) -> Option<u32> {
        self.local(name).filter(|local| local.is_saved).map(|local| local.line)
    }

    /// True if no other function of the program uses a variable that this one does not declare. Those of other files can't, unless it is
    /// visible there: `is_alone` if there are none.
    fn is_own(&self, name: &str, is_alone: bool) -> bool {
        if self.outside.uses(name, &self.own) || self.hidden.contains(name) {
            return false;
        }
        let mut found = None;
        // Each of them has to declare the variable, and nothing else may use it.
        self.outside.statements(name).all(|it| {
            let uses = it.iter().filter(|token| token.text == name).count();
            let declared = declaration(it, name, self.language).filter(|_| uses == 1);
            let is_private = match self.language {
                Language::Fortran => has(it, "private"),
                _ => declared.is_some_and(|it| it.is_saved),
            };
            let is_own = declared.is_some_and(|it| is_private || it.is_automatic && is_alone);
            found = found.max(declared.map(|it| it.line));
            is_own
        }) && found.is_some_and(|line| self.outside.last_include < line)
    }

    /// True if a variable may be reached by other means than its name: its address is taken, or a reference may be.
    fn escapes(&self, name: &str, region: &Statement) -> bool {
        let mut escapes = false;
        for statement in &self.body {
            statement.each(&mut |it| {
                let inside = region.spans(it.first) && it.last <= region.last;
                for tokens in it.own_tokens() {
                    escapes |= places(tokens, name).any(|at| self.lends(tokens, at, inside));
                }
            });
        }
        escapes
    }

    fn lends(&self, tokens: &[Token], at: usize, inside: bool) -> bool {
        if self.language == Language::Fortran {
            return false;
        }
        let before = tokens.get(..at).unwrap_or_default();
        let text = |token: Option<&Token>| token.map_or("", |token| token.text.as_str()).to_owned();
        let (last, next) = (text(before.last()), text(tokens.get(at + 1)));
        let operand = before.len().checked_sub(2).and_then(|place| before.get(place));
        let has_operand = operand
            .is_some_and(|it| it.kind != Kind::Sign && it.text != "return" || [")", "]"].contains(&it.text.as_str()));
        // A lambda, or a list of references.
        let in_braces = before.iter().any(|token| token.text == "{");
        let first = |sign: &str| before.iter().position(|token| token.text == sign);
        let binds = first("&").zip(first("=")).is_some_and(|(reference, value)| reference < value);
        let argument = ["(", ","].contains(&last.as_str()) && [",", ")"].contains(&next.as_str());
        let by_reference = self.language == Language::Cpp && (binds || argument && !inside);
        last == "&" && !has_operand || in_braces || by_reference
    }
}

/// The tested variable that a branch changes.
fn decider<'a>(head: &'a [Token], then: &Statement) -> Option<&'a str> {
    let changes = |word: &str| {
        let mut changes = false;
        then.each(&mut |it| {
            for tokens in it.own_tokens() {
                changes |= places(tokens, word).any(|at| {
                    let around = [at.checked_sub(1), Some(at + 1)].map(|at| at.and_then(|at| tokens.get(at)));
                    let [before, after] = around.map(|token| token.map_or("", |token| token.text.as_str()));
                    after.ends_with('=') && !["==", "!=", "<=", ">="].contains(&after)
                        || [before, after].iter().any(|sign| ["++", "--"].contains(sign))
                });
            }
        });
        changes
    };
    let words = head.iter().filter(|token| token.kind == Kind::Word).map(|token| token.text.as_str());
    words.into_iter().find(|word| has(head, word) && changes(word))
}
