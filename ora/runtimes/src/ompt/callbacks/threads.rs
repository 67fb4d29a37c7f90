//! Threads (OpenMP 5.0, 4.5.2.1, 4.5.2.2).

use super::{ForTool, ThreadBegin, ThreadEnd, nothing};
use crate::ompt::runtime::WordAt;
use crate::ompt::tools::reports_to_core_without_use;
use crate::ompt::{threads, tool_thread_words};

/// The runtime's word for a thread, which is the first tool's.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct NewThread<'a>(WordAt<'a>);

impl ForTool for NewThread<'_> {
    fn for_tool(self, tool: usize) -> Self {
        if tool == 0 { self } else { Self(tool_thread_words::of(tool).map_or(nothing(), WordAt::of)) }
    }
}

/// The word for a thread that ends. The adapter may already have ended the thread: then our words are gone, and no new ones are created.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct OldThread<'a>(WordAt<'a>);

impl ForTool for OldThread<'_> {
    fn for_tool(self, tool: usize) -> Self {
        if tool == 0 { self } else { Self(tool_thread_words::known(tool).map_or(nothing(), WordAt::of)) }
    }
}

pub(super) fn begin(event: ThreadBegin<'_>) {
    if reports_to_core_without_use() {
        threads::begin(event.kind);
    }
    tool_thread_words::forget();
    event.invoke();
}

pub(super) fn end(event: ThreadEnd<'_>) {
    event.invoke();
    if reports_to_core_without_use() {
        threads::end();
    }
}
