//! Directives around the accesses, and their spelling.

use crate::finding::{Finding, Side};
use crate::frames::Frame;
use crate::source::{self, Sources, identifiers};
use crate::syntax::OneThread;

/// Maximum number of lines of a region that are searched for directives.
const SEARCHED: u32 = 400;

/// By a block that one thread executes without a barrier at its end: what it writes is for the others that come later. Mutexes and atomic
/// constructs would not order them.
pub(super) fn by_one_thread(finding: &Finding, sources: &mut Sources) -> Option<String> {
    let [one, other] = &finding.sides;
    if !are_in_one_region(one, other) || one.in_task() || other.in_task() {
        return None;
    }
    [(one, other), (other, one)].into_iter().filter(|(writer, _)| writer.write && !writer.atomic).find_map(
        |(writer, peer)| {
            let is_guarded = peer.atomic || !peer.mutexes.is_empty();
            let is_update = writer.assignment().is_some_and(|assignment| assignment.update.is_some());
            // Both add to it, in any order. A guarded read may be a poll, which would never come to a barrier.
            if !writer.mutexes.is_empty() || is_guarded && (is_update || !peer.write) {
                return None;
            }
            let body = writer.stack.iter().position(|frame| frame.body_of.is_some()).unwrap_or(writer.stack.len());
            writer.stack.iter().take(body + 1).find_map(|frame| {
                let block = sources.function(frame)?.one_thread(frame.line)?;
                let is_later =
                    |it: &&Frame| it.function == frame.function && it.file == frame.file && it.line > block.last;
                peer.stack.iter().find(is_later)?;
                order(block, frame)
            })
        },
    )
}

fn order(block: OneThread, frame: &Frame) -> Option<String> {
    let place = Frame { line: block.first, ..frame.clone() }.line_name()?;
    let barrier = directive("barrier", frame);
    Some(match block.word {
        "single" => format!("leave out the `nowait` at {place}: without it a barrier is between the accesses"),
        "if" => format!("{barrier} after the `if` at {place}, which one thread passes while the others go on"),
        word => format!("{barrier} after the `{word}` construct at {place}, which ends without one"),
    })
}

/// Advice from the directive of the construct with the access further up: `nowait`, or a construct without a barrier
/// at its end.
pub(super) fn by_directive(finding: &Finding, sources: &mut Sources) -> Option<String> {
    let [one, other] = &finding.sides;
    let (first, second) = (one.frame()?, other.frame()?);
    let region = one.region.as_ref()?.at.as_ref()?;
    let file = first.file.as_deref().filter(|file| second.file.as_deref() == Some(file))?;
    let (begin, end) = (first.line.min(second.line), first.line.max(second.line));
    if begin == end || region.file.as_deref() != Some(file) || region.line > begin || end - region.line > SEARCHED {
        return None;
    }
    let place = |line| Frame { line, ..first.clone() }.line_name();
    let without_nowait = |line| {
        Some(format!("leave out the `nowait` at {}: without it a barrier is between the accesses", place(line)?))
    };
    // In Fortran the clause is at the construct's end.
    let ending = (begin..end).find_map(|line| Some((line, source::directive(sources.at(file, line)?)?)));
    if let Some((line, text)) = ending
        && text.starts_with("end ")
        && text.ends_with("nowait")
    {
        return without_nowait(line);
    }
    let inner = ["atomic", "critical", "simd", "ordered", "flush"];
    let above = (region.line..=begin).rev().find_map(|line| {
        let text = source::directive(sources.at(file, line)?)?;
        (!inner.iter().any(|inner| text.starts_with(inner))).then_some((line, text))
    });
    let (line, text) = above?;
    let word = identifiers(&text).next()?;
    match word {
        "for" | "do" | "sections" | "single" | "workshare" if identifiers(&text).any(|clause| clause == "nowait") => {
            without_nowait(line)
        }
        // Where the function is understood, its own constructs have been read.
        "master" if sources.function(first).is_none() => {
            order(OneThread { word: "master", first: line, last: line }, first)
        }
        "masked" if sources.function(first).is_none() => {
            order(OneThread { word: "masked", first: line, last: line }, first)
        }
        _ => None,
    }
}

pub(super) fn are_in_one_region(one: &Side, other: &Side) -> bool {
    one.region.as_ref().zip(other.region.as_ref()).is_some_and(|(one, other)| one.id == other.id)
}

/// A directive as it is written in the frame's language.
pub(super) fn directive(text: &str, frame: &Frame) -> String {
    if frame.is_fortran() { format!("`!$omp {text}`") } else { format!("`#pragma omp {text}`") }
}
