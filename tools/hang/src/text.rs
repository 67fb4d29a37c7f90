//! The answer as text.

use std::collections::BTreeMap;

use terminal::page::{Page, Tone};
use terminal::printable::command_line;
use terminal::quantity::count;

use crate::describe;
use crate::model::{Frame, Look, Part, Thread};
use crate::outcome::Outcome;

/// Maximum number of functions of a stack that are shown.
const FRAMES: usize = 12;
/// Maximum number of threads that are named in a line.
const NAMED: usize = 8;

/// The page about a process.
pub fn page(outcome: &Outcome) -> Page {
    let mut out = Page::default();
    let verdict = match outcome.findings.as_slice() {
        [] => "no deadlock seen",
        [_] => "HANGS",
        _ => "HANGS, for several reasons",
    };
    out.heading(&format!("Process {} ({}): {verdict}", outcome.pid, command_line(&outcome.command)));
    for finding in &outcome.findings {
        out.paragraph(3, "* ", &finding.title, Tone::Finding);
        for line in &finding.lines {
            out.text(6, line);
        }
        out.blank();
    }
    for pending in &outcome.pending {
        out.text(3, pending);
    }
    if !outcome.pending.is_empty() {
        out.blank();
    }
    for group in groups(&outcome.look.threads) {
        stack(&mut out, &outcome.look, &group);
    }
    for limit in &outcome.limits {
        out.paragraph(3, "Note: ", limit, Tone::Note);
    }
    out
}

/// Threads that are in the same place in the same way.
fn groups(threads: &[Thread]) -> Vec<Vec<&Thread>> {
    let mut order = Vec::new();
    let mut groups: BTreeMap<(String, Vec<u64>), Vec<&Thread>> = BTreeMap::new();
    for thread in threads {
        let program = thread.stack.iter().filter(|frame| frame.part == Part::Program);
        let key = (describe::wait(thread), program.map(|frame| frame.address).collect::<Vec<_>>());
        let group = groups.entry(key.clone()).or_default();
        if group.is_empty() {
            order.push(key);
        }
        group.push(thread);
    }
    order.into_iter().filter_map(|key| groups.remove(&key)).collect()
}

fn stack(out: &mut Page, look: &Look, group: &[&Thread]) {
    let Some(first) = group.first() else { return };
    let names: Vec<String> = group.iter().take(NAMED).map(|thread| describe::label(thread)).collect();
    let more = group.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let owner = describe::owner(look, first).map(|owner| format!(", which {owner} holds")).unwrap_or_default();
    let wait = format!("{}{owner}", describe::wait(first));
    let shortest = group.iter().map(|thread| thread.asleep_for).min().flatten();
    let who = match group {
        [_] => names.concat(),
        _ => format!("{}: {}{more}", count(group.len() as u64, "thread", "threads"), names.join(", ")),
    };
    out.text(3, &format!("{who}: {wait}{}", describe::since(shortest)));
    let frames: Vec<&Frame> = describe::shown_frames(first).collect();
    for frame in frames.iter().take(FRAMES) {
        if frame.is_exit() {
            out.text(6, "exit(), which runs destructors and handlers");
        }
        for name in &frame.names {
            let body = describe::body(name).map(|body| format!(" ({body})")).unwrap_or_default();
            out.text(6, &format!("{}{body}", describe::place(name)));
        }
    }
    if frames.len() > FRAMES {
        out.text(6, &format!("... and {} more", frames.len() - FRAMES));
    }
    out.blank();
}
