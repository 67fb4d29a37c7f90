//! Events of work-sharing constructs and masked regions, as reported to the core.

use super::blocks::Block;
use ompt_core::detail::Work;
use ompt_core::dispatch::Token;
use ompt_core::event::{Event, Span};
use ompt_core::tls;
use std::ffi::c_int;
use std::sync::atomic::Ordering::*;

/// Kinds of `ompt_work_t` that are reported.
enum Construct {
    Shared(Work),
    Single,
    Taskloop,
}

fn construct(kind: c_int) -> Option<Construct> {
    Some(match kind {
        1 | 10..=13 => Construct::Shared(Work::Loop),
        2 => Construct::Shared(Work::Sections),
        3 => Construct::Single,
        4 => Construct::Shared(Work::SingleOther),
        7 => Construct::Taskloop,
        8 => Construct::Shared(Work::Scope),
        _ => return None,
    })
}

/// Begins the calling thread's part of a construct. A preceding single region ends here if its end was not reported (gcc's code calls a
/// runtime only at its start).
pub(super) fn begin(kind: c_int, count: u64) {
    let Some((thread, construct)) = tls::get().zip(construct(kind)) else { return };
    match construct {
        Construct::Taskloop => thread.tasks().report_taskloop(Event::WorkBegin, || count),
        Construct::Single => {
            thread.constructs().close_single();
            thread.constructs().open_single();
        }
        Construct::Shared(kind) => {
            thread.constructs().close_single();
            thread.constructs().close_work();
            thread.constructs().open_work(kind, || count);
        }
    }
}

/// Ends the calling thread's part of the construct.
pub(super) fn end(kind: c_int, count: u64) {
    let Some((thread, construct)) = tls::get().zip(construct(kind)) else { return };
    match construct {
        Construct::Taskloop => thread.tasks().report_taskloop(Event::WorkEnd, || count),
        Construct::Single => thread.constructs().close_single(),
        Construct::Shared(_) => thread.constructs().close_work(),
    }
}

/// Begins a masked region of the task.
pub(super) fn begin_masked(task: &'static Block) {
    if let Some(thread) = tls::get() {
        task.masked.store(thread.begin(Span::MASKED).bits(), Relaxed);
    }
}

/// Ends the masked region of the task.
pub(super) fn end_masked(task: &'static Block) {
    if let Some(thread) = tls::get() {
        thread.end(Span::MASKED, Token::from_bits(task.masked.swap(0, Relaxed)));
    }
}
