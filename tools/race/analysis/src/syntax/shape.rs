//! Shapes of statements that a clause can replace, and of tests around an assignment.

use super::statements::split;
use super::tokens::{self, Kind, Token};
use super::{Is, Statement, has, places};

/// Use of a variable in a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// `x += e`, `x = x + e`.
    Update(&'static str),
    /// `if (e > x) x = e`, `x = max(x, e)`.
    Extremum(&'static str),
    Other,
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

/// Compound assignments, longest first, and the operators in them.
pub(crate) const COMPOUND: [(&str, &str); 10] = [
    ("<<=", "<<"),
    (">>=", ">>"),
    ("+=", "+"),
    ("-=", "-"),
    ("*=", "*"),
    ("/=", "/"),
    ("|=", "|"),
    ("&=", "&"),
    ("^=", "^"),
    ("%=", "%"),
];

/// The update of a variable by a statement.
fn use_of(tokens: &[Token], name: &str) -> Use {
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

/// The update of an expression (`a[i]`) that results from an assignment of a value to it.
pub(crate) fn update(target: &str, value: &str) -> Use {
    /// Placeholder for the target in the value.
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

/// The extremum that a test stores in a variable which then gets `value`.
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

/// The extremum that an `if` statement stores: it assigns exactly what it compares.
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
pub(super) fn uses(statement: &Statement, name: &str, all: &mut Vec<Use>) {
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
pub(super) fn without_shared(directive: &[Token]) -> Vec<Token> {
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
