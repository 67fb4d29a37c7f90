//! Directives around the accesses, and their spelling.

use crate::finding::Finding;
use crate::frames::Frame;
use crate::source::{self, Sources, identifiers};

/// Maximum number of lines of a region that are searched for directives.
const SEARCHED: u32 = 400;

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
        "master" | "masked" => {
            let barrier = directive("barrier", first);
            Some(format!("{barrier} after the `{word}` construct at {}, which ends without one", place(line)?))
        }
        _ => None,
    }
}

/// A directive as it is written in the frame's language.
pub(super) fn directive(text: &str, frame: &Frame) -> String {
    if frame.is_fortran() { format!("`!$omp {text}`") } else { format!("`#pragma omp {text}`") }
}
