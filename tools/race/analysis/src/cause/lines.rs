//! Evidence in the text of the two lines: what they assign.

use super::directives::directive;
use crate::finding::{Finding, Side};
use crate::source::{Assignment, identifiers};

/// Operators that an atomic construct may have.
pub(super) fn is_atomic(operator: &str) -> bool {
    ["+", "-", "*", "/", "|", "&", "^", "<<", ">>", "max", "min"].contains(&operator)
}

/// The operator of a `reduction` clause that updates by `operator`.
fn reduction(operator: &str) -> Option<&str> {
    match operator {
        "-" => Some("+"),
        "+" | "*" | "|" | "&" | "^" | "max" | "min" => Some(operator),
        _ => None,
    }
}

/// By the assignments in both lines.
pub(super) fn by_text(finding: &Finding) -> Vec<String> {
    let [one, other] = &finding.sides;
    let Some((writer, assignment, peer)) = [(one, other), (other, one)].into_iter().find_map(|(side, other)| {
        let assignment = side.assignment()?;
        (names(other, &assignment) || is_moved(side, &assignment, other)).then_some((side, assignment, other))
    }) else {
        return Vec::new();
    };
    let Some(frame) = writer.frame() else { return Vec::new() };
    let scalar = assignment.target == assignment.variable;
    let text = peer.text.as_deref().unwrap_or_default();
    let updates = |side: &Side| {
        side.assignment()
            .is_some_and(|other| other.update == assignment.update && other.variable == assignment.variable)
    };
    let one_update = same_place(writer, peer) || updates(peer) || is_moved(writer, &assignment, peer);
    if let Some(operator) = assignment.update.filter(|_| one_update) {
        let mut advice = Vec::new();
        if let Some(operator) = reduction(operator).filter(|_| scalar) {
            advice.push(format!("`reduction({operator}:{})`", assignment.variable));
        }
        if is_atomic(operator) {
            advice.push(directive("atomic", frame));
        }
        return advice;
    }
    if scalar
        && let Some(operator) = compared(&assignment, text).or_else(|| compared(&assignment, writer.text.as_deref()?))
    {
        return vec![format!("`reduction({operator}:{})`", assignment.variable), directive("critical", frame)];
    }
    if scalar && assignment.update.is_none() && private(writer, peer) {
        return vec![format!("`private({})`, if no thread needs another one's value", assignment.variable)];
    }
    if !scalar && assignment.target.contains(['[', '(']) && neighbours(&assignment, writer, peer) {
        return vec![format!(
            "an iteration uses the part of `{}` that another one writes: keep the old values in another array, or order the \
             iterations (`ordered`)",
            assignment.variable
        )];
    }
    Vec::new()
}

/// A loop that waits for a variable which the other access writes.
pub(super) fn spin(one: &Side, other: &Side) -> Option<String> {
    let pair = [[one, other], [other, one]];
    let [reader, writer] = pair.into_iter().find(|[reader, writer]| !reader.write && writer.assignment().is_some())?;
    let assignment = writer.assignment().filter(|assignment| assignment.update.is_none())?;
    let text = reader.text.as_deref()?.trim_start().strip_prefix("while")?.trim_start();
    let head = text.get(..text.rfind(')')?)?.strip_prefix('(')?;
    // A loop with a body does more than wait.
    let waits = !head.contains(')') || head.matches('(').count() == head.matches(')').count();
    if !waits || !identifiers(head).any(|name| name == assignment.variable) {
        return None;
    }
    let (write, read) = (writer.frame()?, reader.frame()?);
    Some(format!(
        "{} at {} and {} at {}",
        directive("atomic write seq_cst", write),
        write.line_name()?,
        directive("atomic read seq_cst", read),
        read.line_name()?
    ))
}

fn names(side: &Side, assignment: &Assignment) -> bool {
    side.text.as_deref().is_some_and(|text| identifiers(text).any(|name| name == assignment.variable))
}

/// True if the other access is the read of the same update: compilers move it, and it then has the line of the loop.
fn is_moved(side: &Side, assignment: &Assignment, other: &Side) -> bool {
    let function = |side: &Side| side.frame().map(|frame| frame.function.clone());
    let first = other.text.as_deref().and_then(|text| identifiers(text).next());
    let is_loop = first.is_some_and(|word| ["for", "while", "do"].contains(&word.to_ascii_lowercase().as_str()));
    let reads = !other.write && is_loop && !names(other, assignment);
    assignment.update.is_some() && reads && function(side) == function(other)
}

/// The reduction of `if (v > best) best = v`, by the comparison in a line.
fn compared(assignment: &Assignment, text: &str) -> Option<&'static str> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let name = &assignment.variable;
    let has = |before: &str, behind: &str| text.contains(&format!("{before}{name}{behind}"));
    if !text.to_ascii_lowercase().contains("if(") {
        None
    } else if has(">", ")") || has(">=", ")") || has("(", "<") {
        Some("max")
    } else if has("<", ")") || has("<=", ")") || has("(", ">") {
        Some("min")
    } else {
        None
    }
}

/// True for a value that a thread writes, and that is written again at the same place or read further down in the same function:
/// outside of constructs that one thread executes.
fn private(writer: &Side, peer: &Side) -> bool {
    let one_thread = |side: &Side| {
        side.construct
            .as_ref()
            .is_some_and(|construct| ["single", "master", "section"].contains(&construct.kind.as_str()))
    };
    let (Some(write), Some(use_)) = (writer.frame(), peer.frame()) else { return false };
    let region = writer.region.as_ref().and_then(|region| region.at.as_ref());
    // In the region's own text, not in a function that it calls.
    let within = region.is_some_and(|region| region.function == write.function && region.line <= write.line);
    within
        && !one_thread(writer)
        && !one_thread(peer)
        && write.function == use_.function
        && use_.line >= write.line
        && use_.line - write.line <= 50
}

/// True if the lines have the variable with two indices.
fn neighbours(assignment: &Assignment, writer: &Side, peer: &Side) -> bool {
    let text = if same_place(writer, peer) { writer.text.as_deref() } else { peer.text.as_deref() };
    let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let (target, text) = (squeezed(&assignment.target), squeezed(text.unwrap_or_default()));
    let name = &assignment.variable;
    let open = target.get(name.len()..).and_then(|rest| rest.chars().next()).filter(|c| "[(".contains(*c));
    let Some(open) = open else { return false };
    let begins = format!("{name}{open}");
    // Each use of it in the line, up to the end of its index.
    text.match_indices(&begins).any(|(at, _)| {
        let alone = at == 0 || !text.get(..at).unwrap_or_default().ends_with(|c: char| c.is_alphanumeric() || c == '_');
        alone && !text.get(at..).unwrap_or_default().starts_with(&target)
    })
}

pub(super) fn same_place(one: &Side, other: &Side) -> bool {
    let place = |side: &Side| side.frame().map(|frame| (frame.file.clone(), frame.line));
    place(one).is_some() && place(one) == place(other)
}
