//! Declarations of local variables.

use super::statements::split;
use super::tokens::{Kind, Token};
use super::{Language, has};

/// Declaration of a local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Local {
    /// True if its lifetime ends when the function returns: it is neither static nor a reference.
    pub(super) is_automatic: bool,
    /// It keeps its value between calls of the function: `static`, or `save`.
    pub(super) is_saved: bool,
    pub(super) line: u32,
}

/// Declaration of a variable by a statement.
pub(super) fn declaration(tokens: &[Token], name: &str, language: Language) -> Option<Local> {
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
    let is_saved = stays && kind.iter().any(|it| it.text == "static");
    let is_reference = |before: &[Token]| before.last().is_some_and(|it| it.text.starts_with('&'));
    if let Some(declared) = declared.filter(|it| it.text == name) {
        return Some(Local { is_automatic: !stays && !is_reference(kind), is_saved, line: declared.line });
    }
    more.iter().find_map(|part| {
        let at = part.iter().position(|token| token.kind == Kind::Word && token.text != "const")?;
        let declared = part.get(at).filter(|it| it.text == name)?;
        Some(Local { is_automatic: !stays && !is_reference(part.get(..at)?), is_saved, line: declared.line })
    })
}

fn fortran_declaration(tokens: &[Token], name: &str) -> Option<Local> {
    const TYPES: [&str; 8] = ["integer", "real", "double", "logical", "complex", "character", "type", "class"];
    const STATEMENTS: [&str; 7] = ["save", "common", "equivalence", "target", "pointer", "data", "volatile"];
    let first = tokens.first()?;
    let stays = Local { is_automatic: false, is_saved: false, line: first.line };
    if STATEMENTS.contains(&first.text.as_str()) {
        return (tokens.len() == 1 || has(tokens, name)).then_some(stays);
    }
    let begin = tokens.iter().position(|token| token.text == "::").map_or(1, |at| at + 1);
    let names = tokens.get(begin..).filter(|_| TYPES.contains(&first.text.as_str()))?;
    let part = split(names, ",").into_iter().find(|part| part.first().is_some_and(|token| token.text == name))?;
    let kept = |token: &Token| STATEMENTS.contains(&token.text.as_str()) || token.text == "parameter";
    let attributes = tokens.get(..begin)?;
    // A variable with a start value is saved.
    let has_value = part.iter().any(|token| token.text == "=");
    let is_saved = (has_value || has(attributes, "save")) && !attributes.iter().any(|it| kept(it) && it.text != "save");
    let is_automatic = !has_value && !attributes.iter().any(kept);
    Some(Local { is_automatic, is_saved, line: first.line })
}
