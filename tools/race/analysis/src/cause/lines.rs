//! Evidence in the text of the two lines: what they assign.

use super::directives::directive;
use crate::finding::{Finding, Side};
use crate::frames::Frame;
use crate::source::{Assignment, Sources, identifiers};
use crate::syntax::Function;

/// True for an operator that an atomic construct may have in the frame's language: in Fortran, this includes
/// functions.
pub(super) fn is_atomic(operator: &str, frame: &Frame) -> bool {
    ["+", "-", "*", "/", "|", "&", "^", "<<", ">>"].contains(&operator)
        || ["max", "min"].contains(&operator) && frame.is_fortran()
}

/// True if one access may be all of the variable that the line updates: C's complex numbers are accessed in parts, and have no atomic
/// constructs.
pub(super) fn is_whole(finding: &Finding, side: &Side, assignment: &Assignment) -> bool {
    let size = finding.variable.size;
    let is_named = finding.variable.name.as_ref() == Some(&assignment.variable);
    !is_named || size == 0 || size == side.size || side.frame().is_some_and(Frame::is_fortran)
}

/// Advice from the assignments in both lines, and from what the source around them does with the variable.
pub(super) fn by_text(finding: &Finding, sources: &mut Sources) -> Vec<String> {
    let [one, other] = &finding.sides;
    let Some((writer, assignment, peer)) = [(one, other), (other, one)].into_iter().find_map(|(side, other)| {
        let assignment = side.assignment().filter(|it| is_of(finding, it))?;
        (names(other, &assignment) || is_moved(side, &assignment, other)).then_some((side, assignment, other))
    }) else {
        return Vec::new();
    };
    let Some(frame) = writer.frame() else { return Vec::new() };
    let scalar = assignment.target == assignment.variable;
    let function = sources.function(frame).filter(|_| scalar);
    let own_reduction = || reduction(finding, function.as_ref()?, &assignment.variable, frame, peer);
    let updates = |side: &Side| {
        side.assignment()
            .is_some_and(|other| other.update == assignment.update && other.variable == assignment.variable)
    };
    let one_update = same_place(writer, peer) || updates(peer) || is_moved(writer, &assignment, peer);
    if let Some(operator) = assignment.update.filter(|_| one_update) {
        let mut advice: Vec<String> = own_reduction().into_iter().collect();
        if is_atomic(operator, frame) && is_whole(finding, writer, &assignment) {
            advice.push(directive("atomic", frame));
        } else if ["max", "min"].contains(&operator) {
            advice.push(directive("critical", frame));
        }
        return advice;
    }
    if let Some(function) = &function {
        let advice = plain(function, &assignment, [writer, peer]);
        if !advice.is_empty() {
            return advice;
        }
    }
    let use_ = peer.frame().filter(|use_| use_.function == frame.function);
    let mut is_one_loop =
        || use_.zip(sources.function(frame)).is_none_or(|(use_, it)| it.share_loop(frame.line, use_.line));
    let is_part = !scalar && assignment.target.contains(['[', '(']);
    if is_part && neighbours(&assignment, writer, peer) && is_one_loop() {
        return vec![format!(
            "an iteration uses the part of `{}` that another one writes: keep the old values in another array, or order the \
             iterations (`ordered`)",
            assignment.variable
        )];
    }
    Vec::new()
}

/// Advice from a test around the write, in its function or in a caller: both accesses depend on it, or follow it.
pub(super) fn by_test(finding: &Finding, sources: &mut Sources) -> Option<Vec<String>> {
    let [one, other] = &finding.sides;
    let pairs = [(one, other), (other, one)].into_iter().filter(|(writer, _)| writer.write && writer.direct);
    for (writer, peer) in pairs {
        for (depth, frame) in writer.in_construct().enumerate() {
            let assignment = writer.assignment().filter(|_| depth == 0);
            let name = assignment.as_ref().map(|assignment| assignment.variable.as_str());
            let Some(function) = sources.function(frame) else { continue };
            let name = name.map(|name| in_case(&function, name));
            let Some(test) = function.test(name.as_deref(), frame.line) else { continue };
            // Around a call, only a test that initialises is a reason.
            if depth > 0 && !test.initialises {
                continue;
            }
            let of_test = |other: &&Frame| {
                other.function == frame.function && other.file == frame.file && other.line >= test.first
            };
            let Some(use_) = peer.stack.iter().find(of_test) else { continue };
            let is_inside = use_.line <= test.last;
            let mut advice = Vec::new();
            if let Some(name) = name.as_deref().filter(|_| is_inside) {
                advice.extend(reduction(finding, &function, name, frame, peer));
            }
            if test.initialises {
                advice.push(format!("initialise `{}` before the region", test.name));
            }
            if test.is_block && (is_inside || test.initialises) {
                let at = Frame { line: test.first, ..frame.clone() }.line_name()?;
                // What it calls may have critical sections of its own.
                let kind = if test.initialises || test.calls {
                    format!("critical({})", test.name)
                } else {
                    "critical".to_owned()
                };
                advice.push(format!("{} around the `if` at {at}", directive(&kind, frame)));
            }
            if !advice.is_empty() {
                return Some(advice);
            }
        }
    }
    None
}

/// True if an assignment may be the one that wrote the variable, if that has a name.
fn is_of(finding: &Finding, assignment: &Assignment) -> bool {
    let name = finding.variable.name.as_deref().filter(|_| !finding.variable.by_source);
    // Fortran's names are case-insensitive; the last name is the member's.
    name.is_none_or(|name| identifiers(name).any(|part| part.eq_ignore_ascii_case(&assignment.variable)))
}

/// A `reduction` clause that makes both accesses those of private copies.
fn reduction(finding: &Finding, function: &Function, name: &str, frame: &Frame, peer: &Side) -> Option<String> {
    let name = &in_case(function, name);
    let (operator, at) = function.reduction(name, frame.line, finding.variable.is_in_one_file)?;
    let clause = format!("`reduction({operator}:{name})`");
    let is_there = peer.frame().is_some_and(|other| other.function == frame.function);
    let at = Frame { line: at, ..frame.clone() }.line_name().filter(|_| !function.is_region(at));
    let clause = at.map_or(clause.clone(), |at| format!("{clause} at {at}"));
    is_there.then(|| instead_of_shared(function, name, frame, clause))
}

/// A clause, in place of the one that the variable is in now.
fn instead_of_shared(function: &Function, name: &str, frame: &Frame, clause: String) -> String {
    match function.is_shared_by_clause(name, frame.line) {
        true => format!("{clause} in place of its `shared` clause"),
        false => clause,
    }
}

/// Advice from a plain assignment to a variable, by the use of its value.
fn plain(function: &Function, assignment: &Assignment, [writer, peer]: [&Side; 2]) -> Vec<String> {
    let (Some(write), Some(use_)) = (writer.frame(), peer.frame()) else { return Vec::new() };
    let name = &in_case(function, &assignment.variable);
    let one_thread = |side: &Side| {
        side.construct
            .as_ref()
            .is_some_and(|construct| ["single", "master", "section"].contains(&construct.kind.as_str()))
    };
    let is_near =
        write.function == use_.function && use_.line >= write.line && !one_thread(writer) && !one_thread(peer);
    if is_near && function.may_be_private(name, write.line) {
        let clause = instead_of_shared(function, name, write, format!("`private({name})`"));
        return vec![format!("{clause}, if no thread needs another one's value")];
    }
    if is_near && function.may_be_lastprivate(name, write.line) {
        return vec![instead_of_shared(function, name, write, format!("`lastprivate({name})`"))];
    }
    // A state that each call takes on, as that of a generator of random numbers: a mutex would leave one for all.
    let declared =
        function.saved(name).filter(|_| identifiers(&assignment.value).any(|word| in_case(function, word) == *name));
    if let Some(at) = declared.and_then(|line| Frame { line, ..write.clone() }.line_name()) {
        return vec![format!(
            "{} below its declaration at {at}, and a different start value for each thread: with the declared one all threads would compute the \
             same values",
            directive(&format!("threadprivate({name})"), write)
        )];
    }
    let both_write = writer.write && peer.write && same_place(writer, peer);
    if both_write && assignment.value.ends_with("omp_get_num_threads()") {
        let single = function.is_once_a_thread(write.line).then(|| directive("single", write));
        return single.into_iter().chain([directive("atomic write", write)]).collect();
    }
    if !is_constant(&assignment.value) {
        return Vec::new();
    }
    let is_polled = write.function == use_.function && function.have_common_loop(write.line, use_.line);
    match (both_write, write.line_name(), use_.line_name()) {
        (true, ..) => vec![directive("atomic write", write)],
        // A flag is polled. A value that is read once may be wanted as it is after the write.
        (false, Some(at), Some(use_at)) if !peer.write && is_polled => vec![format!(
            "{} at {at} and {} at {use_at}",
            directive("atomic write seq_cst", write),
            directive("atomic read seq_cst", use_)
        )],
        _ => Vec::new(),
    }
}

/// A variable as spelled in the parsed function: in lower case for Fortran.
fn in_case(function: &Function, name: &str) -> String {
    if function.is_fortran() { name.to_ascii_lowercase() } else { name.to_owned() }
}

/// True for a number or a truth value.
pub(super) fn is_constant(value: &str) -> bool {
    let words = ["true", "false", ".true.", ".false.", "NULL", "nullptr"];
    let is_number = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_alphanumeric() || c == '.')
    };
    words.iter().any(|word| word.eq_ignore_ascii_case(value)) || is_number(value.trim_start_matches(['-', '+']))
}

/// True if an access reads in the head of a loop that waits for what the other one writes.
pub(super) fn spins(reader: &Side, writer: &Side) -> bool {
    let Some(assignment) = writer.assignment().filter(|it| it.update.is_none() && !reader.write) else { return false };
    let head = reader.text.as_deref().and_then(|text| text.trim_start().strip_prefix("while")).unwrap_or_default();
    let head = head.get(..head.rfind(')').unwrap_or(0)).and_then(|head| head.trim_start().strip_prefix('('));
    let head = head.unwrap_or_default();
    // A loop with a body does more than wait.
    let waits = !head.contains(')') || head.matches('(').count() == head.matches(')').count();
    waits && identifiers(head).any(|name| name == assignment.variable)
}

/// A loop that waits for a variable which the other access writes.
pub(super) fn spin(one: &Side, other: &Side) -> Option<String> {
    let [reader, writer] = [[one, other], [other, one]].into_iter().find(|[reader, writer]| spins(reader, writer))?;
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

/// True if the other access is the read of the same update: compilers move it, and then it has the line of the loop.
fn is_moved(side: &Side, assignment: &Assignment, other: &Side) -> bool {
    let function = |side: &Side| side.frame().map(|frame| frame.function.clone());
    let first = other.text.as_deref().and_then(|text| identifiers(text).next());
    let is_loop = first.is_some_and(|word| ["for", "while", "do"].contains(&word.to_ascii_lowercase().as_str()));
    let reads = !other.write && is_loop && !names(other, assignment);
    assignment.update.is_some() && reads && function(side) == function(other)
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
