//! Phrases about races that text and SARIF share.

use crate::finding::{Construct, Finding, Side};
use crate::frames::Frame;

/// Maximum number of callers of an access that are shown.
const CALLERS: usize = 6;
/// Maximum number of callers of a task's creation that are shown.
const CREATORS: usize = 3;

/// `data race on `sum``.
pub(crate) fn title(finding: &Finding) -> String {
    let kind = if finding.sure { "data race" } else { "possible data race" };
    match (&finding.variable.name, finding.variable.kind.as_str()) {
        (Some(name), _) => format!("{kind} on `{name}`"),
        (None, "heap") => format!("{kind} on allocated memory"),
        (None, "stack") => format!("{kind} on a local variable"),
        (None, "tls") => format!("{kind} on a thread's own variable"),
        (None, _) => format!("{kind} on unnamed memory"),
    }
}

/// The memory, and where it comes from.
pub(crate) fn memory(finding: &Finding) -> Option<String> {
    let variable = &finding.variable;
    let size = match variable.size {
        0 => String::new(),
        1 => " of 1 byte".to_owned(),
        size => format!(" of {size} bytes"),
    };
    let kind = match variable.kind.as_str() {
        "global" => format!("a global variable{size}"),
        "heap" => match variable.allocated.first() {
            Some(frame) => format!("a block{size}, allocated by {}", frame.name()),
            None => format!("an allocated block{size}"),
        },
        "stack" => "on a stack".to_owned(),
        "tls" => format!("a thread-local variable{size}"),
        _ => String::new(),
    };
    let declared = variable.declared.as_ref().map(|(file, line)| format!("declared at {file}:{line}"));
    let parts: Vec<String> = [Some(kind).filter(|kind| !kind.is_empty()), declared].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The access: function, line and thread.
pub(crate) fn access(side: &Side) -> String {
    let place = match side.frame() {
        Some(frame) => frame.name(),
        None => "place unknown (ThreadSanitizer has forgotten it)".to_owned(),
    };
    format!("{place}, {}", thread(side))
}

fn thread(side: &Side) -> String {
    let team = side.region.as_ref().map(|region| region.team).filter(|team| *team > 0);
    match (side.omp_thread, team) {
        (Some(number), Some(team)) => format!("thread {number} of {team}"),
        (Some(number), None) => format!("thread {number}"),
        (None, _) if side.os_thread == 0 => "the initial thread".to_owned(),
        (None, _) => format!("thread T{} of the process", side.os_thread),
    }
}

/// Callers and constructs around the access, from the innermost to the outermost.
pub(crate) fn surroundings(side: &Side) -> Vec<String> {
    let mut lines: Vec<String> = callers(&side.stack).map(|frame| format!("called from {}", frame.name())).collect();
    lines.extend(
        side.mutexes.iter().map(|mutex| format!("holding a mutex: {}", with_place(&mutex.kind, mutex.at.as_ref()))),
    );
    lines.extend(side.construct.as_ref().and_then(construct));
    if let Some(region) = &side.region {
        let at = region.at.as_ref().and_then(Frame::line_name).unwrap_or_else(|| "an unknown place".to_owned());
        lines.push(format!("in the parallel region at {at}"));
    }
    if let Some((kind, at)) = &side.since {
        lines.push(format!("after {}", with_place(kind, at.as_ref())));
    }
    lines
}

fn with_place(what: &str, at: Option<&Frame>) -> String {
    match at.and_then(Frame::line_name) {
        Some(line) => format!("{what} at {line}"),
        None => what.to_owned(),
    }
}

/// The functions that called a stack's innermost one, up to the body of its construct.
fn callers(stack: &[Frame]) -> impl Iterator<Item = &Frame> {
    let inside = stack.iter().position(|frame| frame.body_of.is_some());
    let last = inside.unwrap_or(stack.len());
    stack.iter().take(last + 1).skip(1).take(CALLERS)
}

fn construct(construct: &Construct) -> Option<String> {
    let at = |what: &str| Some(format!("in {}", with_place(what, construct.at.as_ref())));
    match construct.kind.as_str() {
        "implicit task" | "" => None,
        kind @ ("task" | "taskloop") => {
            let what = if kind == "task" { "a task" } else { "a task of a taskloop" };
            Some(match construct.created.first().or(construct.at.as_ref()) {
                Some(frame) => {
                    let callers = callers(&construct.created).map(|frame| format!(", called from {}", frame.name()));
                    format!("in {what} created by {}{}", frame.name(), callers.take(CREATORS).collect::<String>())
                }
                None => format!("in {what}"),
            })
        }
        "loop chunk" => at("a chunk of the loop"),
        "section" => at("a section"),
        "initial" => Some("in serial code".to_owned()),
        "foreign thread" => Some("in a thread that isn't OpenMP's".to_owned()),
        kind => at(&format!("the {kind} construct")),
    }
}

/// Clauses and directives as one phrase.
pub(crate) fn alternatives(likely: &[String]) -> String {
    likely.join(", or ")
}
