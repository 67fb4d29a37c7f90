//! Directives around the accesses, and their spelling.

use crate::finding::{Finding, Side};
use crate::frames::Frame;
use crate::source::Sources;
use crate::syntax::OneThread;

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
            writer.in_construct().find_map(|frame| {
                let function = sources.function(frame)?;
                let block = function.one_thread(frame.line)?;
                let is_later =
                    |it: &&Frame| it.function == frame.function && it.file == frame.file && it.line > block.last;
                let later = peer.stack.iter().find(is_later)?;
                (!function.has_barrier_between(block.last, later.line)).then(|| order(block, frame))?
            })
        },
    )
}

fn order(block: OneThread, frame: &Frame) -> Option<String> {
    let place = Frame { line: block.first, ..frame.clone() }.line_name()?;
    let barrier = directive("barrier", frame);
    Some(match block.word {
        "single" => without_nowait(&place),
        "if" => format!("{barrier} after the `if` at {place}, which one thread passes while the others go on"),
        word => format!("{barrier} after the `{word}` construct at {place}, which ends without one"),
    })
}

fn without_nowait(place: &str) -> String {
    format!("leave out the `nowait` at {place}: without it a barrier is between the accesses")
}

/// Advice from a construct with `nowait` that contains one access, and ends before the other one.
pub(super) fn by_nowait(finding: &Finding, sources: &mut Sources) -> Option<String> {
    let [one, other] = &finding.sides;
    if !are_in_one_region(one, other) || one.in_task() || other.in_task() {
        return None;
    }
    [(one, other), (other, one)].into_iter().find_map(|(first, second)| {
        first.in_construct().find_map(|frame| {
            let after = second.in_construct().find(|it| it.function == frame.function && it.file == frame.file)?;
            let line = sources.function(frame)?.nowait_between(frame.line, after.line)?;
            Some(without_nowait(&Frame { line, ..frame.clone() }.line_name()?))
        })
    })
}

pub(super) fn are_in_one_region(one: &Side, other: &Side) -> bool {
    one.region.as_ref().zip(other.region.as_ref()).is_some_and(|(one, other)| one.id == other.id)
}

/// A directive as it is written in the frame's language.
pub(super) fn directive(text: &str, frame: &Frame) -> String {
    if frame.is_fortran() { format!("`!$omp {text}`") } else { format!("`#pragma omp {text}`") }
}

/// Hand-over that orders as a flush does, in a form that can be followed.
pub(super) fn released(frame: &Frame) -> String {
    let [write, read] = ["atomic write release", "atomic read acquire"].map(|text| directive(text, frame));
    format!(
        "pass the flag by {write} and {read} in place of `flush`: then `ora race` sees whether it orders the accesses"
    )
}
