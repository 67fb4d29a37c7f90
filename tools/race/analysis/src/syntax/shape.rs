//! Shapes of statements that a clause can replace, and of tests around an assignment.

use super::liveness::Liveness;
use super::statements::split;
use super::tokens::{self, Kind, Token};
use super::{Function, Is, Language, Statement, has, places};

/// Use of a variable in a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// `x += e`, `x = x + e`.
    Update(&'static str),
    /// `if (e > x) x = e`, `x = max(x, e)`.
    Extremum(&'static str),
    Other,
}

/// An `if` statement that decides by a variable which it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    /// The variable.
    pub(crate) name: String,
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// True if it gives variables their first values, which do not depend on the function's arguments.
    pub(crate) initialises: bool,
    /// True if nothing jumps out of it, and it has no construct: it may be the block of one.
    pub(crate) is_block: bool,
    /// True if it calls functions, which may have critical sections of their own.
    pub(crate) calls: bool,
}

/// True if an operator binds more tightly than another one: `a * b` is one operand of a sum.
fn binds_tighter(inner: &str, outer: &str) -> bool {
    const BY_STRENGTH: [&[&str]; 9] =
        [&["?", ":", ","], &["||"], &["&&"], &["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];
    let strength = |operator: &str| BY_STRENGTH.iter().position(|all| all.contains(&operator));
    match (strength(inner), strength(outer)) {
        (Some(inner), Some(outer)) => inner > outer,
        _ => false,
    }
}

/// True if tokens are one operand of an operator: nothing in them binds less tightly.
fn is_operand(tokens: &[Token], operator: &str) -> bool {
    let mut depth = 0_usize;
    let mut before: Option<&Token> = None;
    for token in tokens {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            text if depth == 0 && token.kind == Kind::Sign && ![".", "->", "::", "!", "~"].contains(&text) => {
                let is_unary = before
                    .is_none_or(|before| before.kind == Kind::Sign && ![")", "]"].contains(&before.text.as_str()));
                if !is_unary && !binds_tighter(text, operator) {
                    return false;
                }
            }
            _ => {}
        }
        before = Some(token);
    }
    !tokens.is_empty()
}

fn is(tokens: &[Token], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.text == text)
}

/// The update of a variable by a statement.
fn use_of(tokens: &[Token], name: &str) -> Use {
    const COMPOUND: [(&str, &str); 10] = [
        ("+=", "+"),
        ("-=", "-"),
        ("*=", "*"),
        ("/=", "/"),
        ("|=", "|"),
        ("&=", "&"),
        ("^=", "^"),
        ("<<=", "<<"),
        (">>=", ">>"),
        ("%=", "%"),
    ];
    let operator = |at: usize, all: &[(&str, &'static str)]| {
        let text = &tokens.get(at)?.text;
        all.iter().find(|(sign, _)| sign == text).map(|(_, operator)| *operator)
    };
    let steps = [("++", "+"), ("--", "-")];
    match tokens.len() {
        2 if is(tokens, 0, name) => return operator(1, &steps).map_or(Use::Other, Use::Update),
        2 if is(tokens, 1, name) => return operator(0, &steps).map_or(Use::Other, Use::Update),
        _ if !is(tokens, 0, name) => return Use::Other,
        _ => {}
    }
    let value = tokens.get(2..).unwrap_or_default();
    if let Some(operator) = operator(1, &COMPOUND) {
        return if has(value, name) { Use::Other } else { Use::Update(operator) };
    }
    if is(tokens, 1, "=") { by_value(value, name) } else { Use::Other }
}

/// The update of an expression (`a[i]`) that an assignment of a value to it makes.
pub(crate) fn update(target: &str, value: &str) -> Use {
    /// Stands for the target in the value.
    const TARGET: &str = "@";
    let tokens_of = |text: &str| {
        let mut tokens = Vec::new();
        tokens::of_line(text.trim().trim_end_matches(';'), 0, &mut tokens);
        tokens
    };
    let (target, tokens) = (tokens_of(target), tokens_of(value));
    let mut value: Vec<Token> = Vec::new();
    let mut rest = tokens.as_slice();
    while let Some(first) = rest.first() {
        let is_target = !target.is_empty()
            && rest.len() >= target.len()
            && rest.iter().zip(&target).all(|(one, other)| one.text == other.text);
        if is_target {
            value.push(Token { kind: Kind::Word, text: TARGET.to_owned(), line: 0 });
        } else {
            value.push(first.clone());
        }
        rest = rest.get(if is_target { target.len() } else { 1 }..).unwrap_or_default();
    }
    by_value(&value, TARGET)
}

/// The update by `x = value`.
fn by_value(value: &[Token], name: &str) -> Use {
    if places(value, name).count() != 1 {
        return choice(value, name).map_or(Use::Other, Use::Extremum);
    }
    if let Some(operator) = call(value, name) {
        return Use::Extremum(operator);
    }
    for operator in ["+", "-", "*", "|", "&", "^"] {
        let leads = is(value, 0, name) && is(value, 1, operator);
        let ends = operator != "-"
            && value.len() > 2
            && is(value, value.len() - 1, name)
            && is(value, value.len() - 2, operator);
        let rest = if leads { value.get(2..) } else { value.get(..value.len().saturating_sub(2)) };
        if (leads || ends) && rest.is_some_and(|rest| is_operand(rest, operator)) {
            return Use::Update(operator);
        }
    }
    choice(value, name).map_or(Use::Other, Use::Extremum)
}

/// `max(x, e)` and the like.
fn call(value: &[Token], name: &str) -> Option<&'static str> {
    let open = value.iter().position(|token| token.text == "(")?;
    let function = value.get(open.checked_sub(1)?)?.text.to_ascii_lowercase();
    let operator = match function.as_str() {
        "max" | "fmax" | "fmaxf" | "fmaxl" => "max",
        "min" | "fmin" | "fminf" | "fminl" => "min",
        _ => return None,
    };
    let head = value.get(..open - 1)?;
    let arguments = split(value.get(open + 1..value.len() - 1)?, ",");
    let is_all = value.last()?.text == ")" && head.iter().all(|token| token.text == "std" || token.text == "::");
    let [one, other] = arguments.as_slice() else { return None };
    let alone = |argument: &&[Token]| argument.len() == 1 && has(argument, name);
    (is_all && alone(one) != alone(other)).then_some(operator)
}

/// `e > x ? e : x`.
fn choice(value: &[Token], name: &str) -> Option<&'static str> {
    let [test, rest] = split(value, "?")[..] else { return None };
    let [one, other] = split(rest, ":")[..] else { return None };
    let test = match test {
        [open, inner @ .., close] if open.text == "(" && close.text == ")" => inner,
        test => test,
    };
    let alone = |side: &[Token]| side.len() == 1 && has(side, name);
    match (alone(one), alone(other)) {
        (false, true) => compared(test, name, one),
        (true, false) => compared(test, name, other).map(|operator| if operator == "max" { "min" } else { "max" }),
        _ => None,
    }
}

/// The extremum that a test keeps in a variable which then gets `value`.
fn compared(test: &[Token], name: &str, value: &[Token]) -> Option<&'static str> {
    let at = test.iter().position(|token| ["<", ">", "<=", ">="].contains(&token.text.as_str()))?;
    let (left, right) = (test.get(..at)?, test.get(at + 1..)?);
    let is_less = test.get(at)?.text.starts_with('<');
    let same = |one: &[Token], other: &[Token]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.text == other.text)
    };
    let is_variable = |side: &[Token]| side.len() == 1 && has(side, name);
    if has(value, name) || value.is_empty() {
        None
    } else if is_variable(left) && same(right, value) {
        Some(if is_less { "max" } else { "min" })
    } else if is_variable(right) && same(left, value) {
        Some(if is_less { "min" } else { "max" })
    } else {
        None
    }
}

/// The only statement in a branch.
fn only(branch: &Statement) -> Option<&[Token]> {
    match &branch.is {
        Is::Simple(tokens) => Some(tokens),
        Is::Block(all) => match all.as_slice() {
            [one] => only(one),
            _ => None,
        },
        _ => None,
    }
}

/// The extremum that an `if` statement keeps: what it compares is what it assigns, and nothing else.
fn extremum(statement: &Statement, name: &str) -> Option<&'static str> {
    let Is::If { head, then, otherwise: None } = &statement.is else { return None };
    let assignment = only(then).filter(|tokens| is(tokens, 0, name) && is(tokens, 1, "="))?;
    let value = assignment.get(2..)?;
    let mut found = None;
    for part in split(head, "&&") {
        match compared(part, name, value) {
            Some(operator) if found.is_none() => found = Some(operator),
            _ if has(part, name) => return None,
            _ => {}
        }
    }
    found
}

/// Adds each use of a variable in a statement.
fn uses(statement: &Statement, name: &str, all: &mut Vec<Use>) {
    if let Some(operator) = extremum(statement, name) {
        all.push(Use::Extremum(operator));
        return;
    }
    match &statement.is {
        Is::Simple(tokens) if has(tokens, name) => all.push(use_of(tokens, name)),
        Is::Construct(tokens, _) if has(&without_shared(tokens), name) => all.push(Use::Other),
        Is::Construct(..) => {}
        _ => all.extend(statement.own_tokens().iter().filter(|tokens| has(tokens, name)).map(|_| Use::Other)),
    }
    statement.children().into_iter().for_each(|child| uses(child, name, all));
}

/// A directive without its clauses `shared`, and without the name of a critical section.
fn without_shared(directive: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut skipped = 0_usize;
    for (at, token) in directive.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| directive.get(before)).map_or("", |token| &token.text);
        match token.text.as_str() {
            "(" if skipped > 0 || ["shared", "critical"].contains(&before) => skipped += 1,
            ")" if skipped > 0 => skipped -= 1,
            _ if skipped == 0 => kept.push(token.clone()),
            _ => {}
        }
    }
    kept
}

/// Declaration of a local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Local {
    /// It is dead when the function returns: neither static nor a reference.
    is_automatic: bool,
    line: u32,
}

impl Function {
    /// The innermost construct with one of these names around a line.
    fn construct(&self, words: &[&str], line: u32) -> Option<&Statement> {
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
    /// sections in it, with the line of that construct's directive.
    pub(crate) fn reduction(&self, name: &str, line: u32) -> Option<(&'static str, u32)> {
        let region = self.construct(&["parallel", "teams"], line)?;
        let share = self.construct(&["for", "do", "sections"], line);
        // A task has copies of its own of what the region has copies of.
        if self.construct(&["task", "taskloop", "target"], line).is_some_and(|task| region.spans(task.first)) {
            return None;
        }
        // Another function that the construct calls may use a variable which isn't this one's.
        let is_outside = self.local(name).map_or_else(|| self.is_own(name), |local| !region.spans(local.line));
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

    /// True if a line has the directive of a region.
    pub(crate) fn is_region(&self, line: u32) -> bool {
        self.construct(&["parallel", "teams"], line).is_some_and(|region| region.first == line)
    }

    pub(crate) fn is_fortran(&self) -> bool {
        self.language == Language::Fortran
    }

    /// True if the value that a thread gives to a variable in the region around a line is never read but by the thread, in the region.
    pub(crate) fn may_be_private(&self, name: &str, line: u32) -> bool {
        self.liveness(name, line).is_some_and(|mut liveness| !liveness.is_live_after && !liveness.enters(false))
    }

    /// True if the loop around a line gives a variable its value in each turn before any read, and the value after it is read.
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

    /// True if a line is in a region's own text, and outside of the loops and constructs in it: each thread executes it once.
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

    /// The outermost `if` statement around a line, inside of the innermost loop and region, that changes what it tests. `name`: a variable
    /// that it uses as well.
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

    /// True for a local variable that each thread has of its own at a line: of a function that the region calls, or of its block.
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

    /// True if a test compares a variable with a constant, and what follows depends on no parameter and no other local variable.
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
        if self.hidden.iter().any(|word| word == name) {
            return None;
        }
        let mut all = Vec::new();
        if let Some(at) = places(&self.parameters, name).next() {
            let by_value = !at
                .checked_sub(1)
                .and_then(|at| self.parameters.get(at))
                .is_some_and(|it| ["&", "&&"].contains(&it.text.as_str()));
            let line = self.parameters.first().map_or(0, |token| token.line);
            all.push(Local { is_automatic: by_value && self.language != Language::Fortran, line });
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

    /// True if no other function of the file is known to use a variable that this one does not declare.
    fn is_own(&self, name: &str) -> bool {
        let is_in = |words: &[String]| words.iter().any(|word| word == name);
        is_in(&self.file_scope) && !is_in(&self.elsewhere) && !is_in(&self.hidden)
    }

    /// True if something else than its name may lead to a variable: its address is taken, or a reference may be.
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

/// The variable of a test that a branch changes.
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

/// Declaration of a variable by a statement.
fn declaration(tokens: &[Token], name: &str, language: Language) -> Option<Local> {
    if language == Language::Fortran {
        return fortran_declaration(tokens, name);
    }
    const OTHERS: [&str; 8] = ["return", "delete", "throw", "new", "using", "typedef", "else", "case"];
    let parts = split(tokens, ",");
    let (first, more) = parts.split_first()?;
    // The name is the last word of a declarator; what precedes it is a type.
    let end =
        first.iter().position(|token| ["=", "(", "[", "{", ":"].contains(&token.text.as_str())).unwrap_or(first.len());
    let at = end.checked_sub(1)?;
    let kind = first.get(..at)?;
    let ends_type =
        kind.last().is_some_and(|it| it.kind == Kind::Word || ["*", "&", "&&", ">"].contains(&it.text.as_str()));
    let begins_type = kind.first().is_some_and(|it| it.kind == Kind::Word && !OTHERS.contains(&it.text.as_str()));
    let declared = first.get(at).filter(|it| it.kind == Kind::Word);
    if !ends_type || !begins_type || declared.is_none() {
        return None;
    }
    let stays = kind
        .iter()
        .any(|it| ["static", "extern", "thread_local", "_Thread_local", "__thread"].contains(&it.text.as_str()));
    let is_reference = |before: &[Token]| before.last().is_some_and(|it| it.text.starts_with('&'));
    if let Some(declared) = declared.filter(|it| it.text == name) {
        return Some(Local { is_automatic: !stays && !is_reference(kind), line: declared.line });
    }
    more.iter().find_map(|part| {
        let at = part.iter().position(|token| token.kind == Kind::Word && token.text != "const")?;
        let declared = part.get(at).filter(|it| it.text == name)?;
        Some(Local { is_automatic: !stays && !is_reference(part.get(..at)?), line: declared.line })
    })
}

fn fortran_declaration(tokens: &[Token], name: &str) -> Option<Local> {
    const TYPES: [&str; 8] = ["integer", "real", "double", "logical", "complex", "character", "type", "class"];
    const STATEMENTS: [&str; 7] = ["save", "common", "equivalence", "target", "pointer", "data", "volatile"];
    let first = tokens.first()?;
    let stays = Local { is_automatic: false, line: first.line };
    if STATEMENTS.contains(&first.text.as_str()) {
        return (tokens.len() == 1 || has(tokens, name)).then_some(stays);
    }
    let begin = tokens.iter().position(|token| token.text == "::").map_or(1, |at| at + 1);
    let names = tokens.get(begin..).filter(|_| TYPES.contains(&first.text.as_str()))?;
    let part = split(names, ",").into_iter().find(|part| part.first().is_some_and(|token| token.text == name))?;
    let kept = |token: &Token| STATEMENTS.contains(&token.text.as_str()) || token.text == "parameter";
    let is_kept = tokens.get(..begin)?.iter().any(kept) || part.iter().any(|token| token.text == "=");
    Some(if is_kept { stays } else { Local { is_automatic: true, line: first.line } })
}
